#!/usr/bin/env python3
"""The benchmark of seriatim: generates traces, measures every engine on them, prints tables.

All figures that are compared come from one run of this program on one machine, so that their
ratios mean something. See --help for the options; BENCH_LARGE=1 adds traces of 10^8 events.
"""

import argparse
import dataclasses
import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile

import plot
from measuring import Command, Launcher, Trouble, built, end_with, measure, show

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The order in which they run: those expected to be fast come first, because the fastest sets the
# time after which the others are stopped.
ENGINES = ["witness", "regiontrack", "aerodrome", "doublechecker", "velodrome"]
KINDS = ["two-phase", "small-blocks", "giant-blocks", "partitioned", "contention", "violating-late"]
FORMATS = ["text", "native"]
SECTIONS = ["engines", "targets", "one-core", "events", "threads", "variables"]
REAL_PROGRAMS = "\n## Real programs\n"

GREP_WRITES = ["grep", "-c", "w("]
GREP_LINES = ["grep", "-c", ""]
GREP_FULL_LINES = ["grep", "-c", "."]


@dataclasses.dataclass
class Sizes:
    """How large the traces are."""

    engines: int
    events: list
    threads_events: int
    threads: list
    variables_events: int
    variables: list
    rounds: int


def choose_sizes(options):
    if options.quick:
        sizes = Sizes(20_000, [10_000, 100_000], 20_000, [8, 32], 20_000, [10**3, 10**4], 1)
    else:
        sizes = Sizes(
            5_000_000,
            [10**5, 10**6, 10**7],
            2_000_000,
            [8, 32, 64, 256],
            4_000_000,
            [10**3, 10**4, 10**5, 10**6, 10**7],
            3,
        )
        if os.environ.get("BENCH_LARGE") == "1":
            sizes.events.append(10**8)
    if options.events:
        sizes.engines = sizes.threads_events = sizes.variables_events = options.events
    return sizes


@dataclasses.dataclass
class Trace:
    """A generated trace in both formats."""

    kind: str
    events: int
    text: str
    native: str

    def file(self, form):
        return self.text if form == "text" else self.native

    def remove(self):
        os.remove(self.text)
        os.remove(self.native)

    def sizes(self):
        text, native = os.path.getsize(self.text), os.path.getsize(self.native)
        return (
            f"{text / 1e6:.1f} MB as text ({text / self.events:.1f} bytes an event), "
            f"{native / 1e6:.1f} MB native ({native / self.events:.2f} bytes an event)"
        )


class Bench:
    """What all sections need: the programs, the engines, a directory for traces."""

    def __init__(self, options, directory):
        self.directory = directory
        self.seriatim, self.generator, launcher = built(options.build, "seriatim", "bench-generate",
                                                        "bench-measure")
        self.launcher = Launcher(launcher, directory, options.cpu_time)
        self.engines = self.choose_engines(options.engines)
        self.sizes = choose_sizes(options)
        self.seed = options.seed
        self.faults = []

    def choose_engines(self, wanted):
        if wanted:
            return wanted.split(",")
        helped = subprocess.run(
            [self.seriatim, "check", "--help"], capture_output=True, text=True, check=False
        )
        engines = [name for name in ENGINES if name in helped.stdout]
        if not engines:
            raise Trouble("`seriatim check --help` names no engine; choose with --engines")
        return engines

    def call(self, argv):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(f"{show(argv)} failed: {done.stderr.strip()}")

    def generate(self, kind, events, **sizes):
        text = os.path.join(self.directory, "trace.std")
        native = os.path.join(self.directory, "trace.stt")
        arguments = ["--kind", kind, "--events", str(events), "--seed", str(self.seed), "-o", text]
        for name, value in sizes.items():
            arguments += [f"--{name}", str(value)]
        words = [kind, f"{events:,} events"] + [f"{n:,} {name}" for name, n in sizes.items()]
        progress(", ".join(words))
        self.call([self.generator] + arguments)
        self.call([self.seriatim, "convert", text, native])
        return Trace(kind, events, text, native)

    def check(self, engine, trace, form):
        return [self.seriatim, "check", "--engine", engine, "--format", "json", trace.file(form)]

    def measure(self, trace, engines):
        """All measurements on one trace, by (what, format)."""
        commands = [
            Command(("grep w", "text"), GREP_WRITES + [trace.text]),
            Command(("grep lines", "text"), GREP_LINES + [trace.text]),
        ]
        for form in FORMATS:
            commands.append(
                Command(("decode", form), [self.seriatim, "stats", trace.file(form)])
            )
        for engine in engines:
            for form in FORMATS:
                argv = self.check(engine, trace, form)
                commands.append(Command((engine, form), argv, capped=True))
        runs = measure(self.launcher, commands, self.sizes.rounds)
        for key, run in runs.items():
            self.note_fault(trace, key, run)
        return runs

    def note_fault(self, trace, key, run):
        """A fast wrong answer is worthless: the verdict is known from the kind."""
        violating = trace.kind.startswith("violating") and key[0] in self.engines
        if run.stopped or run.status == (1 if violating else 0):
            return
        last = run.errors.strip().splitlines()[-1:] or [""]
        self.faults.append(
            f"{key[0]} ({key[1]}) on {trace.kind}, {trace.events:,} events: "
            f"exit status {run.status} {last[0].replace(self.directory + os.sep, '')}".rstrip()
        )


