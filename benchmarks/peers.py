#!/usr/bin/env python3
"""RMSNorm by hiptune beside its peers on one NVIDIA GPU, in one process, round by round in shuffled order: hiptune's
cached winner, Triton row kernels, torch.nn.functional.rms_norm, torch.compile, and two copies of the same bytes: torch's
and hiptune's own copy kernel, as the cache has it.

usage: peers.py [--cache DIR] [--shape 4096x4096 ...] [--dtype f32 ...] [--budget SECONDS] [--json FILE]
       peers.py --render FILE        prints the tables of an earlier run again; needs no GPU

Needs torch and triton, libhiptune.so with its nvidia modules beside it, share/hiptune beside that folder, and a cache
that `hiptune tune rmsnorm --device nvidia ...` wrote. Where the cache has no entry for a shape, hiptune takes part with
what its dispatcher chooses; the JSON has the words.

Times are device times: launches are captured into a CUDA graph and replayed between events, so that no host cost is in
them. Cold: launches rotate over enough sets of x, w and y to exceed the last-level cache three times. Warm: one set.
Every contender's result is compared with the formula in float64 before it is timed; one that is wrong, does not compile
or takes too long has a dash in the tables and its reason in the JSON. Ratios are medians over rounds of ratios within a
round: what slows the device for a while slows all alike.
"""
import argparse
import contextlib
import ctypes
import datetime
import json
import math
import os
import pathlib
import random
import signal
import statistics
import sys
import time

try:
    import torch
    import torch._dynamo
    import torch._inductor.config
    import torch._inductor.metrics
    import triton
    import triton.language as tl
except ImportError:  # --help, --render and the tests do without
    torch = triton = tl = None

EPSILON = 1e-5
SHAPES = ["8x4096", "1024x4096", "4096x4096", "32768x4096", "16384x5120", "65536x1024", "262144x256", "8192x16384",
          "4096x32768", "2048x65536", "1024x131072", "512x262144"]
SHAPES_OF_16_BITS = ["16384x8192"]
ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
MODES = ("cold", "warm")
HIPTUNE = "hiptune"
COPY_KERNEL, TORCH_COPY = COPIES = "copy kernel", "torch copy"
PEERS = ["triton 4 warps", "triton 8 warps", "torch rms_norm", "torch.compile", "torch.compile max-autotune"]

# Results differ from the formula in float64 by the roundings of the result's type, at most three of 2^-11 or 2^-8 (torch
# rounds the normalised row before it multiplies by w), or in float32 by those of a sum, in whatever order.
RELATIVE_LIMIT = {"f32": 1e-4, "f16": 3 * 2.0**-11, "bf16": 3 * 2.0**-8}
ABSOLUTE_LIMIT = 1e-6


# ---- what needs no GPU: plans, statistics, tables, files


def parse_shape(text):
    rows, _, cols = text.partition("x")
    if not (rows.isdecimal() and cols.isdecimal() and int(rows) > 0 and int(cols) > 0):
        raise argparse.ArgumentTypeError(f"{text} is no shape; give ROWSxCOLS, as in 4096x4096")
    return int(rows), int(cols)


def parse_seconds(text):
    with contextlib.suppress(ValueError):
        if float(text) >= 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text} is no number of seconds")


def set_bytes(rows, cols, dtype):
    """Of x, w and y."""
    return (2 * rows * cols + cols) * ELEMENT_BYTES[dtype]


