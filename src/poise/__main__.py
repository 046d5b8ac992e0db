"""``python -m poise``: the command line where ``poise`` itself is not on the path."""

from poise.cli import main

if __name__ == "__main__":
    main()