def progress(words):
    print(f"bench: {words}", file=sys.stderr, flush=True)


# Tables are Markdown, aligned so that they read well on a terminal too.


def table(header, rows, names=2):
    """The first `names` columns are names, and the others numbers."""
    cells = [header] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]

    def line(row):
        left = [row[i].ljust(widths[i]) for i in range(names)]
        right = [row[i].rjust(widths[i]) for i in range(names, len(row))]
        return "| " + " | ".join(left + right) + " |"

    rule = ["-" * width for width in widths[:names]]
    rule += ["-" * (width - 1) + ":" for width in widths[names:]]
    return "\n".join([line(header), "| " + " | ".join(rule) + " |"] + [line(row) for row in rows])


def power(number):
    exponent = len(str(number)) - 1
    return f"10^{exponent}" if number == 10**exponent and exponent > 2 else f"{number:,}"


def ratio(value, to):
    return f"{value / to:.2f}" if to else "-"


def time_text(run):
    return f"> {run.seconds:.0f} s" if run.stopped else f"{run.seconds:.3f} s"


# Section: engines, every engine on every kind of trace.


def engine_row(what, form, trace, runs):
    run = runs[(what, form)]
    if run.stopped or run.status > 1:
        time = time_text(run) if run.stopped else "failed"
        return [what, form, time, "-", "-", "-", "-", "-", "-"]
    text, native = runs.get((what, "text")), runs.get((what, "native"))
    gain = form == "native" and not text.stopped and text.status <= 1
    return [
        what,
        form,
        time_text(run),
        f"{run.cpu_seconds:.3f} s",
        f"{trace.events / run.seconds / 1e6:.1f}",
        ratio(run.seconds, runs[("grep w", "text")].seconds),
        ratio(run.seconds, runs[("grep lines", "text")].seconds),
        f"{run.peak_mb:.1f}",
        ratio(text.seconds, native.seconds) if gain else "",
    ]


def engines_table(bench, trace, runs):
    header = [
        "what", "format", "time", "CPU time", "M events/s", "÷ grep w(", "÷ grep lines",
        "peak MB", "text ÷ native",
    ]  # fmt: skip
    order = [("grep w", "text"), ("grep lines", "text")]
    order += [(what, form) for what in ["decode"] + bench.engines for form in FORMATS]
    return table(header, [engine_row(what, form, trace, runs) for what, form in order])


def engines_section(bench):
    yield "## Engines\n"
    yield (
        "Every engine on every kind of trace. `decode` is `seriatim stats`: reading, validating, and "
        "looking for data races. `÷ grep w(` is the time divided by that of `grep w`, less is better. CPU time is "
        "user and system time of the same run; where it is well below the time, the machine was "
        "busy with other things."
    )
    for kind in KINDS:
        trace = bench.generate(kind, bench.sizes.engines)
        runs = bench.measure(trace, bench.engines)
        yield f"\n### {kind}, {trace.events:,} events\n\n{trace.sizes()}\n"
        yield engines_table(bench, trace, runs)
        trace.remove()


