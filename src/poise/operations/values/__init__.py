"""What options are made of: springs, bells, worlds, blows."""
