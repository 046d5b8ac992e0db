"""The runner of mutants itself: breakages are made where they are told, and its lists are not stale."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from mutants.code_graph import CodeGraph
from mutants.mutation import Mutation
from mutants.named import NAMED
from mutants.nearest import ELSEWHERE, Nearest, Recorded, chosen
from mutants.python_operators import mutations, walk
from mutants.report import equivalents, summary
from mutants.sampling import by_package, sample
from mutants.trial import Trial

ROOT = Path(__file__).resolve().parents[1]

SOURCE = '''"""Words are left alone: 1 + 1."""
LIMIT = 0.5

def f(a: int = 3, *, b: bool = True) -> float:
    """Also here: 2 * 2."""
    if a < 2 and not b:
        raise ValueError(f"{a + 1}")
    total = -a * min(a, LIMIT)
    total += g(a, b)
    out[0] = "text"
    return total
'''


@pytest.fixture
def broken(tmp_path):
    """All breakages of the text above, by what they are."""
    (tmp_path / "x.py").write_text(SOURCE)
    return {m.what: m for m in mutations(tmp_path, "x.py")}


def test_every_operator_finds_its_place(broken):
    assert set(broken) == {
        "0.5 → 1.0",
        "3 → 4",
        "True → False",
        "a < 2 → >=",
        "a < 2 → <=",
        "2 → 3",
        "a < 2 and not b → or",
        "if a < 2 and not b → if not",
        "not b → without not",
        "-a * min(a, LIMIT) → /",
        "-a → without the sign",
        "min(a, LIMIT) → max",
        "total += g(a, b) → -=",
        "g(a, b) → g(b, a)",
        'without out[0] = "text"',
        "0 → 1",
    }


def test_open_dimensions_are_left_open(tmp_path):
    (tmp_path / "x.py").write_text("y = x.reshape(-1, 6)\n")
    assert {m.what for m in mutations(tmp_path, "x.py")} == {"-1 → without the sign", "6 → 7"}


def test_breakages_are_made_where_they_are_told(broken):
    assert b"if a < 2 or not b:" in broken["a < 2 and not b → or"].applied(SOURCE.encode())
    assert b"total -= g(a, b)" in broken["total += g(a, b) → -="].applied(SOURCE.encode())
    assert b"\n    pass\n" in broken['without out[0] = "text"'].applied(SOURCE.encode())
    for mutation in broken.values():
        changed = mutation.applied(SOURCE.encode())
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(SOURCE)), mutation
    assert (broken["0.5 → 1.0"].line, broken["0.5 → 1.0"].function) == (2, "")
    assert (broken["3 → 4"].line, broken["3 → 4"].function) == (4, "f")


def test_a_sample_is_even_and_the_same_for_a_seed():
    def mutation(package: str, function: str, k: int) -> Mutation:
        return Mutation(f"src/poise/{package}/x.py", k, k + 1, "", f"{k}", 1, function)

    every = [mutation(p, f"f{k % 9}", k) for p in ("curves", "motion", "methods/perform") for k in range(90)]
    chosen_ = sample(every, 4, 7)
    assert {p: len(own) for p, own in by_package(chosen_).items()} == {
        "curves": 4,
        "methods/perform": 4,
        "motion": 4,
    }
    assert len({(m.file, m.function) for m in chosen_}) == 12, "no two of one function"
    assert chosen_ == sample(every, 4, 7) != sample(every, 4, 8)


def test_the_tests_that_are_run_are_few_and_of_many_families():
    def test(name: str, seconds: float, calls: int = 1) -> Recorded:
        return Recorded(name, seconds, frozenset(map(str, range(calls))))

    many = [test(f"a[{k}]", 0.1) for k in range(500)] + [test("b", 1.0), test("c", 90.0), test("d", 0.1, 800)]
    names = [t.name for t in chosen(many)]
    assert len(names) <= 60
    assert {"a[0]", "b", "d"} <= set(names)
    assert "c" not in names
    assert [t.name for t in chosen([test("c", 90.0)])] == ["c"], "one is run whatever it takes"


def recorded(root: Path, **tests: list[str]) -> Nearest:
    """What is near in a package of three functions, each a user of the one before, by what tests call."""
    package = root / "src" / "poise" / "a"
    package.mkdir(parents=True)
    (package / "inner.py").write_text(
        "def deep(x):\n    return x\n\n"
        "def cached(x):\n    return deep(x)\n\n"
        "def outer(x):\n    return cached(x)\n"
    )
    (root / "tests" / "a").mkdir(parents=True)
    known = {}
    for name, calls in tests.items():
        file = f"tests/a/test_{name}.py"
        (root / file).write_text(f"from poise.b import other\n\ndef test_{name}(): ...\n")
        told = {"seconds": 0.1, "calls": [f"a/inner.py::{call}" for call in calls]}
        known[file] = {"digest": "", "tests": {f"{file}::test_{name}": told}}
    (root / "nearest.json").write_text(json.dumps(known))
    return Nearest(root / "nearest.json", CodeGraph(root), root)


def names(wave: list[Recorded]) -> list[str]:
    return [test.name.rpartition("test_")[2] for test in wave]


def test_users_of_what_is_cached_are_near_too(tmp_path):
    """The first test alone is seen to call ``deep``; the second finds its result in a cache."""
    near = recorded(tmp_path, first=["outer", "cached", "deep"], second=["outer"], third=["else"])
    broken = Mutation("src/poise/a/inner.py", 0, 1, "", "", 2, "deep")
    assert [names(wave) for wave in near.waves(broken)] == [["first"], ["second"]]


def test_files_that_name_the_broken_module_are_near_too(tmp_path):
    near = recorded(tmp_path, first=["deep"], second=["else"])
    near.mentions = [(text.replace("poise.b", "poise.a.inner"), t) for text, t in near.mentions]
    broken = Mutation("src/poise/a/inner.py", 0, 1, "", "", 2, "deep")
    assert [names(wave) for wave in near.waves(broken)] == [["first"], ["second"]]


def test_tests_that_speak_of_a_constant_come_first(tmp_path):
    near = recorded(tmp_path, first=["deep", "cached"], second=["else"], third=["deep"])
    (tmp_path / "src/poise/a/inner.py").write_text("LIMIT = 3\n\n\ndef deep(x):\n    return x + LIMIT\n")
    near.graph = CodeGraph(tmp_path)
    said = "from poise.a import other, inner\n\nassert inner.LIMIT == 3\n"
    near.mentions = [(said if "second" in t.name else text, t) for text, t in near.mentions]
    waves = near.waves(Mutation("src/poise/a/inner.py", 8, 9, "4", "3 → 4", 1, ""))
    assert [names(wave) for wave in waves] == [["second"], ["first", "third"]]


def test_files_that_were_not_recorded_are_run_whole_the_likeliest_first(tmp_path):
    recorded(tmp_path, first=["else"])
    texts = {
        "b/test_far.py": "from poise.b import other",
        "a/test_home.py": "import poise",
        "b/test_caller.py": "outcome = deep(3)",
        "b/test_named.py": "from poise.a.inner import deep",
        "papers/test_whole.py": "from poise.a.inner import deep",
    }
    for name, text in texts.items():
        (tmp_path / "tests" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "tests" / name).write_text(text)
    near = Nearest(tmp_path / "nearest.json", CodeGraph(tmp_path), tmp_path)
    waves = near.waves(Mutation("src/poise/a/inner.py", 0, 1, "", "", 2, "deep"))
    assert [test.name for test in waves[-1]] == [
        "tests/b/test_named.py",
        "tests/a/test_home.py",
        "tests/b/test_caller.py",
    ]


def test_files_that_use_a_user_of_the_broken_function_are_near_too(tmp_path):
    """Three calls away, in another folder, and without a word of the module's name."""
    recorded(tmp_path)
    (tmp_path / "src/poise/a/user.py").write_text(
        "from poise.a.inner import outer\n\ndef top(x):\n    return outer(x)\n"
    )
    (tmp_path / "src/poise/__init__.py").write_text("from poise.a.user import top\n")
    texts = {
        "b/test_top.py": "from poise.a.user import top\n\ndef test_it():\n    assert top(1)\n",
        "b/test_whole.py": "import poise\n\ndef test_it():\n    assert poise.top(1)\n",
        "b/test_far.py": "from poise.b import other\n\ndef test_it():\n    assert other(1)\n",
    }
    (tmp_path / "tests/b").mkdir()
    for name, text in texts.items():
        (tmp_path / "tests" / name).write_text(text)
    near = Nearest(tmp_path / "nearest.json", CodeGraph(tmp_path), tmp_path)
    waves = near.waves(Mutation("src/poise/a/inner.py", 0, 1, "", "", 2, "deep"))
    assert [test.name for test in waves[-1]] == ["tests/b/test_top.py", "tests/b/test_whole.py"]


