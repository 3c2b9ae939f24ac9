"""A CUDA graph on the CPU: a tape of tensor operations, replayed on the same memory.

Given to the student, who imports ``CpuGraph`` and fills the buffers around it. It needs nothing
but torch, and may be taken out and used by itself.

``capture`` runs the function once, under a mode that sees every operation below autograd, and
keeps the operations with the memory that they work on. ``replay`` runs those operations again, on
that memory, and none of the function's Python. What follows from that follows for a CUDA graph,
too: see https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs.
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Self

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

Fn = Callable[[torch.Tensor], torch.Tensor]


class CpuGraph:
    """One graph over one pair of static buffers.

    A CUDA graph remembers kernels and the addresses they read and write. So this one
    remembers operations and their memory, and a replay takes no arguments: new input gets in by
    being written to the memory behind ``static_in``, and the output is found in the
    memory behind ``static_out``.

    >>> static_in, static_out = torch.zeros(4, 1), torch.zeros(4, 1)
    >>> graph = CpuGraph(lambda x: x + 1, static_in[:2], static_out[:2])
    >>> graph.capture()
    >>> static_in[:2] = 5
    >>> graph.replay()
    >>> static_out.flatten().tolist()
    [6.0, 6.0, 0.0, 0.0]

    Args:
        fn: the computation, ``[b, hidden] -> [b, hidden]``.
        static_in: view of the input buffer, shape ``[b, hidden]``.
        static_out: view of the output buffer, same shape and dtype.
        generators: random generators that ``fn`` hands to operations; every replay draws from them
            anew. The default generator is always among them.
    """

    def __init__(
        self,
        fn: Fn,
        static_in: torch.Tensor,
        static_out: torch.Tensor,
        *,
        generators: Iterable[torch.Generator] = (),
    ) -> None:
        self.fn = fn
        self.static_in = static_in
        self.static_out = static_out
        self.captured = False
        self._generators = tuple(generators)
        self._tape: Tape = ()

    def capture(self) -> None:
        """Record ``fn`` over the static views. Recording computes nothing for the caller:
        ``static_out``, and whatever else ``fn`` writes to, is written by ``replay`` alone.

        Raises:
            RuntimeError: what ``fn`` returns does not fit ``static_out``; or ``fn`` does what
                cannot be captured, such as reading a value back (``.item()``, ``if tensor:``).
        """
        self.captured = False
        recorder = Recorder(self._generators)
        with _NoHostReads(), recorder:
            results = [self.fn(self.static_in)]
        self._tape = recorder.tape(results, self.static_out)
        self.captured = True

    def replay(self) -> None:
        """Run what was recorded: read ``static_in``, write ``static_out``.

        Raises:
            RuntimeError: nothing has been captured yet.
        """
        if not self.captured:
            msg = "replay() before capture(): there is nothing recorded to replay"
            raise RuntimeError(msg)
        play(self._tape)


def expect_fit(out: object, static_out: torch.Tensor) -> None:
    """Raise unless what a function returned fits the static output.

    Raises:
        RuntimeError: it does not, in shape or dtype.
        TypeError: it is no tensor.
    """
    if not isinstance(out, torch.Tensor):
        raise TypeError(f"fn gives {type(out).__name__}, and not a tensor")
    if _form(out) != _form(static_out):
        spelled = "fn gives {} {}, but static_out is {} {}"
        raise RuntimeError(spelled.format(*_form(out), *_form(static_out)))


def kernel(fn: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A function that is to a ``CpuGraph`` what a kernel of one's own is to a CUDA graph: captured
    as one operation, whatever is inside, and called again by every replay.

    Args:
        fn: takes and returns tensors, and writes to none of those that it takes.
    """

    def launch(*args: object) -> torch.Tensor:
        recorder = at_work()
        return fn(*args) if recorder is None else recorder.run_kernel(fn, launch, args)

    return launch


class Call(NamedTuple):
    """One step of a replay."""

    function: Callable[..., object]
    args: Sequence[Any]
    kwargs: dict[str, Any]


Tape = Sequence[Call]