# Section: targets. How `check` as a whole compares with reading the text at all, and text with the
# native format. CPU time counts the thread that reads ahead, too.


def one_core():
    return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]


def targets_row(bench, kind):
    trace = bench.generate(kind, bench.sizes.engines)
    first = bench.engines[0]
    native = bench.check(first, trace, "native")
    commands = [
        Command(("grep", "text"), GREP_FULL_LINES + [trace.text]),
        Command((first, "text"), bench.check(first, trace, "text")),
        Command((first, "native"), native),
        Command((first, "one core"), one_core() + native),
    ]
    runs = measure(bench.launcher, commands, bench.sizes.rounds)
    for key, run in runs.items():
        bench.note_fault(trace, key, run)
    trace.remove()
    grep, text, native, one = (run.cpu_seconds for run in runs.values())
    row = [kind] + [f"{seconds * 1e9 / trace.events:.1f}" for seconds in (grep, text)]
    row += [ratio(text, grep), f"{native * 1e9 / trace.events:.1f}", ratio(text, native)]
    return row + [f"{trace.events / one / 1e6:.1f}" if one else "-"]


def targets_section(bench):
    yield "\n## Text, native and grep\n"
    yield (
        f"`check` with {bench.engines[0]} on {bench.sizes.engines:,} events, in nanoseconds of CPU "
        "time an event, all threads together, beside `LC_ALL=C grep -c .` on the same text. The "
        "last column is million events a second of CPU time, native, everything on one core.\n"
    )
    header = [
        "trace", "grep -c .", "check text", "text ÷ grep", "check native", "text ÷ native",
        "M events/s on one core",
    ]  # fmt: skip
    yield table(header, [targets_row(bench, kind) for kind in KINDS], names=1)


# Section: one core. Otherwise a second core reads ahead, which does not show in the time.


def one_core_row(bench, kind):
    trace = bench.generate(kind, bench.sizes.engines)
    pin = one_core()
    commands = [
        Command(("grep w", "text"), pin + GREP_WRITES + [trace.text]),
        Command(("decode", "native"), pin + [bench.seriatim, "stats", trace.native]),
    ]
    for engine in bench.engines:
        argv = pin + bench.check(engine, trace, "native")
        commands.append(Command((engine, "native"), argv, capped=True))
    runs = measure(bench.launcher, commands, bench.sizes.rounds)
    for key, run in runs.items():
        bench.note_fault(trace, key, run)
    trace.remove()
    grep, decode = (runs[key].seconds for key in (("grep w", "text"), ("decode", "native")))
    row = [kind, "native", f"{trace.events / decode / 1e6:.1f}"]
    for engine in bench.engines:
        run = runs[(engine, "native")]
        row.append("-" if run.stopped else f"{trace.events / run.seconds / 1e6:.1f}")
    first = runs[(bench.engines[0], "native")].seconds
    return row + [ratio(first, grep), ratio(first, decode)]


def one_core_section(bench):
    first = bench.engines[0]
    header = ["trace", "format", "decode"] + bench.engines
    header += [f"{first} ÷ grep w(", f"{first} ÷ decode"]
    yield "\n## On one core\n"
    yield (
        f"Million events a second, {bench.sizes.engines:,} events in the native format, everything "
        "on one core (`taskset`). The last columns are times divided by those of `grep w` on the "
        "text and of `decode`.\n"
    )
    yield table(header, [one_core_row(bench, kind) for kind in KINDS])


# Sections that vary one size: cost per event at each step, and its ratio to the step before.


@dataclasses.dataclass
class Growth:
    """Measurements along one growing size; `points` holds (size, events, runs)."""

    what: str
    points: list

    def series(self):
        """Every (what, format) that was measured, in the order of the first point."""
        return list(self.points[0][2])

    def costs(self, key):
        """Nanoseconds per event at each point, with None if there is no figure."""
        costs = []
        for _, events, runs in self.points:
            run = runs.get(key)
            good = run is not None and not run.stopped and run.status <= 1
            costs.append(run.seconds * 1e9 / events if good else None)
        return costs


