"""Files are written by ``poise.files`` alone: the source is searched for any other way.

Fine is a call inside ``with replacing(path) as temporary`` that is about ``temporary``. Whatever else there
is stands in ``ARGUED``, with its reason.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import poise

ROOT = Path(poise.__file__).parent
WRITES = {
    "write_text", "write_bytes", "savefig", "save", "savez", "savez_compressed", "savetxt", "tofile", "touch",
    "copy", "copy2", "copyfile", "copytree", "move", "rename", "replace", "link", "symlink_to", "hardlink_to",
    "Export", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "fdopen", "truncate", "ftruncate", "dump",
}  # fmt: skip
"""Names of functions that write, wherever they come from; ``open`` is looked at by its mode."""
ARGUED = {
    "files.py": "this is the one way",
    "serve/server.py: os.fdopen": "the pipes to and from a host are no files",
    "studio/server/drafts.py: path.touch": "takes a name that nobody has; poise.files fills it",
    "studio/server/address.py: os.open": "a secret, the user's alone from its first byte on",
    "studio/server/address.py: os.write": "fills it",
    "project/journal.py: os.open": "a journal only grows; what is torn at its end is known by its checksums",
    "project/journal.py: os.ftruncate": "cuts off what a crash tore",
    "project/journal.py: os.write": "the journal grows",
    "project/lock.py: self.file.open": "the lock's own file: who holds it; of no worth when it is gone",
    "project/lock.py: os.ftruncate": "the same",
    "project/lock.py: os.write": "the same",
    "batch/ledger.py: self.path.open": "a ledger only grows; a torn last line is known as such",
    "batch/cluster.py: TemporaryDirectory": "a folder that goes with its process",
    "batch/cluster.py: asked.write_bytes": "into that folder",
    "cli/inputs.py: TemporaryDirectory": "standard input, for readers that want a file",
    "cli/inputs.py: path.write_bytes": "the same",
    "cli/outputs.py: TemporaryDirectory": "what goes to standard output, from writers that want a file",
    "cli/operation_verb.py: TemporaryDirectory": "a sound that only the film needs",
    "cli/exit_status.py: os.open": "the null device",
    "cli/background_warming.py: os.open": "a lock's own file: who compiles; of no worth when it is gone",
    "cli/background_warming.py: os.ftruncate": "the same",
    "cli/background_warming.py: os.write": "the same",
    "kernels/compile_log.py: open": "a log that only grows, for those who ask for it",
    "studio/server/app.py: part.open": "an upload, piece by piece, into a file of its own beside its target",
    "studio/server/app.py: os.link": "an upload never replaces a file: a link fails where there is one",
    "formats/captures/plain.py: np.savez": "into memory, which ``poise.files`` writes",
    "formats/robot_motion/writer.py: np.savez": "the same",
    "formats/native.py: np.savez": "into an open file: within ``replacing``, or a buffer of the project",
    "formats/usd/stage.py: layer.Export": "into a temporary folder; what is there is then written whole",
    "formats/usd/stage.py: TemporaryDirectory": "the same, and files that the library is to open",
    "formats/usd/stage.py: place.write_bytes": "into a temporary folder, for the library to open",
    "formats/usd/package.py: zipfile.ZipFile": "a buffer in memory",
    "project/container.py: zipfile.ZipFile": "a buffer in memory",
    "methods/perform/script/sound.py: wave.open": "a buffer in memory",
    "pictures/writing.py: Image.fromarray.save": "a buffer in memory",
    "pictures/video_file.py: frames.save": "a buffer in memory",
    "pictures/video_file.py: ZipFile": "a buffer in memory, which poise.files writes",
    "pictures/video_file.py: Image.fromarray.save": "a buffer in memory",
    "studio/textures.py: picture.save": "a buffer in memory",
    "studio/textures.py: picture.convert.save": "a buffer in memory",
    "plot_page.py: figure.savefig": "a buffer in memory",
}


def dotted(node: ast.AST) -> str:
    """A called thing as text, without what its parts are called with."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{dotted(value)}.{name}"
        case ast.Call(func=function):
            return dotted(function)
        case ast.Subscript(value=value):
            return dotted(value)
        case _:
            return "…"


