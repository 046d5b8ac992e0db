"""Verbs made from declarations: ``poise VERB INPUT -o OUTPUT --option VALUE``, the same way everywhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli.inputs import FILES, INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.outputs import DOCUMENTS, Fresh, options_for, tell_losses
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.cli.typed_values import flag, typed
from poise.errors import InputError
from poise.operations.declare import Field, Operation, fields_of, name_of
from poise.operations.decoding import converted

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.operations.result import Result

EVERYTHING = "--help-all"
"""Shows options for experts too."""


def verb(operation: type[Operation]) -> Callable[..., None]:
    """The command of an operation, for Typer."""
    fields = fields_of(operation)

    def run(**given: Any) -> None:
        _run(operation, fields, given)

    kinds = {**_files(operation), **{_key(f): _option(f) for f in fields}, **_common(operation)}
    defaults = dict.fromkeys(kinds) | {
        "source": Parameter.empty, "fresh": False, "force": False, "as_json": False,
    }  # fmt: skip
    if operation.MAKES == "motion":
        defaults["output"] = Parameter.empty
    run.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(n, Parameter.KEYWORD_ONLY, annotation=k, default=defaults[n]) for n, k in kinds.items()]
    )
    run.__annotations__ = kinds
    run.__doc__ = _doc(operation)
    run.__name__ = name_of(operation)
    return run


def _doc(operation: type[Operation]) -> str:
    words = " ".join((operation.__doc__ or "").split())
    ends = {
        "motion": "Exit status 1 if something that was asked for was missed; the report says what and why.",
        "report": "Exit status 1 if something in it is impossible; the report says what, when and how much.",
    }
    examples = "\n\n".join(f"  poise {each}" for each in operation.EXAMPLES)
    return f"{words}\n\n{ends[operation.MAKES]}\n\nExamples:\n\n{examples}".replace("[", "\\[")


def _key(field: Field) -> str:
    """The parameter's name: options must not take the place of what all verbs have."""
    return f"option_{field.name}"


def _files(operation: type[Operation]) -> dict[str, Any]:
    metavar = operation.ARGUMENT.upper() or "CLIP"
    words = INPUT_HELP if not operation.ARGUMENT else operation.ARGUMENT_HELP
    found: dict[str, Any] = {"source": Annotated[str, typer.Argument(metavar=metavar, help=_plain(words))]}
    if operation.MAKES == "motion":
        found["output"] = Annotated[
            Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.", rich_help_panel=FILES)
        ]
    return found


def _common(operation: type[Operation]) -> dict[str, Any]:
    def option(*names: str, metavar: str | None, words: str) -> Any:
        return typer.Option(*names, metavar=metavar, help=words, rich_help_panel=FILES)

    found: dict[str, Any] = {}
    if operation.MAKES == "motion":
        still = option("--picture", metavar="PNG", words="Also draw a strobed still.")
        film = option("--film", metavar="MP4|GIF", words="Also film it.")
        found |= {"picture": Annotated[Path | None, still], "film": Annotated[Path | None, film]}
    if operation.PLOTS:
        page = option("--plot", metavar="PNG|PDF|SVG", words="Also draw one page of curves.")
        found["plot"] = Annotated[Path | None, page]
    told = option("--json", metavar=None, words="Print the report as JSON.")
    found |= {"as_json": Annotated[bool, told], "animation": AnimationOption, "read_options": ReadOptions}
    if operation.MAKES == "motion":
        found["fresh"] = Fresh
    replace = option("--force", "-f", metavar=None, words="Replace files that exist.")
    return {**found, "force": Annotated[bool, replace]}


def _option(field: Field) -> Any:
    means = "; ".join(f"{word}: {what}" for word, what in field.shown.get("choices", {}).items())
    words = f"{field.line[:-1]} ({means})." if means else field.line
    words += f" Default: {field.usual}." if field.usual else ""
    words += " Repeatable." if field.repeated else ""
    hidden = bool(field.shown.get("expert")) and EVERYTHING not in sys.argv
    panel = str(field.shown.get("group") or "Options")
    name = f"--{flag(field)}"
    names = [name] if name == f"--{field.name.replace('_', '-')}" else [name, f"--{field.name}"]
    shared: dict[str, Any] = {
        "help": _plain(words), "show_default": False, "rich_help_panel": panel, "hidden": hidden
    }  # fmt: skip
    if field.type_is(bool):
        return Annotated[bool | None, typer.Option(f"{name}/--no-{flag(field)}", **shared)]
    return Annotated[list[str] | None, typer.Option(*names, metavar=field.form, **shared)]


def _plain(words: str) -> str:
    """Without what the terminal would take for markup."""
    return words.replace("[", "\\[")


def _run(operation: type[Operation], fields: list[Field], given: dict[str, Any]) -> None:
    written = [given.get(name) for name in ("output", "picture", "film", "plot")]
    for path in written:
        if path is not None:
            refuse_overwriting(path, given["force"])
    name = name_of(operation)
    clip, options = _source(operation, given)
    part = _part(fields, given)
    for field in fields:
        value = given[_key(field)]
        if value is None:
            continue
        if field.name in options:
            raise InputError(f"--{flag(field)} does not apply: {given['source']} says it")
        options[field.name] = value if isinstance(value, bool) else typed(field, list(value), clip, part)
    for field in fields:
        if field.required and field.name not in options:
            raise InputError(f"{name} needs --{flag(field)} {field.form}")
    made = converted({"do": name, **operation.accepting(options)}, operation, name)
    made.check()
    result = _done(made, clip)
    if operation.MAKES == "motion":
        _write(result, given)
    if given.get("plot") is not None:
        result.plot(given["plot"])
    if given["as_json"]:
        from poise.constraints.report import finite

        facts = result.facts() | {"output": [str(p) for p in written if p is not None]}
        print(json.dumps(finite(facts), indent=2, ensure_ascii=False))
    else:
        print(result)
        for path in filter(None, written):
            print(path)
    if not result.met:
        raise typer.Exit(1)


def _part(fields: list[Field], given: dict[str, Any]) -> str:
    """What of the motion is meant, where an operation asks."""
    for field in fields:
        if field.name == "part":
            return str((given[_key(field)] or [field.default])[0])
    return "body"


def _source(operation: type[Operation], given: dict[str, Any]) -> tuple[Clip | None, dict[str, Any]]:
    """The motion that the argument names, or the options that it stands for."""
    source, animation = given["source"], given["animation"]
    options = operation.from_argument(source)
    if options is None:
        return read(source, given["read_options"], animation), operation.on_a_clip()
    if animation is not None:
        raise InputError(f"{source} is no clip: --animation does not apply to it")
    return None, options


def _done(operation: Operation, clip: Clip | None) -> Result:
    from poise.operations.running import do

    with progress(operation.do) as told:
        done: Result = do(operation, clip, progress=lambda part: told(round(1000 * part), 1000))
    return done


def _write(result: Result, given: dict[str, Any]) -> None:
    output = given["output"]
    fresh = given["fresh"] or (result.anew and output.suffix.lower() in DOCUMENTS)
    result.save(output, **options_for(output, fresh=fresh))
    tell_losses(result.clip, output, fresh=fresh)
    if given["picture"] is not None:
        from poise import pictures

        pictures.save_png(pictures.strobe(result.shown, **result.drawn()), given["picture"])
    if given["film"] is not None:
        from poise import pictures

        with progress(f"filming {given['film'].name}") as told:
            meshes = [worn.mesh for worn in result.attached]
            pictures.video(result.shown, given["film"], meshes=meshes, progress=told)
