"""Verbs made from declarations: ``poise VERB INPUT -o OUTPUT --option VALUE``, the same way everywhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli.complaints import Asked, by_option
from poise.cli.inputs import FILES, INPUT_HELP, AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.option_help import help_of, option, plain
from poise.cli.outputs import (
    Force,
    Fresh,
    Output,
    Told,
    is_standard,
    options_for,
    reports_to,
    tell_losses,
    written,
)
from poise.cli.progress import progress
from poise.cli.terminal import print
from poise.cli.typed_values import flag, from_file, typed
from poise.errors import InputError
from poise.operations.declare import Field, Operation, fields_of, name_of
from poise.operations.decoding import converted

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.operations.result import Result

LOUD = ".mp4"
"""Films that can have sound."""

AUTO = "auto"
"""A word for what only the motion decides."""


def verb(operation: type[Operation]) -> Callable[..., None]:
    """The command of an operation, for Typer."""
    fields = shown_fields(operation)

    def run(**given: Any) -> None:
        _run(operation, fields, given)

    kinds = {**_files(operation), **{_key(f): option(f) for f in fields}, **_common(operation)}
    defaults = dict.fromkeys(kinds) | {
        "source": Parameter.empty, "fresh": False, "force": False, "as_json": False,
    }  # fmt: skip
    if operation.MAKES == "motion":
        defaults["output"] = Parameter.empty
    run.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(n, Parameter.KEYWORD_ONLY, annotation=k, default=defaults[n]) for n, k in kinds.items()]
    )
    run.__annotations__ = kinds
    run.__doc__ = help_of(operation, fields)
    run.__name__ = name_of(operation)
    return run


def shown_fields(operation: type[Operation]) -> list[Field]:
    """Options that a command has: not what goes without saying of a clip, nor what its argument must be."""
    implied = set(operation.on_a_clip())
    if operation.INPUT == "never":
        implied.add(operation.ARGUMENT)
    return [field for field in fields_of(operation) if field.name not in implied]


def _key(field: Field) -> str:
    """The parameter's name: options must not take the place of what all verbs have."""
    return f"option_{field.name}"


def _files(operation: type[Operation]) -> dict[str, Any]:
    metavar = operation.ARGUMENT.upper() or "CLIP"
    words = (
        INPUT_HELP
        if not operation.ARGUMENT
        else f"{operation.ARGUMENT_HELP} @- reads JSON from standard input."
    )
    found: dict[str, Any] = {"source": Annotated[str, typer.Argument(metavar=metavar, help=plain(words))]}
    return found | ({"output": Output} if operation.MAKES == "motion" else {})


def _common(operation: type[Operation]) -> dict[str, Any]:
    def extra(name: str, metavar: str, words: str) -> Any:
        return Annotated[Path | None, typer.Option(name, metavar=metavar, help=words, rich_help_panel=FILES)]

    found: dict[str, Any] = {}
    seen = ", with what carries it" if operation.PLOTS else ""
    found["picture"] = extra("--picture", "PNG", f"Also draw a strobed still{seen}.")
    found["sheet"] = extra("--sheet", "PNG", f"Also draw a contact sheet of frames{seen}.")
    loud = ", with sound (MP4)" if operation.SOUNDS else ""
    found["film"] = extra("--film", "MP4|GIF", f"Also film it{seen}{loud}.")
    if operation.SOUNDS:
        words = "Keep its sound; with --film, play this file instead if it exists."
        found["sound"] = extra("--sound", "WAV", words)
    if operation.PLOTS:
        found["plot"] = extra("--plot", "PNG|PDF|SVG", "Also draw one page of curves.")
    found |= {"as_json": Told, "animation": AnimationOption, "read_options": ReadOptions}
    return found | ({"fresh": Fresh} if operation.MAKES == "motion" else {}) | {"force": Force}


def _run(operation: type[Operation], fields: list[Field], given: dict[str, Any]) -> None:
    name, made = name_of(operation), _refused(given)
    clip, options = _source(operation, given)
    asked = _options(name, fields, given, clip, options)
    with by_option(name, fields, asked):
        wanted = converted({"do": name, **operation.accepting(options)}, operation, name)
        wanted.check()
        _refuse_idle(wanted, asked)
        if operation.DOCUMENT and given["output"].suffix.lower() == ".json":
            _refuse_without_motion(given)
            _document(wanted, clip).save(given["output"])
            print(given["output"])
            return
        result = _done(wanted, clip)
    if operation.MAKES == "motion":
        _write(result, given)
    _show(result, given)
    if given.get("plot") is not None:
        result.plot(given["plot"])
    out = reports_to(given.get("output"))
    if given["as_json"]:
        from poise.operations.frozen_data import finite

        facts = result.facts() | {"output": [str(path) for path in made]}
        print(json.dumps(finite(facts), indent=2, ensure_ascii=False), file=out)
    else:
        print(result, *(path for path in made if not is_standard(path)), sep="\n", file=out)
    if not result.met:
        raise typer.Exit(1)


def _refused(given: dict[str, Any]) -> list[Path]:
    """What is to be written, which must not be there; a sound that is there is one to be played."""
    film, sound = given.get("film"), given.get("sound")
    refuse_silent(film, sound)
    played = film is not None and sound is not None and sound.is_file()
    names = ("output", "picture", "sheet", "film", "plot") + (() if played else ("sound",))
    found = [given[name] for name in names if given.get(name) is not None]
    for path in found:
        refuse_overwriting(path, given["force"])
    return found