def plan_sets(one_set, cache_bytes, memory_bytes, most_sets):
    """How many sets make launches that rotate over them cold. At least two, though they may not fit the memory."""
    wanted = math.ceil(3 * cache_bytes / one_set)
    affordable = int(memory_bytes // one_set)
    return max(2, min(wanted, affordable, most_sets))


def exceeds_cache(sets, one_set, cache_bytes):
    return sets * one_set >= 3 * cache_bytes


def plan_launches(sets, seconds_per_launch, least_seconds, most_launches=8192):
    """Launches of one replay: whole rotations, and long enough for the clock."""
    wanted = math.ceil(least_seconds / max(seconds_per_launch, 1e-9))
    rotations = max(1, math.ceil(min(wanted, most_launches) / sets))
    return rotations * sets


def shuffled_orders(names, rounds, seed):
    """One order for each round."""
    chance = random.Random(seed)
    orders = []
    for _ in range(rounds):
        order = list(names)
        chance.shuffle(order)
        orders.append(order)
    return orders


def median_ratio(times, others):
    """The median over rounds of one's time over another's."""
    return statistics.median(one / other for one, other in zip(times, others, strict=True))


def summarize(rounds_us):
    quartiles = statistics.quantiles(rounds_us, n=4, method="inclusive") if len(rounds_us) > 1 else [rounds_us[0]] * 3
    return {"median_us": statistics.median(rounds_us), "spread_us": (quartiles[2] - quartiles[0]) / 2,
            "rounds_us": rounds_us}


def best_peer(result, mode):
    """Name of the fastest peer that was timed, by its ratio to hiptune, and that ratio; None where there is none."""
    own = result["contenders"].get(HIPTUNE, {}).get(mode)
    if own is None:
        return None
    ratios = {name: median_ratio(one[mode]["rounds_us"], own["rounds_us"])
              for name, one in result["contenders"].items() if name in PEERS and mode in one}
    return min(ratios.items(), key=lambda item: item[1]) if ratios else None


def share_of_copy(result, mode):
    """The faster copy's time over hiptune's."""
    own = result["contenders"].get(HIPTUNE, {}).get(mode)
    copies = [one[mode] for one in (result["contenders"].get(name, {}) for name in COPIES) if mode in one]
    return min((median_ratio(copy["rounds_us"], own["rounds_us"]) for copy in copies), default=None) if own else None


def text_of_time(contender, mode):
    if mode not in contender:
        return "-"
    us = contender[mode]["median_us"]
    return f"{us:.2f}" if us < 100 else f"{us:.1f}" if us < 1000 else f"{us:.0f}"


def row_of(result, names, mode):
    contenders = result["contenders"]
    best, share = best_peer(result, mode), share_of_copy(result, mode)
    return [f"{result['rows']}x{result['cols']}", *(text_of_time(contenders.get(name, {}), mode) for name in names),
            f"{best[1]:.3f} ({best[0]})" if best else "-", f"{share:.3f}" if share else "-"]


def markdown_table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tables_of(report):
    """Of each dtype, one table cold and one warm, in microseconds."""
    names = [HIPTUNE, *report["also"], *PEERS, *COPIES]
    header = ["rows x cols", *(f"{name}, us" for name in names), "best peer / hiptune", "share of copy"]
    parts = []
    for dtype in ELEMENT_BYTES:
        results = [result for result in report["results"] if result["dtype"] == dtype]
        for mode in MODES if results else ():
            parts.append(f"### {dtype}, {mode}\n\n" + markdown_table(header, [row_of(r, names, mode) for r in results]))
    return "\n\n".join(parts)


def write_report(file, report):
    """So that an interrupted run leaves a whole file."""
    unfinished = pathlib.Path(str(file) + ".unfinished")
    unfinished.write_text(json.dumps(report, indent=1) + "\n")
    os.replace(unfinished, file)


def tables_of_file(file):
    """Of a report that was written before. Throws ValueError where it is none."""
    try:
        report = json.loads(file.read_text())
        known = {HIPTUNE, *report["also"], *PEERS, *COPIES}
        unknown = {name for result in report["results"] for name in result["contenders"]} - known
        if unknown:
            raise ValueError(f"it has contenders that this script does not know: {', '.join(sorted(unknown))}")
        return tables_of(report)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise ValueError(f"{file} is no report that this script can print: {type(error).__name__}: {error}") from error


def shapes_for(dtype, given):
    texts = SHAPES + (SHAPES_OF_16_BITS if ELEMENT_BYTES[dtype] == 2 else [])
    return given or [parse_shape(text) for text in texts]


def parse_also(text):
    name, _, cache = text.partition("=")
    if not name or not cache:
        raise argparse.ArgumentTypeError(f"{text}: give NAME=CACHE, as in block=cache-of-block")
    return f"{HIPTUNE} {name}", cache


def default_library():
    """Beside this script as it was carried, or in the build tree that it lies in."""
    here = pathlib.Path(__file__).resolve().parent
    places = [here / "lib", here, here.parent / "build" / "release" / "lib"]
    return next((place / "libhiptune.so" for place in places if (place / "libhiptune.so").exists()), None)


def parse_options(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", help="hiptune's cache folder (default: as hiptune itself)")
    parser.add_argument("--library", type=pathlib.Path, default=default_library(), help="libhiptune.so (default: %(default)s)")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="the GPU, as nvidia:N and as cuda:N")
    parser.add_argument("--shape", type=parse_shape, action="append", metavar="ROWSxCOLS", help="may be repeated")
    parser.add_argument("--dtype", choices=list(ELEMENT_BYTES), action="append", help="may be repeated (default: all)")
    parser.add_argument("--also", type=parse_also, action="append", default=[], metavar="NAME=CACHE",
                        help="hiptune once more, with another cache, such as one tuned with --fix to a baseline")
    parser.add_argument("--skip", action="append", default=[], metavar="NAME", choices=[*PEERS, *COPIES],
                        help=f"leave a contender out; may be repeated: {', '.join([*PEERS, *COPIES])}")
    parser.add_argument("--rounds", type=int, default=15, metavar="N")
    parser.add_argument("--replay-ms", type=float, default=2, metavar="MS", help="least device time of a sample")
    parser.add_argument("--most-sets", type=int, default=2048, metavar="N")
    parser.add_argument("--memory-gb", type=float, default=24, metavar="GB", help="of all sets together")
    parser.add_argument("--limit", type=float, default=90, metavar="SECONDS",
                        help="to set one contender up for one shape; a compiler is only interrupted between its calls")
    parser.add_argument("--triton-elements", type=int, default=512, metavar="N",
                        help="leave a Triton kernel out where a thread would hold more: such take minutes to compile")
    parser.add_argument("--budget", type=parse_seconds, default=math.inf, metavar="SECONDS",
                        help="begin no shape later than that after the start")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="everything, written after each shape")
    parser.add_argument("--render", type=pathlib.Path, metavar="FILE", help="print the tables of such a file, and end")
    options = parser.parse_args(words)
    if options.rounds < 1:
        parser.error("--rounds: at least one")
    if not options.render and options.library is None:
        parser.error("libhiptune.so is neither beside this script, nor in lib/ there, nor built; give --library")
    return options