def test_a_verb_that_is_typed_is_a_word_of_its_module(tmp_path):
    recorded(tmp_path)
    (tmp_path / "src/poise/cli").mkdir()
    (tmp_path / "src/poise/cli/juggle.py").write_text("def juggle(x):\n    return x\n")
    (tmp_path / "tests/cli").mkdir()
    for name, text in {
        "once": 'run("juggle")',
        "often": 'run("juggle"); run("juggle")',
        "not": "run()",
    }.items():
        (tmp_path / f"tests/cli/test_{name}.py").write_text(text)
    near = Nearest(tmp_path / "nearest.json", CodeGraph(tmp_path), tmp_path)
    waves = near.waves(Mutation("src/poise/cli/juggle.py", 0, 1, "", "", 2, "juggle"))
    assert [Path(test.name).stem for test in waves[-1]] == ["test_often", "test_once", "test_not"]


def test_what_other_processes_do_is_tried_last(tmp_path):
    near = recorded(tmp_path, first=["deep"])
    waves = near.waves(Mutation("src/poise/kernels/cache.py", 0, 1, "", "", 1, "f"))
    assert [test.name for test in waves[-1]] == ["tests/kernels/test_cache.py"]


def test_every_file_that_is_tried_last_is_there():
    for start, files in ELSEWHERE.items():
        assert list((ROOT / "src" / "poise").glob(f"{start}*")) or (ROOT / "src" / "poise" / start).is_dir()
        assert all((ROOT / file).is_file() for file in files)


