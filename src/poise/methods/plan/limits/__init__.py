"""What a motion must keep to: floor, joints, push."""