def grow(bench, what, steps):
    """Measures along `steps`, (size, kind, events, generator options) each. An engine that had to
    be stopped is left out of the larger steps: it would only be stopped again."""
    growth = Growth(what, [])
    engines = list(bench.engines)
    for size, kind, events, sizes in steps:
        trace = bench.generate(kind, events, **sizes)
        runs = bench.measure(trace, engines)
        growth.points.append((size, events, runs))
        engines = [name for name in engines if not any(runs[(name, f)].stopped for f in FORMATS)]
        trace.remove()
    return growth


def cost_row(growth, key):
    row = list(key)
    before = None
    for cost, (_, _, runs) in zip(growth.costs(key), growth.points):
        run = runs.get(key)
        if cost is not None:
            row.append(f"{cost:.1f}")
        else:
            row.append("-" if run is None else time_text(run) if run.stopped else "failed")
        if len(row) > 3:
            row.append(ratio(cost, before) if cost and before else "-")
        before = cost
    return row


def memory_row(growth, key):
    runs = [point[2].get(key) for point in growth.points]
    return list(key) + [f"{run.peak_mb:.1f}" if run and not run.stopped else "-" for run in runs]


def growth_tables(growth):
    sizes = [power(size) for size, _, _ in growth.points]
    header = ["what", "format", sizes[0]]
    for size in sizes[1:]:
        header += [size, "ratio"]
    yield f"\nNanoseconds an event by {growth.what}, and the ratio to the step before:\n"
    yield table(header, [cost_row(growth, key) for key in growth.series()])
    ours = [key for key in growth.series() if not key[0].startswith("grep")]
    yield f"\nPeak memory in MB by {growth.what}:\n"
    yield table(["what", "format"] + sizes, [memory_row(growth, key) for key in ours])


def events_section(bench, growths):
    yield "\n## Growth with the number of events\n"
    yield "two-phase, 8 threads, 10,000 variables, 256 locks."
    fixed = {"threads": 8, "variables": 10_000, "locks": 256}
    steps = [(n, "two-phase", n, fixed) for n in bench.sizes.events]
    growths["events"] = grow(bench, "events", steps)
    yield from growth_tables(growths["events"])


def threads_section(bench, growths):
    yield "\n## Growth with the number of threads"
    events = bench.sizes.threads_events
    for kind in ("two-phase", "partitioned"):
        yield f"\n### {kind}, {events:,} events, 100,000 variables, 1,024 locks"
        fixed = {"variables": 100_000, "locks": 1024}
        steps = [(k, kind, events, dict(fixed, threads=k)) for k in bench.sizes.threads]
        growth = grow(bench, "threads", steps)
        growths.setdefault("threads", growth)
        yield from growth_tables(growth)


def variables_seen(runs):
    """How many variables really occurred, from the JSON of any engine, or None."""
    for key, run in runs.items():
        if key[0] in ENGINES and run.status <= 1 and not run.stopped:
            try:
                return int(json.loads(run.output)["trace"]["variables"])
            except (ValueError, KeyError, TypeError):
                return None
    return None


def variables_section(bench, growths):
    yield "\n## Growth with the number of variables\n"
    events = bench.sizes.variables_events
    yield f"two-phase, {events:,} events, 8 threads, 256 locks, variables chosen evenly."
    steps = [
        (v, "two-phase", events, {"threads": 8, "variables": v, "locks": 256})
        for v in bench.sizes.variables
    ]
    growths["variables"] = grow(bench, "variables", steps)
    seen = [variables_seen(runs) for _, _, runs in growths["variables"].points]
    if all(seen):
        yield "Variables that occur at each step: " + ", ".join(f"{n:,}" for n in seen) + "."
    yield from growth_tables(growths["variables"])


