"""What is asked: keys, segments, holds, settings."""