def launch_of(
    fn: Callable[..., object],
    args: Sequence[object],
    outs: Sequence[torch.Tensor],
    kwargs: dict[str, object] | None = None,
) -> Call:
    """A step that calls a function, and copies what it gives to where it gave it when captured.

    Args:
        fn: what to call.
        args: its arguments.
        outs: where what it gives goes: those of its results that it has memory of its own for.
        kwargs: its arguments by name.
    """
    grad = torch.is_grad_enabled()  # what some operations give hangs on it
    return Call(_run_and_copy, (outs, fn, args, kwargs or {}, grad), {})


#: The part of torch that is written in C, of which not everything has types.
_C: Any = torch._C

_exclude = _C._dispatch_tls_set_dispatch_key_excluded
_excluded = _C._dispatch_tls_is_dispatch_key_excluded
_AUTOGRAD = (_C.DispatchKey.AutogradFunctionality, _C.DispatchKey.ADInplaceOrView)


def play(tape: Tape) -> None:
    """Make the calls of a tape, behind autograd's back: like a CUDA graph, a replay records no
    gradient, counts no version, and writes to what was made in inference mode.
    """
    before = [_excluded(key) for key in _AUTOGRAD]
    for key in _AUTOGRAD:
        _exclude(key, True)
    try:
        for function, args, kwargs in tape:
            function(*args, **kwargs)
    finally:
        for key, was in zip(_AUTOGRAD, before, strict=True):
            _exclude(key, was)


_here = threading.local()


def at_work() -> "Recorder | None":
    """The recorder that something is being captured by on this thread, if there is one."""
    return getattr(_here, "recorder", None)


class _Mode(TorchDispatchMode):
    """A mode for one use, which sees operations on this thread."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Whether torch puts a wrapper around this class, which would load its compiler."""
        return False


