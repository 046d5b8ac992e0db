"""What holds a joint, and states at the end of short simulations."""
