"""Who uses whom, by name: functions, classes and constants of the package, and which of them are kernels.

A place is ``package/file.py::name``, with the qualified name of a function or class, or that of a constant.
Names are followed through imports and re-exports; methods are found by their class alone.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path


class CodeGraph:
    """Read once from the sources below ``root/src/poise``."""

    def __init__(self, root: Path) -> None:
        self.package = root / "src" / "poise"
        self.kernels: set[str] = set()
        self.classes: set[str] = set()
        self.users: dict[str, set[str]] = defaultdict(set)
        """Functions (and classes) that mention a place."""
        self.constants: dict[tuple[str, int], list[str]] = {}
        """Places that a line of a module's own code gives values to."""
        self._names: dict[str, dict[str, str]] = {}
        self._trees: dict[str, ast.Module] = {}
        for path in sorted(self.package.rglob("*.py")):
            if "node_modules" not in path.parts:
                file = path.relative_to(self.package).as_posix()
                self._trees[file] = ast.parse(path.read_bytes())
        for file in self._trees:
            self._names[file] = self._known(file)
        for file, tree in self._trees.items():
            self._read(file, tree)

    def above(self, place: str) -> set[str]:
        """The place and all kernels that use it, directly or through others."""
        found, new = {place}, [place]
        while new:
            for user in self.users[new.pop()] & self.kernels:
                if user not in found:
                    found.add(user)
                    new.append(user)
        return found

    def mentioned(self, text: str) -> set[str]:
        """Places that other code, a test, calls by a name it has imported."""
        tree = ast.parse(text)
        known = self._imported(tree)
        return {self.resolved(place) for part in ast.walk(tree) if (place := self._meant(part, known))}

    def distances(self, places: Iterable[str], most: int) -> dict[str, int]:
        """How many calls away from these places their users are, up to so many."""
        found = dict.fromkeys(places, 0)
        new = set(found)
        for far in range(1, most + 1):
            new = {user for place in new for user in self.users[place]} - set(found)
            found |= dict.fromkeys(new, far)
        return found

    def _imported(self, tree: ast.Module) -> dict[str, str]:
        known: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("poise"):
                for alias in node.names:
                    module = self._file(f"{node.module}.{alias.name}")
                    here = self._file(node.module)
                    if module or here:
                        known[alias.asname or alias.name] = module or f"{here}::{alias.name}"
            elif isinstance(node, ast.Import) and any(alias.name == "poise" for alias in node.names):
                known["poise"] = "__init__.py"
        return known

    def _known(self, file: str) -> dict[str, str]:
        """What names of a module mean: places, or files of other modules."""
        known = self._imported(self._trees[file])
        for node in self._trees[file].body:
            for name in _defined(node):
                known[name] = f"{file}::{name}"
        return known

    def _file(self, module: str) -> str:
        stem = "/".join(module.split(".")[1:])
        for file in (f"{stem}.py", f"{stem}/__init__.py".lstrip("/")):
            if file in self._trees:
                return file
        return ""

    def resolved(self, place: str) -> str:
        """Where a place is really defined, if a package only passes it on."""
        for _ in range(5):
            file, _, name = place.partition("::")
            onward = self._names.get(file, {}).get(name, place)
            if onward == place or "::" not in onward:
                return place
            place = onward
        return place

    def _read(self, file: str, tree: ast.Module) -> None:
        for node in tree.body:
            names = _defined(node)
            if isinstance(node, ast.ClassDef):
                self.classes.add(f"{file}::{node.name}")
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._mentions(file, node.name, node)
                if isinstance(node, ast.FunctionDef) and any(_is_kernel(d) for d in node.decorator_list):
                    self.kernels.add(f"{file}::{node.name}")
            elif names:
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    self.constants[file, line] = [f"{file}::{n}" for n in names]
                for name in names:
                    self._mentions(file, name, node)

    def _mentions(self, file: str, name: str, node: ast.AST) -> None:
        known = self._names[file]
        for part in ast.walk(node):
            place = self._meant(part, known)
            if place and (place := self.resolved(place)) != f"{file}::{name}":
                self.users[place].add(f"{file}::{name}")

    def _meant(self, part: ast.AST, known: dict[str, str]) -> str:
        """The place that a name stands for, or a name of a module."""
        place = ""
        if isinstance(part, ast.Name):
            place = known.get(part.id, "")
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            module = known.get(part.value.id, "")
            place = f"{module}::{part.attr}" if module and "::" not in module else ""
        return place if "::" in place else ""


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _is_kernel(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in ("kernel", "_intrinsic", "njit")