# ---- hiptune through its C interface


class Trait(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class HiptuneError(RuntimeError):
    pass


class Library:
    """hiptune.h, as far as it is used here."""
    ABI_VERSION = 1
    SUCCESS = 0

    def __init__(self, file):
        library = self.library = ctypes.CDLL(str(file))
        pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        handle = ctypes.POINTER(ctypes.c_void_p)
        for name, result, *arguments in (
                ("abi_version", ctypes.c_int), ("version", text), ("last_error", text),
                ("status_text", text, ctypes.c_int), ("open", ctypes.c_int, text, text, text, handle),
                ("close", None, pointer), ("device", text, pointer),
                ("bind", ctypes.c_int, pointer, text, text, ctypes.POINTER(Trait), size, handle),
                ("release", None, pointer), ("argument_count", size, pointer),
                ("argument_name", text, pointer, size), ("prepare", ctypes.c_int, pointer, pointer),
                ("launch", ctypes.c_int, pointer, pointer, pointer),
                ("explain", ctypes.c_int, pointer, pointer, pointer, size, ctypes.POINTER(size))):
            function = getattr(library, f"hiptune_{name}")
            function.restype, function.argtypes = result, arguments
        if library.hiptune_abi_version() != self.ABI_VERSION:
            raise HiptuneError(f"{file} has ABI {library.hiptune_abi_version()}, and this script knows {self.ABI_VERSION}")

    @property
    def version(self):
        return self.library.hiptune_version().decode()

    def require(self, status):
        if status != self.SUCCESS:
            words = self.library.hiptune_status_text(status).decode() + " " + self.library.hiptune_last_error().decode()
            raise HiptuneError(words)

    def open(self, device, cache):
        """cache None: as hiptune itself."""
        dispatcher = ctypes.c_void_p()
        self.require(self.library.hiptune_open(device.encode(), os.fsencode(cache) if cache else None, None,
                                               ctypes.byref(dispatcher)))
        return dispatcher

    def bind(self, dispatcher, kernel, dtype):
        bound = ctypes.c_void_p()
        self.require(self.library.hiptune_bind(dispatcher, kernel.encode(), dtype.encode(), None, 0, ctypes.byref(bound)))
        return BoundKernel(self, bound)


class BoundKernel:
    def __init__(self, library, handle):
        self.owner, self.handle = library, handle
        count = library.library.hiptune_argument_count(handle)
        self.names = [library.library.hiptune_argument_name(handle, i).decode() for i in range(count)]

    def call(self, values):
        """A call's arguments, kept alive with it. `values`: ctypes objects by the arguments' names."""
        missing = [name for name in self.names if name not in values]
        if missing:
            raise HiptuneError(f"the kernel has arguments that this script does not know: {', '.join(missing)}")
        held = [values[name] for name in self.names]
        addresses = (ctypes.c_void_p * len(held))(*(ctypes.addressof(value) for value in held))
        return held, addresses

    def prepare(self, call):
        self.owner.require(self.owner.library.hiptune_prepare(self.handle, call[1]))

    def launch(self, stream, call):
        self.owner.require(self.owner.library.hiptune_launch(self.handle, stream, call[1]))

    def explain(self, call):
        text = ctypes.create_string_buffer(4000)
        self.owner.require(self.owner.library.hiptune_explain(self.handle, call[1], text, len(text), None))
        choice, config, tuned_for, reason = text.value.decode().split("\n")[:4]
        return {"choice": choice, "config": config, "tuned_for": tuned_for, "reason": reason}

    def release(self):
        self.owner.library.hiptune_release(self.handle)


@contextlib.contextmanager
def bound_kernels(library, dispatchers, dtype):
    """Of each dispatcher, RMSNorm for a type, and of the first the copy, whose elements are words; or the error that
    this met: the others may go on."""
    wanted = {name: (dispatcher, "rmsnorm", dtype) for name, dispatcher in dispatchers.items()}
    wanted[COPY_KERNEL] = (dispatchers[HIPTUNE], "copy", "f32")
    bound = {}
    for name, words in wanted.items():
        try:
            bound[name] = library.bind(*words)
        except HiptuneError as error:
            bound[name] = error
    try:
        yield bound
    finally:
        for one in bound.values():
            if isinstance(one, BoundKernel):
                one.release()


# ---- contenders: each is a function of a set's number that launches once over that set, on the current stream

if triton is not None:

    @triton.jit
    def triton_row_norm(x, w, y, cols, x_stride, y_stride, epsilon, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        c = tl.arange(0, BLOCK)
        inside = c < cols
        value = tl.load(x + row * x_stride + c, mask=inside, other=0.0).to(tl.float32)
        scale = 1.0 / tl.sqrt(tl.sum(value * value, axis=0) / cols + epsilon)
        weight = tl.load(w + c, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + row * y_stride + c, (value * scale * weight).to(y.dtype.element_ty), mask=inside)


def formula(x, w):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON) * w.float()).to(x.dtype)


