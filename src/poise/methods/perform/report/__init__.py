"""What arrived when."""
