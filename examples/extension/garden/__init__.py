"""What another package can add to Poise."""