def writes(call: ast.Call) -> bool:
    """Whether a call may write a file."""
    name = dotted(call.func)
    last = name.rpartition(".")[2]
    texts = [a.value for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Constant)]
    modes = [t for t in texts if isinstance(t, str) and t and len(t) <= 3 and set(t) <= set("rwaxbt+")]
    if name == "os.open":
        return "O_WRONLY" in ast.dump(call) or "O_RDWR" in ast.dump(call)
    if name == "os.write":
        return True
    if last in ("open", "ZipFile"):
        return any(set(mode) & set("wax+") for mode in modes)
    if last == "replace":  # of strings and dates it has two arguments or named ones
        return name == "os.replace"
    if last == "save":  # clips and projects write by files.py; pictures do not
        return any(k.arg == "format" for k in call.keywords)
    if last == "copy":
        return name.startswith("shutil.")
    if last in ("move", "rename", "link", "truncate", "dump"):
        return name.startswith(("os.", "shutil.", "pickle.", "json."))
    return last in WRITES or last == "TemporaryDirectory"


def found_in(source: str) -> list[tuple[int, str]]:
    """Lines and names of calls that write in another way."""
    tree = ast.parse(source)
    fine: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.With):
            continue
        names = {
            item.optional_vars.id
            for item in node.items
            if dotted(item.context_expr) == "replacing" and isinstance(item.optional_vars, ast.Name)
        }
        for inner in ast.walk(node) if names else ():
            if isinstance(inner, ast.Call) and names & {
                n.id for n in ast.walk(inner) if isinstance(n, ast.Name)
            }:
                fine.add(inner)
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "poise.files"
        for alias in node.names
    }
    return [
        (node.lineno, dotted(node.func))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and node not in fine
        and writes(node)
        and dotted(node.func) not in imported | own
    ]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_files_are_written_in_one_way(path):
    place = path.relative_to(ROOT).as_posix()
    if place in ARGUED or "node_modules" in place:
        return
    for line, name in found_in(path.read_text(encoding="utf-8")):
        assert f"{place}: {name}" in ARGUED, f"line {line}: {name} writes past poise.files"


def test_every_exception_is_still_there():
    for place in ARGUED:
        path, _, name = place.partition(": ")
        called = {
            dotted(n.func) for n in ast.walk(ast.parse((ROOT / path).read_text())) if isinstance(n, ast.Call)
        }
        assert not name or name in called, f"{place} is gone: take it off the list"


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "Path(path).open('xb')",
        "io.open(path, 'r+')",
        "Path(path).write_text('x')",
        "target.write_bytes(b'x')",
        "figure.savefig(path)",
        "np.savez(path, q=q)",
        "np.savetxt(path, q)",
        "image.save(path, format='PNG')",
        "wave.open(path, 'wb')",
        "shutil.copy(a, b)",
        "shutil.copyfile(a, b)",
        "os.replace(a, b)",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "zipfile.ZipFile(path, 'w')",
        "layer.Export(path)",
        "q.tofile(path)",
        "with replacing(path) as temporary:\n    Path(path).write_text('x')",
    ],
)
def test_another_way_would_be_found(line):
    assert found_in(line), line


def test_reading_is_not_writing_and_what_is_within_replacing_is_fine():
    assert not found_in("open(path)")
    assert not found_in("Path(path).open('rb')")
    assert not found_in("text.replace('a', 'b')")
    assert not found_in("with replacing(path) as temporary:\n    temporary.write_text('x')")
    assert not found_in("with replacing(p) as t, t.open('wb') as file:\n    pass")