class LeftOut(Exception):
    """Why a contender does not take part."""


class Sets:
    """Inputs and outputs that launches rotate over; values in all sets are alike and the places differ."""

    def __init__(self, rows, cols, dtype, count, seed):
        torch_dtype = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
        self.rows, self.cols, self.dtype, self.count = rows, cols, dtype, count
        self.x = torch.empty(count, rows, cols, dtype=torch_dtype, device="cuda")
        self.w = torch.empty(count, cols, dtype=torch_dtype, device="cuda")
        self.y = torch.empty_like(self.x)
        generator = torch.Generator(device="cuda").manual_seed(seed)
        self.x[0].normal_(generator=generator)
        self.w[0].uniform_(0.5, 1.5, generator=generator)
        for i in range(1, count):
            self.x[i].copy_(self.x[0])
            self.w[i].copy_(self.w[0])


def hiptune_contender(bound, sets):
    if isinstance(bound, HiptuneError):
        raise bound
    words, rest = divmod(sets.rows * sets.cols * ELEMENT_BYTES[sets.dtype], 4)
    if rest and "elements" in bound.names:
        raise LeftOut("the copy kernel moves words, and an odd number of 16-bit elements is not made of them")

    def call(i):
        return bound.call({
            "x": ctypes.c_void_p(sets.x[i].data_ptr()), "w": ctypes.c_void_p(sets.w[i].data_ptr()),
            "y": ctypes.c_void_p(sets.y[i].data_ptr()), "rows": ctypes.c_int64(sets.rows),
            "cols": ctypes.c_int64(sets.cols), "x_stride": ctypes.c_int64(sets.cols),
            "y_stride": ctypes.c_int64(sets.cols), "epsilon": ctypes.c_float(EPSILON),
            "elements": ctypes.c_int64(words)})

    calls = [call(i) for i in range(sets.count)]
    for one in calls:  # alignment may differ between sets
        bound.prepare(one)

    def launch(i):
        bound.launch(torch.cuda.current_stream().cuda_stream, calls[i])
        return sets.y[i]

    return launch, {"explanation": bound.explain(calls[0])}


