"""A request that is not understood is answered by its number, as far as that can be read; 0 is nobody's."""

from __future__ import annotations

import pytest

from poise.studio.server.session import _number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('{"say": "what", "number": 7}', 7),
        ('{"say": "what"}', 0),
        ('{"number": "seven"}', 0),
        ("[]", 0),
        ("nonsense", 0),
        ("[" * 100_000, 0),
    ],
    ids=["numbered", "bare", "a word", "a list", "no JSON", "deep"],
)
def test_the_number_as_far_as_it_can_be_read(text, number):
    assert _number(text) == number
