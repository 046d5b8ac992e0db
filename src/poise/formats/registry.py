"""The formats Poise reads and writes: one table, recognised by content first, by extension second.

A format is a module with

    load(path: Path, **options) -> Clip
    save(clip: Clip, path: Path, **options) -> None      (absent where the format is read only;
                                                          takes mesh clips too where ``meshes`` says so)
    losses(clip: Clip) -> tuple[str, ...]                (absent where nothing is lost; may take ``path``)
    left_behind(clip: Clip, *, skin: bool) -> str        (where clips keep their file: what else is in it)

named here by its dotted path and imported only when a file of its kind is met, so that an
optional dependency is missed only where it is used. ``save`` writes exactly one file, at the path
it is given, whole or not at all (:mod:`poise.files`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from poise.errors import FileFormatError, InputError, MissingDependencyError, UnknownNameError
from poise.extensions import extensions as offered
from poise.reading import is_forgiving, read_head

if TYPE_CHECKING:
    from poise.formats.options import ReadOptions, WriteOptions
    from poise.motion import Clip, MeshClip

HEAD = 4096
"""How many bytes of a file its ``sniff`` gets to see."""


@dataclass(frozen=True)
class Format:
    """One row of the table."""

    name: str
    title: str
    extensions: tuple[str, ...]
    """Lower case, with the dot; the first is the usual one."""
    sniff: Callable[[bytes], bool]
    """Whether a file that begins with these bytes is of this format."""
    module: str
    writes: bool = True
    meshes: bool = False
    """Whether mesh clips can be written too."""
    reads: bool = True
    needs: tuple[str, str] | None = None
    """A module that it needs, and how to get it."""
    holds: str = ""
    """What it holds of a file of another format beside bones and motion: "", "skin" or "everything"."""
    kept: tuple[str, ...] = ()
    """More extensions: of files whose contents Poise keeps, and does not make anew."""
    faces: bool = False
    """Whether its files have a front of their own, so that figures are turned to face x (see ``facing``)."""

    @property
    def present(self) -> bool:
        """Whether what writing needs is installed."""
        return self.needs is None or find_spec(self.needs[0]) is not None

    def load(self, path: Path, **options: object) -> Clip:
        """Read a file with the format's own module; figures face x."""
        from poise.formats.facing import faced

        front = str(options.pop("front", "auto")) if self.faces else ""
        if not self.faces and options.get("front") == "kept":  # they all are
            del options["front"]
        clip: Clip = _call(self, "load", path, **options)
        return faced(clip, front) if self.faces else clip

    @property
    def save(self) -> Callable[..., None] | None:
        """``save(clip, path, **options)``, or None where the format is read only."""
        if not self.writes:
            return None

        def write(clip: Clip | MeshClip, path: Path, **options: object) -> None:
            _call(self, "save", self.as_in_file(clip), path, **options)

        return write

    def as_in_file(self, clip: Clip | MeshClip) -> Clip | MeshClip:
        """The clip facing the way its file has it, where files of this format have a front."""
        from poise.formats.facing import unfaced
        from poise.motion import Clip

        return unfaced(clip) if self.faces and isinstance(clip, Clip) else clip


def _call(format: Format, verb: str, *arguments: Any, **options: object) -> Any:
    function = getattr(import_module(format.module), verb)
    known = signature(function).parameters.values()
    if not any(p.kind is Parameter.VAR_KEYWORD for p in known):
        names = [p.name for p in known if p.kind is Parameter.KEYWORD_ONLY]
        for option in options:
            if option not in names:
                where = f"{'reading' if verb == 'load' else 'writing'} {format.title} files"
                raise UnknownNameError("option", option, names, where=where)
    return function(*arguments, **options)


def _text(head: bytes) -> bytes:
    """The beginning of a text file without byte-order mark, leading blanks and comment lines, lower case."""
    lines = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"\n").split(b"\n")
    kept = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith((b"#", b"//"))]
    return b"\n".join(kept).lower()


def _is_bvh(head: bytes) -> bool:
    return _text(head).startswith(b"hierarchy")


def _is_asf(head: bytes) -> bool:
    text = _text(head)
    return text.startswith(b":") and any(key in text for key in (b":units", b":root", b":bonedata"))


def _is_amc(head: bytes) -> bool:
    text = _text(head)
    return text.startswith((b":fully-specified", b":degrees", b":radians"))


def _is_gltf(head: bytes) -> bool:
    return head.startswith(b"glTF") or (_text(head).startswith(b"{") and b'"asset"' in head)


def _is_mjcf(head: bytes) -> bool:
    return b"<mujoco" in head and _text(head).startswith(b"<")


def _is_urdf(head: bytes) -> bool:
    return b"<robot" in head and _text(head).startswith(b"<")