# The report around the tables.


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def preface(bench):
    clock = "CPU times (user and system)" if bench.launcher.cpu_time else "wall-clock"
    yield "# Benchmark\n"
    yield (
        "For users who want to know how fast the engines are, and how their cost grows with events, "
        "threads and variables.\n"
    )
    yield (
        f"Measured on {datetime.date.today().isoformat()} with `make bench` on {processor()}, "
        f"{os.cpu_count()} cores, {memory_gib():.0f} GiB, {platform.system()} "
        f"{platform.machine()}. Traces come from `bench-generate` (seed {bench.seed}) and are in "
        f"the page cache. Times are {clock}, the best of {bench.sizes.rounds} runs (more if they are "
        "very short, one if they take more than two seconds); all commands take turns. Peak memory "
        "is the largest resident set.\n"
    )
    yield (
        "For comparison there are `LC_ALL=C grep -c 'w(' trace.std` (`grep w`) and "
        "`LC_ALL=C grep -c '' trace.std` (`grep lines`) on the same text. Engines run as "
        "`seriatim check --engine NAME --format json TRACE`. `> N s` means that an engine was "
        "stopped after twenty times the fastest engine's time and thirty seconds.\n"
    )


def report(bench, wanted, growths, emit):
    for words in preface(bench):
        emit(words)
    sections = {
        "engines": lambda: engines_section(bench),
        "targets": lambda: targets_section(bench),
        "one-core": lambda: one_core_section(bench),
        "events": lambda: events_section(bench, growths),
        "threads": lambda: threads_section(bench, growths),
        "variables": lambda: variables_section(bench, growths),
    }
    for name in wanted:
        for words in sections[name]():
            emit(words)
    if bench.faults:
        emit("\n## Wrong or missing answers\n")
        for fault in bench.faults:
            emit(f"- {fault}")


def write_plot(growths, engines, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot.draw(growths, engines))


def write_docs(lines, growths, engines):
    write_plot(growths, engines, os.path.join(ROOT, "docs", "bench.svg"))
    title, rest = lines[0], lines[1:]
    picture = "![Cost against events, threads and variables, by engine](bench.svg)\n"
    path = os.path.join(ROOT, "docs", "bench.md")
    with open(path, encoding="utf-8") as file:
        programs = file.read().partition(REAL_PROGRAMS)  # a section of bench/real/cost.py
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([title, picture] + rest + list(programs[1:2])) + programs[2])


def parse_options():
    parser = argparse.ArgumentParser(description="Measures seriatim on generated traces.")
    default = os.environ.get("SERIATIM_BUILD", os.path.join(ROOT, "build"))
    parser.add_argument("--build", default=default, help="where the programs are (build)")
    parser.add_argument("--engines", help="only these, separated by commas")
    parser.add_argument("--only", metavar="SECTION", action="append", choices=SECTIONS,
                        help=f"only this section ({', '.join(SECTIONS)}); may be repeated")
    parser.add_argument("--events", type=int, help="events of a trace, where they do not grow")
    parser.add_argument("--seed", type=int, default=1, help="of the generated traces (1)")
    parser.add_argument("--cpu-time", action="store_true",
                        help="measure CPU time instead of wall-clock, for a busy machine")
    parser.add_argument("--quick", action="store_true",
                        help="tiny traces, to see that the benchmark itself works")
    parser.add_argument("--update-docs", action="store_true",
                        help="write docs/bench.md and docs/bench.svg")  # fmt: skip
    options = parser.parse_args()
    if options.update_docs and (options.quick or options.only or options.engines):
        parser.error("--update-docs writes whole pages: not with --quick, --only or --engines")
    return options


def run(options, directory):
    bench = Bench(options, directory)
    lines, growths = [], {}

    def emit(words):
        print(words, flush=True)
        lines.append(words)

    report(bench, options.only or SECTIONS, growths, emit)
    if options.update_docs:
        write_docs(lines, growths, bench.engines)
    elif growths:
        write_plot(growths, bench.engines, os.path.join(options.build, "bench.svg"))
    return 1 if bench.faults else 0


def main():
    options = parse_options()
    # So that the directory of traces, which may be large, is removed in this case, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix="seriatim-bench-") as directory:
            return run(options, directory)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    end_with(main)