def triton_contender(warps, sets, most_elements):
    block = triton.next_power_of_2(sets.cols)
    elements = block // (32 * warps)
    if elements > most_elements:
        raise LeftOut(f"a thread would hold {elements} elements, and --triton-elements is {most_elements}")

    def launch(i):
        triton_row_norm[(sets.rows,)](sets.x[i], sets.w[i], sets.y[i], sets.cols, sets.cols, sets.cols, EPSILON,
                                      BLOCK=block, num_warps=warps)
        return sets.y[i]

    return launch, {}


def torch_contender(function, sets):
    """Of a function that allocates its result. Results of all sets are kept, so that each set has a place of its own to
    be written to, as y is for the others."""
    kept = [None] * sets.count

    def launch(i):
        kept[i] = None  # the place is free, and the only one
        kept[i] = function(sets.x[i], sets.w[i])
        return kept[i]

    return launch, {}


def eager_rms_norm(x, w):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), w, EPSILON)


def compiled_contender(mode, sets):
    """Throws where anything of the formula is left to eager kernels."""
    torch._dynamo.reset()
    torch._dynamo.config.suppress_errors = False
    torch._inductor.config.force_disable_caches = True  # else nothing may be generated, and nothing counted
    torch._inductor.metrics.reset()
    compiled = torch.compile(formula, mode=mode, fullgraph=True, dynamic=False)
    compiled(sets.x[0], sets.w[0])
    kernels = torch._inductor.metrics.generated_kernel_count
    if kernels < 1:
        raise LeftOut("torch.compile generated no kernel")
    launch, facts = torch_contender(compiled, sets)
    return launch, {**facts, "generated_kernels": kernels}


def copy_contender(sets):
    def launch(i):
        sets.y[i].copy_(sets.x[i])
        return sets.y[i]

    return launch, {}


