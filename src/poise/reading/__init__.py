"""The one door through which files come in, whatever their format.

Every reader takes its bytes, its JSON, its archives, its rates and the files that a document refers to from
here, so that what a file claims is weighed against what it is before anything is made of it:

    regular_file    only regular files are opened: no device, no pipe
    budget          how many numbers, steps and bytes a file of so many bytes may stand for
    plain_data      JSON and TOML: depth, digits, finite numbers, letters
    archive         zip archives and the arrays in them, unpacked within a budget
    rational        decimals and fractions as exact rates, bounded
    reference       what a document refers to lies in its own folder, or where the user says
    leniency        what does not quite add up is read all the same, where that is asked for
    blame           whatever else is wrong with a file's content is one line that names the file
"""

from poise.reading.archive import Archive, read_array, read_arrays
from poise.reading.blame import blaming
from poise.reading.budget import Budget
from poise.reading.leniency import forgiving, is_forgiving
from poise.reading.plain_data import json_from, nesting, read_json, read_toml
from poise.reading.rational import bounded_fraction
from poise.reading.reference import beside, trusting
from poise.reading.regular_file import is_regular, read_bytes, read_head, read_text

__all__ = [
    "Archive",
    "Budget",
    "beside",
    "blaming",
    "bounded_fraction",
    "forgiving",
    "is_forgiving",
    "is_regular",
    "json_from",
    "nesting",
    "read_array",
    "read_arrays",
    "read_bytes",
    "read_head",
    "read_json",
    "read_text",
    "read_toml",
    "trusting",
]