class Recorder(_Mode):
    """Records the operations that run under it.

    Nothing is to have happened when it ends: what an operation writes to memory from before is
    taken back, and so are the numbers that it draws.

    Args:
        generators: those, besides the default one, that operations may draw from.

    Attributes:
        refused: what was refused last.
    """

    def __init__(self, generators: Iterable[torch.Generator] = ()) -> None:
        super().__init__()
        known: tuple[Any, ...] = (torch.default_generator, *generators)
        self._generators = {generator._cdata: generator for generator in known}
        self._calls: list[Call] = []
        self._made: dict[int, torch.Tensor] = {}
        self._written: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._drawn: dict[int, tuple[torch.Generator, torch.Tensor]] = {}
        self.refused = ""

    def __enter__(self) -> Self:
        """Record from here on.

        Raises:
            RuntimeError: something is being captured on this thread already.
        """
        if at_work() is not None:
            raise RuntimeError("capture() within a capture: a stream captures one graph at a time")
        super().__enter__()
        _here.recorder = self
        return self

    def __exit__(self, *error: object) -> None:
        """Record no more, and take back what was done."""
        _here.recorder = None
        super().__exit__(*error)
        with torch.inference_mode():  # where anything may be written to
            for memory, before in reversed(self._written.values()):
                memory.copy_(before)
        for generator, state in self._drawn.values():
            generator.set_state(state)

    def tape(self, results: list[Any], static_out: torch.Tensor) -> Tape:
        """What was recorded, with the result copied into the static output at its end.

        Args:
            results: what the recorded function returned, alone in a list. It is taken out of it,
                for that tells whether anybody else has kept it.
            static_out: where a replay is to leave it.

        Raises:
            RuntimeError: it does not fit there; or something was refused, whatever the function
                made of that.
            TypeError: it is no tensor.
        """
        out = results.pop()
        if self.refused:
            raise RuntimeError(f"the capture is void, for something was refused: {self.refused}")
        expect_fit(out, static_out)
        source, target, kept = frozen(out), frozen(static_out), weakref.ref(out)
        del out
        if kept() is None and self._may_end_in(target, source):
            *calls, last = self._calls
            return [*calls, last._replace(kwargs={**last.kwargs, "out": target})]
        return [*self._calls, Call(torch.Tensor.copy_, (target, source), {})]

    def _may_end_in(self, target: torch.Tensor, source: torch.Tensor) -> bool:
        """Whether the last call may as well write where its result ends up: nobody else looks at
        the memory that it has for it now.
        """
        last = self._calls[-1] if self._calls else None
        out = last and last.kwargs.get("out")
        return (
            last is not None
            and isinstance(out, torch.Tensor)
            and _memory(out) == _memory(source)
            and _form(out) == _form(source)
            and out.stride() == source.stride() == target.stride()
            and not any(_overlap(given, target) for given in _tensors(last.args))
            and _holders(source) == _OWN_HOLDERS
            and not _storage_is_held(source)
        )

    def run_kernel(
        self, fn: Callable[..., torch.Tensor], launch: Callable[..., object], args: Sequence[object]
    ) -> torch.Tensor:
        """Run a kernel of one's own, and record the call that launches it; see ``kernel``."""
        self._will_draw(torch.default_generator)
        with _C._DisableTorchDispatch(), _C.DisableTorchFunction():
            result = fn(*args)
            self._calls.append(launch_of(launch, _each(args, frozen), self._new(result, args)))
        return result

    def __torch_dispatch__(
        self, func: Any, types: object, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operation, and record it."""
        op, kwargs = _op(func), kwargs or {}
        if torch.is_inference_mode_enabled() and func._can_decompose():
            # Elsewhere operations come here in their parts.
            result = self._in_parts(func, args, kwargs)
            if result is not NotImplemented:
                return result
        self._expect_capturable(op, args, kwargs)
        for tensor in op.written(args, kwargs):
            self._save(tensor)
        # A tensor can be laid out in another way later on, or be given other memory.
        kept, named = _each(args, frozen), _each(kwargs, frozen)
        result = func(*args, **kwargs)
        if op.base == "lift_fresh":  # a number of Python's: new at each call of fn, as in a replay
            self._calls.append(Call(torch.Tensor.fill_, (frozen(result), result.item()), {}))
            self._new(result, ())
        outs = self._new(result, (args, kwargs))
        if op.computes and (outs or op.writes):
            self._calls += op.calls(kept, named, outs)
        return result

    def _in_parts(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation that is made of others, and record those."""
        super().__enter__()
        try:
            return func.decompose(*args, **kwargs)
        finally:
            super().__exit__(None, None, None)

    def _new(self, result: Any, given: Any) -> list[torch.Tensor]:
        """What of a result lies in memory of its own. It is held from here on: a graph owns the
        memory that its operations work on.
        """
        places = set(map(_memory, _tensors(given)))
        new = [frozen(t) for t in _tensors(result) if _memory(t) not in places]
        self._made |= {_memory(tensor): frozen(tensor) for tensor in new}
        return new

    def _save(self, tensor: torch.Tensor) -> None:
        """Remember what memory from before holds, if this is the first time it is written to."""
        place = _memory(tensor)
        if place and place not in self._made and place not in self._written:
            memory = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
            self._written[place] = memory, memory.clone()

    def _expect_capturable(self, op: "_Op", args: Any, kwargs: Any) -> None:
        """Raise for what a capture cannot do, as CUDA and torch do."""
        if op.waits(args):
            _refuse(f"{op.name} has the host wait for a value, or for a size that hangs on values")
        if op.base == "lift_fresh" and args[0].dim():
            _refuse("numbers of Python's are copied from the host into a tensor")
        if kwargs.get("device") is not None and kwargs["device"].type != "cpu":
            _refuse(f"{op.name} moves to another device")
        if op.draws:
            # What an operation is handed is another object each time, for one generator.
            named = _by_name(op.func, args, kwargs)
            drawn: Any = named.get("generator") or torch.default_generator
            if drawn._cdata not in self._generators:
                what = f"{op.name} draws from a generator not registered with the graph"
                _refuse(what, void=False)  # torch says so, before the GPU is asked
            self._will_draw(drawn)
        if not all(tensor.layout is torch.strided for tensor in _tensors((args, kwargs))):
            _refuse(f"{op.name} works on a tensor that is not dense")

    def _will_draw(self, generator: Any) -> None:
        """Remember a generator's state, before numbers are drawn from it for the first time."""
        place = generator._cdata
        self._drawn.setdefault(place, (self._generators[place], generator.get_state()))


#: Who lies in the memory of a result that nobody has kept: what was made of it to be copied, what
#: the call that makes it writes to, and what the recorder holds.
_OWN_HOLDERS = 3


class _NoHostReads(TorchFunctionMode):
    """Refuses what copies to the host, and is no operation on a CPU."""

    def __torch_function__(
        self, func: Any, types: object, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func in _HOST_READS:
            _refuse(f"Tensor.{func.__name__} copies to the host")
        return func(*args, **kwargs or {})


_HOST_READS = frozenset(
    {
        torch.Tensor.cpu, torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__,
        torch.Tensor.__repr__, torch.Tensor.__dlpack__,
    }
)  # fmt: skip


def _refuse(what: str, *, void: bool = True) -> NoReturn:
    """Raise for what a capture cannot do; it is void from there on, whatever is made of that."""
    recorder = at_work()
    if recorder is not None and void:
        recorder.refused = what
    raise RuntimeError(f"operation not permitted while capturing: {what}")


# Tensors.


def _memory(tensor: torch.Tensor) -> int:
    """The address of the memory that a tensor lies in; 0 for one of no size."""
    return tensor.untyped_storage().data_ptr()


def _overlap(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether the memories that two tensors lie in have a byte in common."""
    sizes = (tensor.untyped_storage().nbytes() for tensor in (a, b))
    (start, other), (size, other_size) = (_memory(a), _memory(b)), sizes
    return start < other + other_size and other < start + size


def _holders(tensor: torch.Tensor) -> int:
    """How many tensors lie in the memory of one."""
    count: int = _C._storage_Use_Count(tensor.untyped_storage()._cdata)
    return count - 1  # the storage that was asked is not one


def _storage_is_held(tensor: torch.Tensor) -> bool:
    """Whether anybody holds the storage of a tensor, as an object of its own."""
    nobodys = torch.empty(1)
    counts = [sys.getrefcount(one.untyped_storage()) for one in (tensor, nobodys)]
    return counts[0] > counts[1]


def frozen(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor on the same memory, which stays there whatever is done to the one given."""
    return tensor.detach()


def _form(tensor: torch.Tensor) -> tuple[list[int], torch.dtype]:
    return list(tensor.shape), tensor.dtype


def _laid_out(tensor: torch.Tensor) -> object:
    return *_form(tensor), tensor.stride()


def _is_mask(tensor: torch.Tensor) -> bool:
    return tensor.dtype in (torch.bool, torch.uint8)


def _each(value: Any, change: Callable[[torch.Tensor], object]) -> Any:
    """Arguments with something else in the place of every tensor."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) is dict:
        return {name: _each(item, change) for name, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_each(item, change) for item in value)
    return value


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in arguments, or in a result."""
    if isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (list, tuple, dict):
        for item in value.values() if type(value) is dict else value:
            yield from _tensors(item)


# Operations.


class _Op:
    """What is known of an operation of torch's, one overload of it.

    Args:
        func: as a mode is handed it.

    Attributes:
        name: ``aten::add.Tensor``.
        base: ``add``.
        computes: whether it does more than to look at memory in another way.
        writes: whether it writes to its arguments.
        draws: whether it draws random numbers.
    """

    def __init__(self, func: Any) -> None:
        schema, tags = func._schema, func.tags
        self.func, self._schema = func, schema
        self.name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        self.base = schema.name.partition("::")[2]
        self._targets = [
            (place, one.name)
            for place, one in enumerate(schema.arguments)
            if one.alias_info is not None and one.alias_info.is_write
        ]
        self.writes = bool(self._targets)
        self._targets += _UNMARKED.get(self.base, [])
        self.computes = not func.is_view and torch.Tag.inplace_view not in tags
        self._by_value = (
            torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags
        )
        self.draws = torch.Tag.nondeterministic_seeded in tags
        self._out = None if self.writes else _out_of(schema)
        self._quick: dict[object, Callable[..., object] | None] = {}

    def waits(self, args: Any) -> bool:
        """Whether the host has to wait for what it finds, or for what a mask selects. Not where
        one value is written to all of that.
        """
        if self.base in _INDEXES:
            return any(map(_is_mask, _tensors(args[1])))
        if self.base in _WRITES_AT:
            return any(map(_is_mask, _tensors(args[1]))) and args[2].numel() != 1
        return self._by_value

    def written(self, args: Any, kwargs: Any) -> Iterator[torch.Tensor]:
        """The arguments that it writes to."""
        for place, name in self._targets:
            yield from _tensors(args[place] if place < len(args) else kwargs.get(name))

    def calls(self, args: Any, kwargs: Any, outs: list[torch.Tensor]) -> list[Call]:
        """How a replay runs it: on the arguments that it had, its results written where they were.

        Args:
            args: the arguments, on the memory that they had.
            kwargs: those by name.
            outs: the results that have memory of their own.
        """
        if not outs:
            quick = self._bound(self.func, args, kwargs, tuple(self.written(args, kwargs)))
            return [Call(quick or self.func._op, args, kwargs)]
        if self.writes:
            return [launch_of(self.func._op, args, outs, kwargs)]
        if self.base in _EMPTY:  # nobody has written to it
            return []
        if self.base in _COPIES:
            return [Call(torch.Tensor.copy_, (outs[0], args[0]), {})]
        if self.base in _FILLS:
            return [Call(torch.Tensor.fill_, (outs[0], _FILLS[self.base](args)), {})]
        return self._into(args, kwargs, outs) or [launch_of(self.func._op, args, outs, kwargs)]

    def _into(self, args: Any, kwargs: Any, outs: list[torch.Tensor]) -> list[Call]:
        """Calls that have torch write the results to memory that there is, the quickest ones."""
        if self._out is None or len(outs) != len(self._out.names):
            return []
        kept = {name: value for name, value in kwargs.items() if name in self._out.takes}
        named = {**kept, "out": outs[0] if len(outs) == 1 else tuple(outs)}
        # Functions that say where their results are to be are handed another place by a default
        # device, if there is one when they are called.
        placed = "device" in kwargs
        quick = None if placed else self._bound(self._out.func, args, named, tuple(outs))
        if quick is not None:
            return [Call(quick, args, named)]
        in_place = self._in_place()
        if in_place and args and len(outs) == 1 and _laid_out(args[0]) == _laid_out(outs[0]):
            on_copy = (outs[0], *args[1:])
            quick = self._bound(in_place, on_copy, kwargs, tuple(outs))
            if quick is not None:
                copy = Call(torch.Tensor.copy_, (outs[0], args[0]), {})
                return [copy, Call(quick, on_copy, kwargs)]
        named = kept | dict(zip(self._out.names, outs, strict=True))
        return [Call(self._out.func._op, args, named)]

    def _in_place(self) -> Any:
        """The operation that does this one to its first argument, if there is one."""
        first = self._schema.arguments[:1]
        if not first or str(first[0].type) != "Tensor":
            return None
        packet = getattr(_namespace(self._schema), f"{self.base}_", None)
        return getattr(packet, self._schema.overload_name or "default", None)

    def _bound(
        self, wanted: Any, args: Any, kwargs: Any, results: tuple[torch.Tensor, ...]
    ) -> Callable[..., object] | None:
        """A function of torch's that comes to an operation with these very arguments. It takes
        half the time that operations take that are called as such.

        Args:
            wanted: the operation.
            args: its arguments.
            kwargs: those by name.
            results: what it returns.
        """
        key = wanted, _kinds(args), _kinds(kwargs)
        if key not in self._quick:
            name = wanted._schema.name.partition("::")[2]
            found = (getattr(holder, name, None) for holder in _HOLDERS)
            fitting = (f for f in found if f and _comes_to(f, wanted, args, kwargs, results))
            self._quick[key] = next(fitting, None)
        return self._quick[key]


#: Look up by indices, and write by them, which may be masks.
_INDEXES = frozenset({"index", "_unsafe_index"})
_WRITES_AT = frozenset({"index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"})

#: What operations write to without saying so in their schemas: places and names of arguments.
_UNMARKED = {"native_batch_norm": [(3, "running_mean"), (4, "running_var")]}

#: Have memory, and write nothing to it.
_EMPTY = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"})

#: Copy their first argument, and no more.
_COPIES = frozenset({"clone", "_to_copy"})

#: Fill new memory: with what, from their arguments.
_FILLS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros"), lambda _: 0),
    **dict.fromkeys(("ones", "ones_like", "new_ones"), lambda _: 1),
    **dict.fromkeys(("full", "full_like"), lambda args: args[1]),
    "new_full": lambda args: args[2],
    "scalar_tensor": lambda args: args[0],
}

#: Arguments that say what memory is to be had, and mean nothing where there is some.
_OF_MEMORY = frozenset({"dtype", "layout", "device", "pin_memory", "memory_format"})

#: Where torch has its functions, as they are written in C.
_HOLDERS: Sequence[Any] = (
    _C._VariableFunctions, _C._nn, _C._linalg, _C._special, _C._fft, _C.TensorBase,
)  # fmt: skip

_ops: dict[Any, _Op] = {}


def _op(func: Any) -> _Op:
    """What is known of an operation, looked up once."""
    if func not in _ops:
        _ops[func] = _Op(func)
    return _ops[func]


class _Out(NamedTuple):
    """An overload that writes its results to memory that there is.

    Attributes:
        func: as a mode is handed it.
        names: of the arguments that it writes to.
        takes: names of the others.
    """

    func: Any
    names: tuple[str, ...]
    takes: frozenset[str]


def _out_of(schema: Any) -> _Out | None:
    """The overload that takes what one takes, and memory for the results."""
    if any("List" in str(one.type) for one in schema.returns):
        return None  # as many as there are tensors
    wanted = [(one.name, str(one.type)) for one in schema.arguments if one.name not in _OF_MEMORY]
    for other in _C._jit_get_schemas_for_operator(schema.name):
        outs = tuple(one.name for one in other.arguments if one.is_out)
        rest = [(one.name, str(one.type)) for one in other.arguments if not one.is_out]
        same = wanted == [one for one in rest if one[0] not in _OF_MEMORY]
        if outs and same and len(outs) == len(schema.returns):
            packet = getattr(_namespace(schema), schema.name.partition("::")[2])
            func = getattr(packet, other.overload_name or "default")
            return _Out(func, outs, frozenset(name for name, _ in rest))
    return None


def _namespace(schema: Any) -> Any:
    return getattr(torch.ops, schema.name.partition("::")[0])


def _run_and_copy(
    outs: Sequence[torch.Tensor],
    function: Callable[..., object],
    args: Any,
    kwargs: Any,
    grad: bool,
) -> None:
    """Replay what has memory of its own for its results each time; see ``launch_of``."""
    places = set(map(_memory, _tensors((args, kwargs))))
    with torch.set_grad_enabled(grad):
        given = function(*args, **kwargs)
    results = [t for t in _tensors(given) if _memory(t) not in places]
    for out, result in zip(outs, results, strict=True):
        out.copy_(result)


# Functions of torch's are found by their names, and believed once they were seen to come to the
# operation that is wanted.


class _Rehearsal(_Mode):
    """Sees which operations a call comes to, and runs none of them."""

    def __init__(self, results: tuple[torch.Tensor, ...]) -> None:
        super().__init__()
        self.seen: list[tuple[Any, dict[str, Any]]] = []
        self._results = results

    def __torch_dispatch__(
        self, func: Any, types: object, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.seen.append((func, _by_name(func, args, kwargs or {})))
        return self._results[0] if len(self._results) == 1 else self._results


def _comes_to(
    function: Callable[..., object],
    wanted: Any,
    args: Any,
    kwargs: Any,
    results: tuple[torch.Tensor, ...],
) -> bool:
    """Whether a function comes to one operation, the one wanted, with the same arguments."""
    rehearsal = _Rehearsal(results)
    try:
        with rehearsal:
            function(*args, **kwargs)
    except Exception:  # noqa: BLE001 - it takes other arguments
        return False
    if len(rehearsal.seen) != 1:
        return False
    func, seen = rehearsal.seen[0]
    outs = [seen.pop(one.name) for one in func._schema.arguments if one.is_out and one.name in seen]
    if outs:
        kwargs = {name: value for name, value in kwargs.items() if name != "out"}
        if not _same(outs, list(results)):
            return False
    return func is wanted and _same(seen, _by_name(func, args, kwargs))


def _by_name(func: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(zip((one.name for one in func._schema.arguments), args, strict=False)) | kwargs


def _same(a: Any, b: Any) -> bool:
    """Whether arguments are the same ones: tensors in identity, all else in value and type."""
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return a is b
    if type(a) is dict and type(b) is dict:
        return a.keys() == b.keys() and all(_same(a[name], b[name]) for name in a)
    if type(a) in (list, tuple) and type(b) in (list, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and bool(a == b)


def _kinds(value: Any) -> object:
    """Of what types arguments are: that decides how torch takes them, and of tensors whether they
    may stand for a number.
    """
    if isinstance(value, torch.Tensor):
        return type(value), value.dim() == 0
    if type(value) in (list, tuple):
        return tuple(map(_kinds, value))
    if type(value) is dict:
        return tuple((name, _kinds(item)) for name, item in value.items())
    return type(value)