def makers_of(options, bound, sets):
    """Functions that set contenders up, by name, in the order of the tables."""
    makers = {name: (lambda one=one: hiptune_contender(one, sets)) for name, one in bound.items()}
    peers = {
        "triton 4 warps": lambda: triton_contender(4, sets, options.triton_elements),
        "triton 8 warps": lambda: triton_contender(8, sets, options.triton_elements),
        "torch rms_norm": lambda: torch_contender(eager_rms_norm, sets),
        "torch.compile": lambda: compiled_contender("default", sets),
        "torch.compile max-autotune": lambda: compiled_contender("max-autotune-no-cudagraphs", sets),
        TORCH_COPY: lambda: copy_contender(sets),
    }
    return {name: maker for name, maker in (makers | peers).items() if name not in options.skip}


# ---- checking and timing


def largest_error(x, w, y, dtype):
    """The largest |y - formula| over its limit, the formula in float64, in parts that leave the memory to the sets."""
    rows_at_once = max(1, 2**26 // x.shape[1])
    worst = 0.0
    for first in range(0, x.shape[0], rows_at_once):
        part = x[first:first + rows_at_once].double()
        expected = part * torch.rsqrt(part.pow(2).mean(-1, keepdim=True) + EPSILON) * w.double()
        actual = y[first:first + rows_at_once].double()
        in_limits = (actual - expected).abs() / (ABSOLUTE_LIMIT + RELATIVE_LIMIT[dtype] * expected.abs())
        worst = max(worst, in_limits.nan_to_num(nan=math.inf, posinf=math.inf).max().item())
    return worst


def check(name, launch, sets):
    """Over the last set, whose place no other has just written. Throws where a result is wrong."""
    last = sets.count - 1
    sets.y[last].fill_(math.nan)
    result = launch(last)
    torch.cuda.synchronize()
    if name in COPIES:
        if not torch.equal(result, sets.x[last]):
            raise LeftOut("the copy is wrong")
        return 0.0
    error = largest_error(sets.x[last], sets.w[last], result, sets.dtype)
    if not error <= 1:
        raise LeftOut(f"wrong: {error:.3g} times the limit of an element")
    return error


def capture(launch, launches, sets):
    """A graph of so many launches, rotating over so many sets."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launches):
            launch(i % sets)
    return graph


def replay_us(graph):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return 1000 * start.elapsed_time(end)


def capture_long_enough(launch, sets, options):
    """The graph of one mode, and its number of launches. A first graph of a few rotations tells how long one takes."""
    first = plan_launches(sets, 1e-4, 1e-3)
    graph = capture(launch, first, sets)
    replay_us(graph)  # the first one moves the graph to the device
    launches = plan_launches(sets, replay_us(graph) / first / 1e6, options.replay_ms / 1000)
    if launches <= first:
        return graph, first
    del graph
    return capture(launch, launches, sets), launches


@contextlib.contextmanager
def time_limit(seconds):
    def stop(_signal, _frame):
        raise LeftOut(f"setting it up took longer than --limit {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def set_up(name, maker, sets, options):
    """Compiles, checks and captures: the contender's graphs by mode, and what is to be reported of it."""
    started = time.monotonic()
    with time_limit(options.limit):  # not around a capture, which must not be left halfway
        launch, facts = maker()
        facts["error_in_limits"] = check(name, launch, sets)
    for i in range(sets.count):  # whatever a first launch does is not captured
        launch(i)
    torch.cuda.synchronize()
    graphs = {"cold": capture_long_enough(launch, sets.count, options), "warm": capture_long_enough(launch, 1, options)}
    facts["set_up_seconds"] = time.monotonic() - started
    facts["launches"] = {mode: launches for mode, (_, launches) in graphs.items()}
    return graphs, facts


def time_rounds(graphs, mode, options):
    """Microseconds per launch of each contender, a list over rounds."""
    times = {name: [] for name in graphs}
    for order in shuffled_orders(graphs, options.rounds, options.seed):
        for name in order:
            graph, launches = graphs[name][mode]
            graph.replay()  # after another's launches, untimed
            times[name].append(replay_us(graph) / launches)
    return times


def reason_of(error):
    return str(error) if isinstance(error, LeftOut) else f"{type(error).__name__}: {error}"


def run_shape(rows, cols, dtype, bound, options, cache_bytes):
    one_set = set_bytes(rows, cols, dtype)
    sets = Sets(rows, cols, dtype, plan_sets(one_set, cache_bytes, options.memory_gb * 1e9, options.most_sets), options.seed)
    result = {"rows": rows, "cols": cols, "dtype": dtype, "sets": sets.count, "set_bytes": one_set,
              "is_cold": exceeds_cache(sets.count, one_set, cache_bytes), "contenders": {}}
    graphs = {}
    for name, maker in makers_of(options, bound, sets).items():
        try:
            graphs[name], result["contenders"][name] = set_up(name, maker, sets, options)
        except Exception as error:  # of any peer's: it is left out, and the others go on
            result["contenders"][name] = {"failure": reason_of(error)}
            print(f"{rows}x{cols} {dtype}: {name} is left out: {reason_of(error).splitlines()[0]}", file=sys.stderr)
    for mode in MODES:
        for name, times in time_rounds(graphs, mode, options).items():
            result["contenders"][name][mode] = summarize(times)
    return result


def run_shape_alone(*arguments):
    """Nothing of a shape stays for the next."""
    try:
        return run_shape(*arguments)
    finally:
        torch._dynamo.reset()
        torch.cuda.empty_cache()


def driver_version():
    file = pathlib.Path("/proc/driver/nvidia/version")
    return file.read_text().splitlines()[0] if file.exists() else "unknown"


def new_report(library, options, properties, cache_bytes):
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "device": properties.name, "last_level_cache_bytes": cache_bytes, "driver": driver_version(),
            "cuda_of_torch": torch.version.cuda, "torch": torch.__version__, "triton": triton.__version__,
            "hiptune": library.version, "python": sys.version.split()[0], "rounds": options.rounds,
            "seed": options.seed, "replay_ms": options.replay_ms, "epsilon": EPSILON, "skipped": options.skip,
            "also": [name for name, _ in options.also], "results": [], "not_begun": []}


