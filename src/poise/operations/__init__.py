"""What can be done to a motion: each operation one declaration, from which every surface is made."""
