"""Structs that no thread has decoded yet, by eight threads at once: the first look at one is not for two."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys, threading
import msgspec
from poise.errors import PoiseError
from poise.operations.decoding import converted
from poise.operations.registry import operations

def heirs(kind):
    for each in kind.__subclasses__():
        yield each
        yield from heirs(each)

operations()
sys.setswitchinterval(1e-6)
kinds = [k for k in dict.fromkeys(heirs(msgspec.Struct)) if k.__module__.startswith("poise.")]
together = threading.Barrier(8)

def work():
    for kind in kinds:
        together.wait()
        for _ in range(3):
            try:
                converted(dict.fromkeys(kind.__struct_encode_fields__, 0), kind, "data")
            except (PoiseError, TypeError):
                pass

threads = [threading.Thread(target=work) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(len(kinds))
"""


def test_first_use_in_many_threads():
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-1000:]
        assert int(done.stdout) > 20
