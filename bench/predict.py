#!/usr/bin/env python3
"""The benchmark of `seriatim predict`: measures every analysis on generated runs, prints tables.

The runs come from bench-scenarios, which knows of each of its blocks whether it can be cut. All
figures that are compared come from one run of this program on one machine. See --help for the
options.
"""

import argparse
import dataclasses
import datetime
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile

from measuring import Command, Launcher, Trouble, built, end_with, measure, show
from run import memory_gib, power, processor, progress, ratio, table, time_text

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

SCENARIOS = ["philosophers", "elevator", "accounts", "pool", "barrier"]
SECTIONS = ["engines", "clean", "growth", "distinct", "jobs", "large"]
BAD = 20  # blocks in a thousand that can be cut, where there are any

# The setups of an engine, if more than one is worth a line. Those expected to be fast come first,
# because the fastest sets the time after which the others are stopped.
SETUPS = {
    "reduction": [("reduction, multilockset", ["--races", "multilockset"]),
                  ("reduction, by variable", ["--races", "by-variable"]),
                  ("reduction, pairwise", ["--races", "pairwise"])],
    "commit-node": [("commit-node, conflict", []), ("commit-node, view", ["--notion", "view"])],
    "blocks": [("blocks, one variable", ["--one-variable"]), ("blocks", [])],
    "tas": [("tas", [])],
}


@dataclasses.dataclass
class Setup:
    name: str
    engine: str
    options: list


@dataclasses.dataclass
class Sizes:
    engines: int  # events
    clean: int
    growth: int  # events, compared with `engines`
    distinct: list  # different transactions
    many: int  # the same, if several threads are to have something to do
    large: int
    rounds: int


def choose_sizes(options):
    if options.tiny:
        return Sizes(4_000, 2_000, 2_000, [16, 64], 64, 8_000, 1)
    if options.quick:
        return Sizes(20_000, 10_000, 2_000, [64, 256], 256, 200_000, 1)
    return Sizes(10**6, 10**5, 10**5, [64, 1024, 4096], 4096, 10**7, 3)


def known_setups(seriatim, wanted):
    """The setups of all engines that the program has, or of the selected ones."""
    helped = subprocess.run([seriatim, "predict", "--help"], capture_output=True, text=True,
                            check=False)
    engines = re.findall(r"^  (\S+) ", helped.stdout.partition("engines:\n")[2], re.M)
    if "all" not in engines:
        raise Trouble("`seriatim predict --help` names no engines")
    engines.remove("all")
    if wanted:
        engines = [name for name in engines if name in wanted.split(",")]
    order = [name for name in SETUPS if name in engines]
    order += [name for name in engines if name not in SETUPS]
    return [Setup(name, engine, options) for engine in order
            for name, options in SETUPS.get(engine, [(engine, [])])]


@dataclasses.dataclass
class Trace:
    scenario: str
    file: str
    words: str  # what is special about it


class Bench:
    """What all sections need: the programs, the setups, a directory for traces."""

    def __init__(self, options, directory):
        self.directory = directory
        self.seriatim, self.generator, launcher = built(options.build, "seriatim", "bench-scenarios",
                                                        "bench-measure")
        self.launcher = Launcher(launcher, directory, options.cpu_time)
        self.setups = known_setups(self.seriatim, options.engines)
        self.sizes = choose_sizes(options)
        self.seed = options.seed
        self.faults = []

    def generate(self, scenario, events, bad=BAD, distinct=64):
        file = os.path.join(self.directory, f"{scenario}.std")
        argv = [self.generator, "--scenario", scenario, "--events", str(events), "--bad", str(bad),
                "--distinct", str(distinct), "--seed", str(self.seed), "-o", file]
        words = f"{power(events)} events, {distinct:,} different transactions"
        progress(f"{scenario}, {words}")
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(f"{show(argv)} failed: {done.stderr.strip()}")
        return Trace(scenario, file, words)

    def command(self, key, setup, trace, jobs=1):
        argv = [self.seriatim, "predict", "--engine", setup.engine, *setup.options, "--jobs",
                str(jobs), "--limit", "1", "--format", "json", trace.file]
        return Command(key, argv, capped=True)

    def measure(self, trace, commands):
        runs = measure(self.launcher, commands, self.sizes.rounds)
        for key, run in runs.items():
            if run.stopped and self.launcher.cpu_time:
                run.seconds = run.cpu_seconds  # as much as it got before it was stopped
            # 2 also stands for blocks that took too long, of which there is a column.
            if not run.stopped and answer(run) is None:
                last = (run.errors.strip().splitlines() or [""])[-1]
                self.faults.append(f"{key} on {trace.scenario}, {trace.words}: exit status "
                                   f"{run.status} {last}".rstrip())
        return runs

    def measure_all(self, trace):
        """Every setup on the trace, by name."""
        return self.measure(trace, [self.command(setup.name, setup, trace)
                                    for setup in self.setups])

    def decode(self, trace):
        argv = [self.seriatim, "stats", trace.file]
        return measure(self.launcher, [Command("decode", argv)], self.sizes.rounds)["decode"]


