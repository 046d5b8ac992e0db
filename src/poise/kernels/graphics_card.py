"""A graphics card as a third target of kernels, beside floats and SIMD lanes.

Nothing is written twice: a card runs functions that the processor runs too, one thread for each item. They
are compiled for it by numba-cuda when first asked for and kept on disk beside the processor's kernels
(:mod:`poise.kernels.cache`). What they need comes from outside (a card's threads cannot make arrays), and
such memory is kept between calls.

Which device serves: what a call says, else ``on_device``, else ``POISE_DEVICE``, else the processor.

| device | meaning                                                                              |
|--------|--------------------------------------------------------------------------------------|
| cpu    | the processor                                                                        |
| cuda   | the card; an error where there is none                                               |
| auto   | the card, where there is one and the batch is large enough to gain by it             |
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from poise.errors import MissingDependencyError, PoiseError, UnknownNameError

DEVICES = ("cpu", "cuda", "auto")
VARIABLE = "POISE_DEVICE"
INSTALL = "pip install 'poise[gpu]'"
LEAVE_OUT = "or leave out the device"
_CONSTANTS = 32
"""Trees and the like that are kept on the card, those used last."""
REGISTERS = 64
"""Of each thread of a large batch. Left to the compiler they take more, and too few threads are at work to
hide how slow memory is: a fifth fewer states in a second, at 46 and at 180 degrees of freedom. With 48, too
much is put aside (H200). A small batch waits for its slowest thread, which is quicker with all it wants."""
THREADS = 512
"""For each processor of the card that a large batch keeps at work: half of what fits, which leaves each of
them twice the cache. A batch of half as many is small."""

cuda: Any = None
"""numba.cuda, once a card is asked for: it takes half a second to load."""
_wanted: ContextVar[str | None] = ContextVar("device", default=None)


class NoCardError(PoiseError):
    """A graphics card was asked for by name, and there is none that can be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"device 'cuda': {reason}; leave out the device, or take 'cpu' or 'auto'")


@contextmanager
def on_device(device: str | None) -> Iterator[None]:
    """Let what the calling thread starts inside the block use a device, where it is not told another."""
    before = _wanted.set(None if device is None else checked(device))
    try:
        yield
    finally:
        _wanted.reset(before)


def checked(device: str, where: str = "") -> str:
    """The device itself, if there is one of that name."""
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES, where=where)
    return device


def wanted(device: str | None = None) -> str:
    """Which device is asked for: by the call, the block around it, or the environment."""
    if device is not None:
        return checked(device)
    return _wanted.get() or checked(os.environ.get(VARIABLE) or "cpu", VARIABLE)


def serves(device: str | None, items: int, least: int) -> bool:
    """Whether a card takes a batch of so many items, of which ``least`` make it worth while."""
    asked = wanted(device)
    if asked == "cpu" or (asked == "auto" and items < least):
        return False
    problem = _problem()
    if problem is not None and asked == "cuda":
        raise problem
    return problem is None


@cache
def _problem() -> PoiseError | None:
    """Why no card can be used."""
    global cuda
    if find_spec("numba_cuda") is None:
        return MissingDependencyError("numba-cuda", "device 'cuda'", f"{INSTALL}, {LEAVE_OUT}")
    dropped = not hasattr(np, "row_stack")  # numba-cuda 0.30 asks numpy for it, which 2.5 no longer has
    if dropped:
        setattr(np, "row_stack", np.vstack)  # noqa: B010  mypy knows there is none
    try:
        found: Any = import_module("numba.cuda")
        if dropped and not simulated():
            import_module("numba.cuda.np.arrayobj")  # which asks for it, and is loaded late
    except Exception as problem:
        return NoCardError(f"numba-cuda cannot be loaded ({problem})")
    finally:
        if dropped:
            delattr(np, "row_stack")
    cuda = found
    found.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # small batches are known to be small
    try:
        if not cuda.is_available():
            return NoCardError("there is no graphics card of NVIDIA's with its driver")
        if not simulated():
            compiler: Any = import_module("numba.cuda.cudadrv.nvvm")
            compiler.NVVM()
            cuda.current_context()
    except Exception as problem:
        line = " ".join(str(problem).split())[:200] or type(problem).__name__
        return NoCardError(f"the card cannot be used ({line}); {INSTALL} brings what compiles for it")
    return None


def simulated() -> bool:
    """Whether numba-cuda only plays a card, on the processor (``NUMBA_ENABLE_CUDASIM=1``, for tests)."""
    found: Any = import_module("numba.cuda")
    return bool(found.config.ENABLE_CUDASIM)


