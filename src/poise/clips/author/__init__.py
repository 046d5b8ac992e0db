"""How the bundled clips are made: recipes of numbers, and a puppet that poses the humanoid by them."""