def _never(head: bytes) -> bool:
    return False


def _is_native(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04") and b".npy" in head


def _is_fbx(head: bytes) -> bool:
    return head.startswith(b"Kaydara FBX Binary") or (b"FBXHeaderExtension" in head)


_STAGES = (b".usda", b".usdc", b".usd")


def _is_usd(head: bytes) -> bool:
    stage = head.startswith(b"PK\x03\x04") and any(e in head[30:300].lower() for e in _STAGES)
    return head.startswith((b"#usda", b"PXR-USDC")) or stage


def _is_c3d(head: bytes) -> bool:
    from poise.formats.captures.c3d import is_c3d

    return is_c3d(head)


def _is_trc(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(b"pathfiletype")


def _is_npy(head: bytes) -> bool:
    return head.startswith(b"\x93NUMPY")


def _is_pickle(head: bytes) -> bool:
    whole = head[:1] == b"\x80" and head[1:2] in (b"\2", b"\3", b"\4", b"\5")
    return whole or (head.startswith(b"PK\x03\x04") and b"/data.pkl" in head)


_ACCLAIM = "poise.formats.asf_amc"
USD = "pxr", "pip install 'poise[usd]'"
FORMATS: tuple[Format, ...] = (
    Format("bvh", "BVH", (".bvh",), _is_bvh, "poise.formats.bvh", faces=True),
    Format("asf", "ASF (Acclaim skeleton)", (".asf",), _is_asf, _ACCLAIM, writes=False, faces=True),
    Format("amc", "AMC (Acclaim motion)", (".amc",), _is_amc, _ACCLAIM, writes=False, faces=True),
    Format(
        "gltf",
        "glTF",
        (".glb", ".gltf"),
        _is_gltf,
        "poise.formats.gltf",
        meshes=True,
        holds="skin",
        kept=(".vrm", ".vrma"),
        faces=True,
    ),
    Format("fbx", "FBX", (".fbx",), _is_fbx, "poise.formats.fbx", holds="skin", faces=True),
    Format("mjcf", "MJCF (MuJoCo)", (".xml", ".mjcf"), _is_mjcf, "poise.formats.mjcf"),
    Format("urdf", "URDF", (".urdf",), _is_urdf, "poise.formats.urdf", writes=False),
    Format(
        "robot_motion",
        "a robot's motion",
        (".csv", ".gmr.npz", ".beyondmimic.npz", ".protomotions.npz"),
        _never,
        "poise.formats.robot_motion",
        reads=False,
    ),
    Format(
        "npz",
        "NPZ (Poise's own, AMASS, joints)",
        (".npz",),
        _is_native,
        "poise.formats.native",
        meshes=True,
        holds="everything",
    ),
    Format(
        "usd",
        "USD",
        (".usd", ".usda", ".usdc", ".usdz"),
        _is_usd,
        "poise.formats.usd",
        meshes=True,
        needs=USD,
        holds="skin",
        faces=True,
    ),
    Format("npy", "joint positions (NumPy)", (".npy",), _is_npy, "poise.formats.joint_arrays", writes=False),
    Format("trc", "TRC (markers)", (".trc",), _is_trc, "poise.formats.captures"),
    Format("c3d", "C3D (markers)", (".c3d",), _is_c3d, "poise.formats.captures", writes=False),
)
"""Poise's own, in the order in which contents are tried."""


IN_PLACE = (".glb", ".gltf", ".vrm", ".vrma", ".fbx", ".usd", ".usda", ".usdc", ".usdz")
"""Files that hold more than a clip: users' own are edited in place unless they are to be written fresh."""


def every_format() -> Iterator[Format]:
    """Poise's own formats, then those of other packages, which are looked for only where these do not do."""
    yield from FORMATS
    yield from offered("poise.formats").values()


def extensions(*, writing: bool = False) -> tuple[str, ...]:
    """All extensions that can be read, or of which new files can be written with what is installed."""
    if writing:
        return tuple(e for f in every_format() if f.writes and f.present for e in f.extensions)
    return tuple(e for f in every_format() if f.reads for e in (*f.extensions, *f.kept))


def format_of(path: str | Path) -> Format:
    """The format of an existing file: by its content, else by its extension."""
    path = Path(path)
    head = read_head(path, HEAD)
    if not head.strip(b"\xef\xbb\xbf \t\r\n\0"):
        raise FileFormatError(path, "the file is empty")
    for format in every_format():
        if format.sniff(head):
            return format
    for format in every_format():
        if format.reads and path.suffix.lower() in (*format.extensions, *format.kept):
            return format
    if b"endheader" in head.lower():
        raise FileFormatError(
            path,
            "an OpenSim table (MOT, STO) has no motion of joints or markers; poise info lists its contents, "
            "and poise.formats.captures.mot.load_forces reads its forces",
        )
    if _is_pickle(head):
        raise FileFormatError(
            path,
            "a pickle of Python objects (as PyTorch and SMPL's tools write them) can run code when opened, "
            "so Poise does not open it; save its arrays instead, "
            "np.savez('motion.npz', poses=…, trans=…, mocap_framerate=30)",
        )
    from poise.formats.strangers import refuse_known

    refuse_known(path)
    listed = ", ".join(f"{f.title} ({' '.join(f.extensions)})" for f in every_format() if f.reads)
    raise FileFormatError(path, f"not a format Poise knows; it reads {listed}")


def load(path: str | Path, *, lenient: bool = False, **options: Unpack[ReadOptions]) -> Clip:
    """Read a clip from any file Poise knows. A file is read whole or not at all.

    Args:
        path: The file; its content says what it is, then its extension.
        lenient: Whether what is there of files that do not quite add up is read, where the format knows how.
            The clip's notes say what was left out.
        **options: The format's own, as the fields of `ReadOptions`.

    Returns:
        Clip: The motion, in metres with z up.

    Raises:
        FileFormatError: The file cannot be understood; the message names it, the line and what was expected.
        InputError: An option does not apply to files of that kind.
        MissingDependencyError: The format needs an extra that is not installed.

    Examples:
        >>> clip = poise.load("walk.bvh")
    """
    path = Path(path)
    format = format_of(path)
    asked = lenient or is_forgiving()
    knows = asked and "lenient" in signature(import_module(format.module).load).parameters
    return format.load(path, **options, **({"lenient": True} if knows else {}))


def losses(clip: Clip, path: str | Path, **options: Unpack[WriteOptions]) -> tuple[str, ...]:
    """What a file could not hold of a clip, and of the file it came from. Nothing is written.

    Args:
        clip: The motion.
        path: Of the file that would be written.
        **options: The format's own, as the fields of `WriteOptions`.

    Returns:
        tuple[str, ...]: In words; empty if nothing would be lost.

    Raises:
        InputError: There is no such format, or an option does not apply to it.

    Examples:
        >>> print(poise.formats.losses(poise.clips.get("walk"), "walk.bvh"))
    """
    format = format_to_write(path)
    tell = getattr(import_module(format.module), "losses", None)
    known = signature(tell).parameters if tell is not None else ()
    given = {k: v for k, v in options.items() if k in known} | ({"path": path} if "path" in known else {})
    told = tuple(tell(format.as_in_file(clip), **given)) if tell is not None else ()
    source = clip.source
    origin = next((f for f in every_format() if source is not None and f.name == source.format), None)
    if source is None or origin is None or origin is format or format.holds == "everything":
        return told
    behind = getattr(import_module(origin.module), "left_behind", None)
    rest = behind(clip, skin=format.holds == "skin") if behind is not None else ""
    return (*told, f"of {Path(source.path).name} are left out: {rest}") if rest else told


def format_to_write(path: str | Path) -> Format:
    """The format of a file that is to be written: by its extension."""
    suffix, name = Path(path).suffix.lower(), Path(path).name.lower()
    ends = [(e, f) for f in every_format() for e in (*f.extensions, *f.kept)]
    able = [(len(e), f) for e, f in ends if name.endswith(e) and name != e]
    format = max(able, key=lambda each: each[0])[1] if able else None
    if format is not None and format.needs is not None and not format.present:
        raise MissingDependencyError(format.needs[0], f"writing {format.title} files", format.needs[1])
    if format is not None and format.writes:
        return format
    only = f"{format.title} files can only be read" if format else f"no format has the extension {suffix!r}"
    raise InputError(f"cannot write {path}: {only} (Poise writes {', '.join(extensions(writing=True))})")


def save(clip: Clip | MeshClip, path: str | Path, **options: Unpack[WriteOptions]) -> Path:
    """Write a clip or a mesh clip; the extension decides the format.

    What stood at ``path`` before is replaced whole or, if anything goes wrong, not at all.

    Args:
        clip: The motion.
        path: The file.
        **options: The format's own, as the fields of `WriteOptions`.

    Returns:
        Path: The file.

    Raises:
        InputError: There is no such format, or an option does not apply to it.
        MissingDependencyError: The format needs an extra that is not installed.

    Examples:
        >>> poise.save(poise.clips.get("walk"), "walk.glb")
    """
    path = Path(path)
    format = format_to_write(path)
    if not format.meshes and not hasattr(clip, "character"):
        listed = ", ".join(e for f in every_format() if f.meshes for e in f.extensions)
        raise InputError(
            f"cannot write {path}: a mesh that moves has no skeleton; it can be written as {listed}"
        )
    _call(format, "save", format.as_in_file(clip), path, **options)
    return path