class Card:
    """The card of this process: its memory, and functions run over many items."""

    def __init__(self) -> None:
        self.lock = RLock()
        """Held by whoever uses kept memory."""
        self._kept: dict[str, Any] = {}
        self._constants: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._simulated = simulated()
        self.processors = 2 if self._simulated else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)

    # Memory ----------------------------------------------------------------------------------

    def room(self, name: str, shape: tuple[int, ...], dtype: Any = np.float64, *, order: str = "C") -> Any:
        """Memory of a shape, not initialised; what had the name before is overwritten."""
        size = int(np.prod(shape))
        kept: Any = self._kept.get(name)
        if kept is None or kept.shape[0] < size or kept.dtype != dtype:
            self._kept.pop(name, None)
            kept = np.empty(size, dtype) if self._simulated else cuda.device_array(max(size, 1), dtype)
            self._kept[name] = kept
        return kept[:size].reshape(shape, order=order)

    def own(self, shape: tuple[int, ...]) -> Any:
        """Numbers that belong to the caller, the first axis side by side; not initialised."""
        size = max(int(np.prod(shape)), 1)
        flat: Any = np.empty(size) if self._simulated else cuda.device_array(size, np.float64)
        return flat[: int(np.prod(shape))].reshape(shape, order="F")

    def zeros(self, shape: tuple[int, ...]) -> Any:
        """The same, all zero."""
        made = self.own(shape)
        if self._simulated:
            made[...] = 0.0
        elif made.size:
            cuda.cudadrv.driver.device_memset(made, 0, made.nbytes)
        return made

    def has(self, array: Any) -> bool:
        """Whether an array lies on the card already."""
        return not isinstance(array, np.ndarray) and hasattr(array, "__cuda_array_interface__")

    def put(self, name: str, array: Any, *, order: str = "C") -> Any:
        """A copy on the card, in memory of that name; what is there already stays as it is."""
        if not isinstance(array, np.ndarray):
            return array
        there = self.room(name, array.shape, array.dtype, order=order)
        if array.size:
            if self._simulated:
                there[...] = array
            else:
                there.copy_to_device(np.asarray(array, order=order))  # type: ignore[call-overload]
        return there

    def put_all(self, name: str, arrays: Any, *, order: str = "C") -> Any:
        """The same for each array of a tuple; numbers stay."""
        put = (self.put(f"{name} {k}", each, order=order) for k, each in enumerate(arrays))
        return type(arrays)(*put)

    def constant(self, arrays: Any) -> Any:
        """A tuple of arrays that never change, put there once."""
        found = self._constants.pop(id(arrays), None)
        if found is None:
            there = (self._copied(each) if isinstance(each, np.ndarray) else each for each in arrays)
            found = (arrays, type(arrays)(*there))
        self._constants[id(arrays)] = found  # it is kept alive, so its number stays its own
        if len(self._constants) > _CONSTANTS:
            self._constants.popitem(last=False)
        return found[1]

    def _copied(self, array: Any) -> Any:
        return np.array(array) if self._simulated else cuda.to_device(np.array(array))

    def fetch(self, array: Any) -> Any:
        """A copy in the processor's memory."""
        return np.array(array) if isinstance(array, np.ndarray) else array.copy_to_host()

    def fitting(self, name: str, each: int, count: int) -> int:
        """How many of ``count`` things of ``each`` bytes half of the memory holds that is free or kept."""
        kept = self._kept[name].nbytes if name in self._kept else 0
        if kept >= each * count:
            return count
        unused = 2**20 if self._simulated else int(cuda.current_context().get_memory_info().free)
        return min(count, (unused + kept) // 2 // each)

    # Work ------------------------------------------------------------------------------------

    def run(
        self, body: Callable[..., None], first: int, count: int, *arguments: Any, threads: int = 0
    ) -> None:
        """Call ``body(slot, first + slot, *arguments)`` for each slot below ``count``, side by side.

        A small batch is spread over all processors of the card, in blocks of eight threads at least.
        """
        if count < 1:
            return
        if not threads:
            threads = 8
            while threads < 32 and 4 * threads * self.processors < count:
                threads *= 2
        large = 2 * count > THREADS * self.processors
        _over_items(body, large)[-(-count // threads), threads](first, count, arguments)


@cache
def card() -> Card:
    """The card of this process; ``serves`` says whether there is one."""
    return Card()


@cache
def _over_items(body: Any, large: bool) -> Any:
    """A function of one item as a kernel of the card, for large or for small batches."""

    def run(first: int, count: int, arguments: Any) -> None:
        slot = cuda.grid(1)
        if slot < count:
            body(slot, first + slot, *arguments)

    compiled = cuda.jit(run, max_registers=REGISTERS) if large and not simulated() else cuda.jit(run)
    if not simulated():
        from poise.kernels.cache import own_folders

        if own_folders():  # what is shipped is for processors
            compiled._cache = _kept_beside(own_folders()[0].path, body, run, large)
    return compiled


def mark_of(body: Any) -> str:
    """Of the code and constants of a function and all its helpers, and of what this module makes of it."""
    from poise.kernels.constants import constants

    mark = hashlib.sha256(Path(__file__).read_bytes())
    for source, name, value in constants(body.py_func):
        mark.update(f"{source}\0{name}\0".encode() + value + b"\0")
    return mark.hexdigest()[:24]


def _kept_beside(folder: Path, body: Any, run: Any, large: bool) -> Any:
    """numba-cuda's own cache, beside the processor's kernels and by their rule: named after its own code."""
    from poise.kernels.constants import layouts

    dispatcher: Any = import_module("numba.cuda.dispatcher")
    mark = mark_of(body) + ("l" if large else "s")

    class Locator:
        def ensure_cache_path(self) -> None:
            folder.mkdir(parents=True, exist_ok=True)

        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return mark

        def get_disambiguator(self) -> str:
            return mark

        @classmethod
        def from_function(cls, function: Any, path: str) -> Locator:
            return cls()

    class Impl(dispatcher.CUDACacheImpl):  # type: ignore[misc]
        _locator_classes = [Locator]  # noqa: RUF012

    class Cache(dispatcher.CUDACache):  # type: ignore[misc]
        _impl_class = Impl

        def _index_key(self, sig: Any, codegen: Any) -> Any:
            return (sig, tuple(layouts(sig)), codegen.magic_tuple(), body.py_func.__qualname__)

    run.__qualname__ = f"card.{body.py_func.__module__}.{body.py_func.__qualname__}"
    return Cache(run)
