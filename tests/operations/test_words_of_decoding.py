"""What is wrong with an option is said with the value that was given and what would do."""

from __future__ import annotations

import pytest

from poise.errors import InputError
from poise.operations.loosen import Loosen
from poise.operations.running import asked


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gravity": "up"}, "field 'gravity': 'up' is not valid; use on, off or compensated"),
        ({"order": 3}, "field 'order': 3 is not valid; use 1 or 2"),
        ({"step": -1}, "field 'step': expected a number > 0.0, not -1"),
        ({"window": 0.0}, "field 'window': expected a number > 0.0, not 0; use <s>, auto or adaptive"),
        ({"world": 3}, "'world'"),
        ({"obstacles": []}, "no field named 'obstacles'"),
        ({"windw": 0.3}, "no field named 'windw'; did you mean 'window'"),
    ],
)  # fmt: skip
def test_value_and_remedy(options, words):
    with pytest.raises(InputError) as said:
        asked(Loosen, options)
    assert words in str(said.value)