def test_kernels_are_known_with_those_that_use_them(tmp_path):
    package = tmp_path / "src" / "poise"
    (package / "a").mkdir(parents=True)
    (package / "a" / "__init__.py").write_text("from poise.a.inner import helper\n")
    inner = ["SIZE = 3", "@kernel(inline=True)", "def helper(x):", "    return x * SIZE"]
    (package / "a" / "inner.py").write_text("\n".join(inner))
    used = ["@kernel()", "def whole(x):", "    return helper(x)", "def plain(x):", "    return whole(x)"]
    (package / "b.py").write_text("\n".join(["from poise.a import helper", *used]))
    graph = CodeGraph(tmp_path)
    assert graph.kernels == {"a/inner.py::helper", "b.py::whole"}
    assert graph.above("a/inner.py::SIZE") == {"a/inner.py::SIZE", "a/inner.py::helper", "b.py::whole"}
    assert graph.users["b.py::whole"] == {"b.py::plain"}
    assert graph.constants["a/inner.py", 1] == ["a/inner.py::SIZE"]


def test_shares_leave_out_what_is_argued(monkeypatch):
    def trial(state: str, what: str) -> Trial:
        return Trial(Mutation("src/poise/x.py", 0, 1, "", what, 1, "f"), state)

    monkeypatch.setattr("mutants.report.equivalents", lambda: {"x.py::f: same": "nobody can tell"})
    found = summary(
        [trial("killed", "a"), trial("killed", "b"), trial("survived", "same"), trial("untested", "c")]
    )
    assert (found["killed"], found["equivalent"], found["survived"]) == (2, 1, 1)
    assert (found["of code"], found["of a module's own numbers"]) == ("2 of 3", "0 of 0")
    assert found["share"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["survivors"] == ["x.py::f: c"]


@pytest.mark.parametrize("named", NAMED, ids=lambda n: n.name)
def test_named_breakages_still_have_their_place(named):
    mutation = named.mutation(ROOT)
    source = (ROOT / mutation.file).read_bytes()
    assert ast.dump(ast.parse(mutation.applied(source))) != ast.dump(ast.parse(source))
    assert named.function.rpartition(".")[2] in source.decode()


def test_what_is_argued_is_in_the_docs_and_still_there():
    page = (ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")
    known = {m.key for file in walk(ROOT) for m in mutations(ROOT, file)}
    for key, reason in equivalents().items():
        assert reason in page, key
        assert key.startswith("studio/web/") or key in known, f"{key} is gone: take it out of equivalent.json"