def _source(operation: type[Operation], given: dict[str, Any]) -> tuple[Clip | None, dict[str, Any]]:
    """The motion that the argument names, or the options that it stands for."""
    source = given["source"]
    if operation.ARGUMENT and source.startswith("@"):
        options: dict[str, Any] | None = {operation.ARGUMENT: from_file(source[1:])}
    else:
        options = operation.from_argument(source)
    if options is None:
        return read(source, given["read_options"], given["animation"]), operation.on_a_clip()
    for name, value in (("animation", given["animation"]), ("read", given["read_options"])):
        if value:
            raise InputError(f"--{name} does not apply: {source} is not a clip")
    return None, options


def _options(
    name: str, fields: list[Field], given: dict[str, Any], clip: Clip | None, options: dict[str, Any]
) -> dict[str, Asked]:
    """Put what was typed among the options; what was asked for by name."""
    part = next((str((given[_key(f)] or [f.default])[0]) for f in fields if f.name == "part"), "body")
    asked = {}
    for field in fields:
        value = given[_key(field)]
        if value is None:
            continue
        if field.name in options:
            raise InputError(f"--{flag(field)} does not apply: {given['source']} sets it already")
        texts: list[str] = []
        if not isinstance(value, bool):
            value, texts = typed(field, list(value), clip, part)
        options[field.name] = value
        asked[field.name] = Asked(field, tuple(texts))
    for field in fields:
        if field.required and field.name not in options:
            raise InputError(f"{name} needs --{flag(field)} {field.form}")
    return asked


def _refuse_idle(wanted: Operation, asked: Mapping[str, Asked]) -> None:
    """An option that would do nothing is a mistake, and said so."""
    known = {field.name: field for field in fields_of(type(wanted))}
    for field, _ in asked.values():
        for other, value in field.shown.get("when", {}).items():
            is_so = getattr(wanted, other)
            if is_so == AUTO or _is(is_so, value):
                continue
            if other in wanted.on_a_clip():
                needs = f"a clip as {wanted.ARGUMENT.upper()}"
            elif isinstance(value, bool):
                needs = f"--{'' if value else 'no-'}{flag(known[other])}"
            else:
                needs = f"--{flag(known[other])} {' or '.join(value) if isinstance(value, tuple) else value}"
            raise InputError(f"--{flag(field)} has no effect without {needs}")


def _is(found: Any, wanted: Any) -> bool:
    """Whether an option is what another one asks of it: given at all, a value, or one of several."""
    if isinstance(wanted, bool):
        return bool(found) is wanted
    return found in wanted if isinstance(wanted, tuple) else bool(found == wanted)


def _refuse_without_motion(given: dict[str, Any]) -> None:
    for name in ("picture", "sheet", "film", "sound", "fresh", "as_json"):
        if given.get(name):
            option_name = name.removeprefix("as_")
            raise InputError(f"--{option_name} needs a motion, and {given['output'].name} holds none")


def _done(operation: Operation, clip: Clip | None) -> Result:
    from poise.operations.running import do

    with progress(operation.do) as told:
        done: Result = do(operation, clip, progress=lambda part: told(round(1000 * part), 1000))
    return done


def _document(operation: Operation, clip: Clip | None) -> Any:
    from poise.operations.running import document

    return document(operation, clip)


def _write(result: Result, given: dict[str, Any]) -> None:
    from poise.formats.registry import IN_PLACE

    output = given["output"]
    fresh = given["fresh"] or (result.anew and output.suffix.lower() in IN_PLACE)
    options = options_for(output, fresh=fresh)
    written(output, lambda path: result.save(path, **options))
    tell_losses(result.clip, output, fresh=fresh)


def _show(result: Result, given: dict[str, Any]) -> None:
    """Pictures, films and sounds that were asked for."""
    sound = given.get("sound")
    if given["picture"] is not None:
        draw(result, given["picture"])
    if given["sheet"] is not None:
        draw_sheet(result, given["sheet"])
    if given["film"] is not None:
        film(result, given["film"], sound)
    elif sound is not None:
        hear(result, sound)


def refuse_silent(film: Path | None, sound: Path | None) -> None:
    """Sound that nobody would hear is a mistake, and said so."""
    if film is not None and sound is not None and film.suffix.lower() != LOUD:
        raise InputError(f"--sound needs a film with sound ({LOUD}), not {film.name}")


def draw(result: Result, path: Path) -> None:
    """A strobed still."""
    from poise import pictures

    pictures.save_png(pictures.strobe(result.shown, **result.drawn()), path)


def draw_sheet(result: Result, path: Path) -> None:
    """A contact sheet."""
    from poise import pictures

    pictures.save_png(pictures.sheet(result.shown, before=result.as_it_was, **result.filmed()), path)


def film(result: Result, path: Path, sound: Path | None) -> None:
    """A film, with what is heard: the sound of a file that is there, else the result's own."""
    from poise import pictures

    with TemporaryDirectory() as folder, progress(f"filming {path.name}") as told:
        heard = sound if sound is not None and sound.is_file() else None
        if heard is None:
            heard = result.sound(Path(folder) / "sound.wav" if sound is None else sound)
        loud = path.suffix.lower() == LOUD
        heard_along = heard if loud else None
        before = result.as_it_was
        pictures.video(result.shown, path, before=before, sound=heard_along, progress=told, **result.filmed())
    if heard is not None and not loud:
        print(f"poise: {path.name} is silent; write an {LOUD} to hear it", file=sys.stderr)


def hear(result: Result, path: Path) -> None:
    """The sound alone."""
    if result.sound(path) is None:
        raise InputError("--sound: this result has no sound; only scripts with keys have")
