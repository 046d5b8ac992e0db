"""What can be done to a motion: each operation one declaration, from which every surface is made.

Examples:
    >>> from poise.operations.loosen import Loosen
    >>> declared = Loosen(tension="loose")
"""
