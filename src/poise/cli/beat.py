"""``poise beat``: a simulated performance that is on time, whatever happens on the way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.cli.inputs import AnimationOption, ReadOptions, read, refuse_overwriting
from poise.cli.outputs import Fresh, write
from poise.cli.terminal import print
from poise.errors import InputError

if TYPE_CHECKING:
    from poise.character import Character
    from poise.methods.perform import Machine, Result, Script
    from poise.methods.perform.simulate.perturbation import Perturbation
    from poise.motion import Clip

SOURCE_HELP = (
    "A script (JSON or TOML file, or a bundled one: conducting, ymca), or a clip to follow (a file or a "
    "bundled clip)."
)
LIMITS_HELP = 'Torque limits [N·m]: one number, or by joint or limb: "*=200,right arm=60".'
BEATS_HELP = "Move keys to beats: a tempo, a MIDI file, or a WAV file to listen to."


def beat(
    source: Annotated[str, typer.Argument(metavar="SCRIPT", help=SOURCE_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUTPUT", help="File to write the motion to.")],
    control: Annotated[str, typer.Option(help="full, composite, local or manual.")] = "full",
    style: Annotated[
        str, typer.Option(help="snappy, lively, smooth, settled, or a number n > 2.")
    ] = "smooth",
    root: Annotated[str | None, typer.Option(help="fixed, prescribed (by a clip) or free.")] = None,
    gravity: Annotated[bool, typer.Option("--gravity/--no-gravity", help="Whether things weigh.")] = True,
    limits: Annotated[str | None, typer.Option(help=LIMITS_HELP)] = None,
    beats: Annotated[str | None, typer.Option(help=BEATS_HELP)] = None,
    hit: Annotated[list[str] | None, typer.Option(help="A blow: POINT@TIME=X,Y,Z [N·s]. Repeatable.")] = None,
    push: Annotated[
        list[str] | None, typer.Option(help="A push: POINT@FROM-TO=X,Y,Z [N]. Repeatable.")
    ] = None,
    load: Annotated[
        list[str] | None, typer.Option(help="A weight: BODY@TIME=KG or BODY@TIME=KG,X,Y,Z. Repeatable.")
    ] = None,
    throw: Annotated[
        list[str] | None,
        typer.Option(help="A ball thrown at POINT, there at TIME: POINT@TIME=X,Y,Z[,KG] [m/s]. Repeatable."),
    ] = None,
    recovery: Annotated[float, typer.Option(help="Back on a clip so long after a blow [s].")] = 0.3,
    duration: Annotated[float | None, typer.Option(help="How long to perform [s].")] = None,
    step: Annotated[float, typer.Option(help="Longest step of the simulation [s].")] = 0.002,
    fps: Annotated[str | None, typer.Option(help="Frames per second of OUTPUT.")] = None,
    tolerance: Annotated[float, typer.Option(help="What counts as on time [°].")] = 0.1,
    film: Annotated[
        Path | None, typer.Option(help="Also film it, with sound (MP4), or silent (GIF).")
    ] = None,
    sound: Annotated[
        Path | None,
        typer.Option(help="For the film: this WAV, written with a note per key if it is not there."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Also draw a strobed still (PNG).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    animation: AnimationOption = None,
    read_options: ReadOptions = None,
    fresh: Fresh = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
) -> None:
    """Simulate a character that goes from key to key, or follows a clip, and arrives on time.

    Exit status 1 if a key was missed; the report says which, by how much, and which joints were too weak.
    """
    from poise.methods import perform as timing

    for path in (target, film, picture):
        if path is not None:
            refuse_overwriting(path, force)
    script, performer = _performance(source, read_options, animation)
    if beats is not None:
        if not isinstance(script, timing.Script):
            raise InputError("only a script of keys can be moved to beats")
        script = script.quantised(_beats(beats, script.time))
    weight = (0.0, 0.0, -9.81 if gravity else 0.0)

    def perform(what: list[Perturbation]) -> Result:
        return timing.play(
            performer, script if script is not None else (), control=control, style=_style(style), root=root,
            gravity=weight, limits=_limits(limits), perturbations=what, step=step, fps=fps, duration=duration,
            recovery=recovery, tolerance=tolerance,
        )  # fmt: skip

    happens = _perturbations(hit, push, load)
    if throw:
        happens += _throws(throw, perform(happens), weight)
    result = perform(happens)
    write(result.clip, target, fresh=fresh)
    written = [target]
    if film is not None:
        written += _filmed(result, script, film, sound)
    if picture is not None:
        from poise import pictures

        frames = [round(a.time * result.clip.fps) for a in result.arrivals][:8]
        image = pictures.strobe(result.clip, frames=frames or None, style="solid")
        written.append(pictures.save_png(image, picture))
    if as_json:
        print(result.report.to_json())
    else:
        print(result.report)
        print(*written, sep="\n")
    if not result.report.met:
        raise typer.Exit(1)


def _performance(
    source: str, read_options: Any, animation: str | None
) -> tuple[Script | Machine | None, Character | Clip]:
    """A script and its character, or a clip to follow."""
    from poise.methods import perform as timing
    from poise.methods.perform.script.file import bundled

    path = Path(source)
    if source in timing.bundled_names():
        path = bundled(source)
    if path.suffix.lower() in (".toml", ".json"):
        if animation is not None:
            raise InputError(f"{source} is a script of keys: --animation does not apply to it")
        script = timing.load(path)
        return script, script.character
    return None, read(source, read_options, animation)


def _filmed(result: Result, script: Any, film: Path, sound: Path | None) -> list[Path]:
    """The film, and the sound it was made with where it is kept."""
    from tempfile import TemporaryDirectory

    from poise import pictures
    from poise.cli.progress import progress
    from poise.methods import perform as timing

    keys = getattr(script, "keys", ())
    kept: list[Path] = []
    with TemporaryDirectory() as folder, progress(f"filming {film.name}") as done:
        heard = sound
        if heard is None or not heard.is_file():
            heard = sound or Path(folder) / "keys.wav"
            timed = keys if not callable(keys) else keys(result.clip.duration)
            notes = timing.sound.of_keys(timed)
            timing.sound.write(heard, timing.sound.render(notes, result.clip.duration + 0.5))
            kept = [heard] if sound is not None else []
        loud = film.suffix.lower() == ".mp4"
        pictures.video(result.clip, film, sound=heard if loud else None, progress=done)
        if not loud:
            print(f"{film.name} is silent: write an .mp4 to hear the beat", file=sys.stderr)
    return [film, *kept]


def _style(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _limits(text: str | None) -> float | dict[str, float] | None:
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        return {p.strip(): float(v) for p, v in (entry.split("=") for entry in text.split(","))}
    except ValueError:
        raise InputError(f'limits are written 200, or "*=200,right arm=60", not {text!r}') from None


def _beats(text: str, last: float) -> Any:
    from poise.methods.perform import Beats

    suffix = Path(text).suffix.lower()
    if suffix in (".mid", ".midi"):
        return Beats.from_midi(text)
    if suffix == ".wav":
        return Beats.from_wav(text)
    try:
        tempo = float(text)
    except ValueError:
        raise InputError(f"beats are a tempo, a .mid file or a .wav file, not {text!r}") from None
    count = 2 * (last + 2) * tempo / 60 + 4
    return Beats.at_tempo(tempo, int(count) if 4 < count < 1e6 else 1)


def _perturbations(
    hits: list[str] | None, pushes: list[str] | None, loads: list[str] | None
) -> list[Perturbation]:
    from poise.methods.perform import Impulse, Load, Push

    found: list[Perturbation] = []
    for text in hits or ():
        where, when, numbers = _parts(text, "a blow is written POINT@TIME=X,Y,Z", {3})
        found.append(Impulse(_number(when, text), where, numbers))
    for text in pushes or ():
        where, when, numbers = _parts(text, "a push is written POINT@FROM-TO=X,Y,Z", {3})
        first, _, last = when.partition("-")
        found.append(Push(_number(first, text), _number(last, text), where, numbers))
    for text in loads or ():
        where, when, numbers = _parts(text, "a weight is written BODY@TIME=KG or BODY@TIME=KG,X,Y,Z", {1, 4})
        found.append(Load(_number(when, text), where, numbers[0], numbers[1:] or (0.0, 0.0, 0.0)))
    return found


def _throws(texts: list[str], calm: Result, gravity: tuple[float, float, float]) -> list[Perturbation]:
    """Balls aimed at where points would be if nothing were thrown."""
    from poise.kinematics import Kinematics
    from poise.methods.perform import Throw

    found: list[Perturbation] = []
    for text in texts:
        where, when, numbers = _parts(
            text, "a throw is written POINT@TIME=X,Y,Z or POINT@TIME=X,Y,Z,KG", {3, 4}
        )
        at = _number(when, text)
        if not 0 < at <= calm.clip.duration:
            raise InputError(f"{text!r}: the performance lasts from 0 to {calm.clip.duration:.3g} s")
        place = Kinematics(calm.clip.character, calm.clip.at(at)).point(where)[0]
        mass, name = (numbers[3:] or [1.0])[0], f"ball {len(found) + 1}" if found else "ball"
        found.append(Throw.to_meet(place, at, numbers[:3], gravity=gravity, mass=mass, name=name))
    return found


def _parts(text: str, form: str, counts: set[int]) -> tuple[str, str, list[float]]:
    head, sign, tail = text.partition("=")
    where, at, when = head.partition("@")
    try:
        numbers = [float(x) for x in tail.split(",")]
    except ValueError:
        numbers = []
    if not (sign and at and where and when and len(numbers) in counts):
        raise InputError(f"{form}, not {text!r}")
    return where, when, numbers


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} in {whole!r} is no time in seconds") from None
