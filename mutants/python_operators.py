"""All small breakages of a Python file, from its syntax tree.

Left alone: docstrings and other strings, annotations, what is raised, asserted or printed, decorators, and
numbers so small that they only keep divisions from failing. Boundaries (``<`` against ``<=``) are moved where
whole numbers are compared: no real number is likely to lie on one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from mutants.mutation import Mutation

COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", ">="), ast.LtE: ("<=", ">"), ast.Gt: (">", "<="), ast.GtE: (">=", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
MOVED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
}  # fmt: skip
SWAPPED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"),
}  # fmt: skip
OTHERS = {
    "min": "max", "minimum": "maximum", "any": "all", "argmin": "argmax", "floor": "ceil", "sin": "cos",
    "zeros": "ones", "cumsum": "cumprod",
}  # fmt: skip
OTHERS |= {b: a for a, b in OTHERS.items()}
ALIKE = (
    "min",
    "max",
    "minimum",
    "maximum",
    "isinstance",
    "getattr",
    "hasattr",
    "zip",
    "isin",
    "hypot",
    "allclose",
)
"""Calls whose arguments may be exchanged, or must not be."""
SAID = ("print", "warn", "debug", "info", "warning", "append_note", "echo")
TINY = 1e-5
"""Numbers below this only keep others from being zero."""


def mutations(root: Path, file: str) -> list[Mutation]:
    """Every breakage of a file below the root, in the order of the text."""
    source = (root / file).read_bytes()
    return sorted(set(_Finder(file, source).found), key=lambda m: (m.start, m.what))


class _Finder(ast.NodeVisitor):
    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.scope: list[str] = []
        self.depth = 0
        self.open: set[int] = set()
        """Numbers that only say that a dimension is left open: numpy takes any that is negative."""
        self.found: list[Mutation] = []
        self.visit(ast.parse(source))

    # Places and texts ----------------------------------------------------------------------------------

    def at(self, node: ast.AST) -> tuple[int, int]:
        n: ast.expr = node  # type: ignore[assignment]
        assert n.end_lineno is not None
        assert n.end_col_offset is not None
        return self.starts[n.lineno - 1] + n.col_offset, self.starts[n.end_lineno - 1] + n.end_col_offset

    def text(self, node: ast.AST) -> str:
        start, end = self.at(node)
        return self.source[start:end].decode()

    def put(
        self, node: ast.AST, text: str, what: str | None = None, span: tuple[int, int] | None = None
    ) -> None:
        start, end = span or self.at(node)
        old = " ".join(self.source[start:end].decode().split())
        told = what or f"{old} → {text}"
        line = self.source[:start].count(b"\n") + 1
        self.found.append(Mutation(self.file, start, end, text, told, line, ".".join(self.scope)))

    def between(self, left: ast.AST, right: ast.AST, old: str) -> tuple[int, int] | None:
        """Where an operator stands between its operands."""
        first, last = self.at(left)[1], self.at(right)[0]
        at = self.source.find(old.encode(), first, last)
        return None if at < 0 else (at, at + len(old))

    def exchanged(self, node: ast.AST, left: ast.AST, right: ast.AST, pair: tuple[str, str]) -> None:
        span = self.between(left, right, pair[0])
        if span is not None:
            a, b = (" ".join(self.text(side).split())[:40] for side in (left, right))
            self.put(node, pair[1], f"{a} {pair[0]} {b} → {pair[1]}", span)

    # What is looked into -------------------------------------------------------------------------------

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if self.scope and self.depth:
            self.scope.append("<locals>")
        self.scope.append(node.name)
        inner = not isinstance(node, ast.ClassDef)
        self.depth += inner
        if not isinstance(node, ast.ClassDef):
            for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.depth -= inner
        self.scope.pop()
        if self.scope and self.scope[-1] == "<locals>":
            self.scope.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _function

    def _nothing(self, node: ast.AST) -> None:
        pass

    visit_Raise = visit_Assert = visit_JoinedStr = visit_Import = visit_ImportFrom = _nothing

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        if "__all__" in names:
            return
        if self.depth and all(isinstance(t, ast.Subscript | ast.Attribute) for t in node.targets):
            self.put(node, "pass", f"without {self.text(node).splitlines()[0][:60]}")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        pair = SWAPPED.get(type(node.op))
        if pair is not None and pair[0] in "+-*/" and not _wordy(node.value):
            self.exchanged(node, node.target, node.value, (f"{pair[0]}=", f"{pair[1]}="))
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            if _name(node.value.func) in SAID:
                return
            self.put(node, "pass", f"without {self.text(node).splitlines()[0][:60]}")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negated(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negated(node.test)
        self.generic_visit(node)

    def _negated(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            self.put(test, f"(not ({self.text(test)}))", f"if {self.text(test)[:50]} → if not")

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for op, right in zip(node.ops, node.comparators):
            if type(op) in COMPARED:
                self.exchanged(node, left, right, COMPARED[type(op)])
            if type(op) in MOVED and (_whole(left) or _whole(right)):
                self.exchanged(node, left, right, MOVED[type(op)])
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        pair = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self.exchanged(node, node.values[0], node.values[1], pair)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        pair = SWAPPED.get(type(node.op))
        if pair is not None and not _wordy(node.left) and not _wordy(node.right):
            self.exchanged(node, node.left, node.right, pair)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        operand = node.operand
        if isinstance(node.op, ast.Not):
            self.put(node, f"({self.text(operand)})", f"not {self.text(operand)[:50]} → without not")
        elif isinstance(node.op, ast.USub):
            self.put(node, self.text(operand), f"{self.text(node)[:50]} → without the sign")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if id(node) in self.open:
            return
        if isinstance(value, bool):
            self.put(node, str(not value))
        elif isinstance(value, int):
            self.put(node, str(value + 1))
        elif isinstance(value, float) and (value == 0 or abs(value) > TINY) and abs(value) < 1e15:
            self.put(node, "1.0" if value == 0 else repr(2 * value))

    def visit_Continue(self, node: ast.Continue) -> None:
        self.put(node, "pass")

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if name in SAID:
            return
        if name == "reshape":
            self.open |= {id(a.operand) for a in ast.walk(node) if isinstance(a, ast.UnaryOp)}
        if name in OTHERS:
            end = self.at(node.func)[1]
            self.put(node, OTHERS[name], f"{self.text(node)[:50]} → {OTHERS[name]}", (end - len(name), end))
        first = node.args[:2]
        plain = all(isinstance(a, ast.Name | ast.Attribute | ast.Subscript) for a in first)
        if len(first) == 2 and plain and name not in ALIKE and self.text(first[0]) != self.text(first[1]):
            a, b = self.text(first[0]), self.text(first[1])
            span = self.at(first[0])[0], self.at(first[1])[1]
            self.put(node, f"{b}, {a}", f"{name}({a}, {b}) → {name}({b}, {a})", span)
        self.generic_visit(node)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _wordy(node: ast.expr) -> bool:
    """Strings and lists: what is done with numbers would only fail on them."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)


def _whole(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return _name(node.func) == "len"
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def walk(root: Path) -> Iterator[str]:
    """Files of the package that hold code, from the root of the checkout."""
    for path in sorted((root / "src" / "poise").rglob("*.py")):
        parts = path.relative_to(root / "src" / "poise").parts
        if "node_modules" not in parts and path.name != "version.py":
            yield path.relative_to(root).as_posix()