def answer(run):
    """What the program printed, or None if it was stopped or failed."""
    try:
        return None if run.stopped else json.loads(run.output)
    except ValueError:
        return None


def reported(result):
    verdicts = result["verdicts"]
    return verdicts["potential"] + verdicts["violation"]


def time_of(run):
    return time_text(run) if run.stopped or answer(run) else "failed"


def growth_of(small, large):
    """The time of `large` divided by that of `small`, if both are known."""
    if small.stopped or not answer(small):
        return "-"
    return ("> " if large.stopped else "") + ratio(large.seconds, small.seconds)


# Tables have a line for each setup and a column for each scenario, or for each step.


def matrix(bench, columns, cell):
    """cell(run, result) says what to show of a run; columns are a heading and runs by setup."""
    rows = []
    for setup in bench.setups:
        row = [setup.name]
        for _, runs in columns:
            run = runs[setup.name]
            result = answer(run)
            row.append(cell(run, result) if result else time_of(run))
        rows.append(row)
    return table(["analysis"] + [heading for heading, _ in columns], rows, 1) + "\n"


def show_time(run, _result):
    return time_of(run)


def show_memory(run, _result):
    return f"{run.peak_mb:.0f}"


def show_reported(_run, result):
    late = result["verdicts"]["timeout"]
    return f"{reported(result):,}" + (f" ({late:,} late)" if late else "")


def show_storage(_run, result):
    return f"{result['storage']:,}" if "storage" in result else ""


def blocks_of(runs):
    """How many blocks the trace has, from any setup that finished."""
    counts = [result["block_count"] for result in map(answer, runs.values()) if result]
    return f"{counts[0]:,}" if counts else "?"


# Section: engines. Its measurements are half of those of the section growth.


def engines_section(bench, memory):
    yield f"\n## Analyses, {power(bench.sizes.engines)} events, {BAD} bad blocks in a thousand\n"
    decoded = []
    for scenario in SCENARIOS:
        trace = bench.generate(scenario, bench.sizes.engines)
        memory[scenario] = bench.measure_all(trace)
        decoded.append(f"{bench.decode(trace).seconds:.3f} s ({scenario})")
    columns = [(scenario, memory[scenario]) for scenario in SCENARIOS]
    yield f"Time. Reading and validating alone takes {', '.join(decoded)}.\n"
    yield matrix(bench, columns, show_time)
    yield "Peak memory in MB.\n"
    yield matrix(bench, columns, show_memory)
    counts = ", ".join(f"{blocks_of(runs)} ({scenario})" for scenario, runs in columns)
    yield f"Blocks that are reported, of {counts}.\n"
    yield matrix(bench, columns, show_reported)
    yield "Storage as the papers count it, in the unit of each analysis.\n"
    yield matrix(bench, columns, show_storage)


# Section: clean.


def clean_section(bench, _memory):
    yield f"\n## False alarms on clean twins, {power(bench.sizes.clean)} events\n"
    columns = [(scenario, bench.measure_all(bench.generate(scenario, bench.sizes.clean, bad=0)))
               for scenario in SCENARIOS]
    counts = ", ".join(f"{blocks_of(runs)} ({scenario})" for scenario, runs in columns)
    yield f"Blocks that are reported, of {counts}. None of them can be cut in any schedule.\n"
    yield matrix(bench, columns, show_reported)


# Section: growth.


def growth_section(bench, memory):
    small, large = bench.sizes.growth, bench.sizes.engines
    yield f"\n## Growth from {power(small)} to {power(large)} events\n"
    yield f"The time divided by that of the shorter run; linear is {large / small:.0f}.\n"
    before = {}
    for scenario in SCENARIOS:
        if scenario not in memory:
            memory[scenario] = bench.measure_all(bench.generate(scenario, large))
        before[scenario] = bench.measure_all(bench.generate(scenario, small))
    rows = [[setup.name] + [growth_of(before[name][setup.name], memory[name][setup.name])
                            for name in SCENARIOS] for setup in bench.setups]
    yield table(["analysis"] + SCENARIOS, rows, 1)


# Section: distinct.


def distinct_section(bench, _memory):
    yield f"\n## Different transactions, accounts, {power(bench.sizes.engines)} events\n"
    yield "How long it takes when more and more different transactions occur.\n"
    columns = []
    for number in bench.sizes.distinct:
        trace = bench.generate("accounts", bench.sizes.engines, distinct=number)
        columns.append((f"{number:,}", bench.measure_all(trace)))
    yield matrix(bench, columns, show_time)


