"""What options are made of: springs, bells, obstacles, blows."""