def run(options):
    started = time.monotonic()
    torch.cuda.set_device(options.device)
    library = Library(options.library)
    device = f"nvidia:{options.device}"
    dispatchers = {HIPTUNE: library.open(device, options.cache)}
    dispatchers |= {name: library.open(device, cache) for name, cache in options.also}
    properties = torch.cuda.get_device_properties(options.device)
    cache_bytes = getattr(properties, "L2_cache_size", 0) or 256 * 2**20
    report = new_report(library, options, properties, cache_bytes)
    for dtype in options.dtype or ELEMENT_BYTES:
        with bound_kernels(library, dispatchers, dtype) as bound:
            for rows, cols in shapes_for(dtype, options.shape):
                if time.monotonic() - started > options.budget:
                    report["not_begun"].append(f"{rows}x{cols} {dtype}")
                    continue
                report["results"].append(run_shape_alone(rows, cols, dtype, bound, options, cache_bytes))
                if options.json:
                    write_report(options.json, report)
                print(f"{rows}x{cols} {dtype}: done after {time.monotonic() - started:.0f} s", file=sys.stderr)
    if options.json:
        write_report(options.json, report)
    print(tables_of(report))
    return 0


def main(words):
    options = parse_options(words)
    if options.render:
        try:
            print(tables_of_file(options.render))
        except ValueError as error:
            sys.exit(f"peers.py: {error}")
        return 0
    if torch is None:
        sys.exit("peers.py: torch and triton cannot be imported; install them, or --render an earlier run's file")
    if not torch.cuda.is_available():
        sys.exit("peers.py: torch finds no CUDA device")
    return run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