# Section: jobs.


def jobs_section(bench, _memory):
    yield (f"\n## One thread and two, accounts, {power(bench.sizes.engines)} events, "
           f"{bench.sizes.many:,} different transactions\n")
    trace = bench.generate("accounts", bench.sizes.engines, distinct=bench.sizes.many)
    commands = [bench.command((setup.name, jobs), setup, trace, jobs)
                for setup in bench.setups for jobs in (1, 2)]
    # Only wall-clock time shows the gain.
    cpu_time, bench.launcher.cpu_time = bench.launcher.cpu_time, False
    runs = bench.measure(trace, commands)
    bench.launcher.cpu_time = cpu_time
    rows = []
    for setup in bench.setups:
        one, two = runs[(setup.name, 1)], runs[(setup.name, 2)]
        known = not one.stopped and not two.stopped
        rows.append([setup.name, time_of(one), time_of(two),
                     ratio(one.seconds, two.seconds) if known else "-"])
    yield "Wall-clock time.\n"
    yield table(["analysis", "--jobs 1", "--jobs 2", "ratio"], rows, 1)


# Section: large.


def large_section(bench, _memory):
    yield f"\n## Long runs: reduction on {power(bench.sizes.large)} events\n"
    setups = [setup for setup in bench.setups if setup.engine == "reduction"]
    rows = []
    for scenario in SCENARIOS:
        trace = bench.generate(scenario, bench.sizes.large)
        runs = bench.measure(trace, [bench.command(setup.name, setup, trace) for setup in setups])
        decoded = bench.decode(trace)
        rows.append([scenario, "(reading alone)", f"{decoded.seconds:.3f} s",
                     f"{decoded.peak_mb:.0f}", ""])
        for setup in setups:
            run = runs[setup.name]
            result = answer(run)
            rows.append([scenario, setup.name, time_of(run), f"{run.peak_mb:.0f}",
                         f"{reported(result):,} of {result['block_count']:,}" if result else "-"])
        os.remove(trace.file)
    yield table(["scenario", "analysis", "time", "peak MB", "reported"], rows)


# The report around the tables.


def preface(bench):
    clock = "CPU times (user and system)" if bench.launcher.cpu_time else "wall-clock"
    yield "# Benchmark of prediction\n"
    yield (
        f"Measured on {datetime.date.today().isoformat()} with `bench/predict.py` on "
        f"{processor()}, {os.cpu_count()} cores, {memory_gib():.0f} GiB, {platform.system()} "
        f"{platform.machine()}. Traces come from `bench-scenarios` (seed {bench.seed}, 8 threads "
        f"beside the first). Times are {clock}, the best of {bench.sizes.rounds} (one above two "
        "seconds), with `--jobs 1` where nothing else is said; peak memory is the largest resident "
        "set. `> N s` stands for an analysis that was stopped when twenty times the fastest one's "
        "time and thirty seconds had passed on the wall."
    )


def report(bench, wanted, emit):
    sections = {"engines": engines_section, "clean": clean_section, "growth": growth_section,
                "distinct": distinct_section, "jobs": jobs_section, "large": large_section}
    memory = {}  # the runs of the section engines, by scenario
    for words in preface(bench):
        emit(words)
    for name in wanted:
        for words in sections[name](bench, memory):
            emit(words)
    if bench.faults:
        emit("\n## Failures\n")
        for fault in bench.faults:
            emit(f"- {fault}")


def parse_options():
    parser = argparse.ArgumentParser(description="Measures seriatim predict on generated runs.")
    default = os.environ.get("SERIATIM_BUILD", os.path.join(ROOT, "build"))
    parser.add_argument("--build", default=default, help="where the programs are (build)")
    parser.add_argument("--engines", help="only these, separated by commas")
    parser.add_argument("--only", metavar="SECTION", action="append", choices=SECTIONS,
                        help=f"only this section ({', '.join(SECTIONS)}); may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of the generated traces (1)")
    parser.add_argument("--cpu-time", action="store_true",
                        help="measure CPU time instead of wall-clock, for a busy machine")
    parser.add_argument("--quick", action="store_true",
                        help="small traces, for less than two minutes")
    parser.add_argument("--tiny", action="store_true",
                        help="tiny traces, to see that the benchmark itself works")
    return parser.parse_args()


def main():
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix="seriatim-bench-") as directory:
            bench = Bench(options, directory)
            report(bench, options.only or SECTIONS, lambda words: print(words, flush=True))
            return 1 if bench.faults else 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    end_with(main)
