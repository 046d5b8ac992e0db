"""What is to be performed, and when."""
