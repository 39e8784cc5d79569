#!/usr/bin/env python3
"""What it costs to watch real programs, compared with ThreadSanitizer.

    bench/real/cost.py [--build DIR] [--keep DIR] [--turns N] [--share F] [--quick] [--update-docs] [PROGRAM...]

Programs are fetched from Debian and built unchanged with gcc -O2, with the same gcc and
ThreadSanitizer (report_bugs=0), and with seriatim's compiler wrapper. Each does the same work
natively, instrumented with the runtime idle (the floor), under ThreadSanitizer, under `seriatim
run` and under `seriatim record`; in every turn each way has its turn, and the best of the turns
counts. Results must agree. CPU time is that of all processes; memory that of all at a time; lag is
how long seriatim went on after the program had ended. A program whose source cannot be had is left
out, and the end of the output says so.
"""

import argparse
import dataclasses
import datetime
import hashlib
import json
import math
import os
import platform
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]

import client
import packages
import plot
import recipes
from compilers import compilers
from measuring import Launcher, Run, Trouble, end_with
from usage import Usage

ROOT = os.path.dirname(os.path.dirname(HERE))
HANG_SECONDS = 900
WAYS = ["native", "floor", "tsan", "run", "record"]
BUILDS = {"native": "native", "floor": "seriatim", "tsan": "tsan", "run": "seriatim",
          "record": "seriatim"}
QUICK_SHARE = 0.05
HEADING = "## Real programs"


@dataclasses.dataclass
class Turn:
    """One run of one program in one way."""

    cpu: float
    wall: float
    peak_mb: float
    watcher: float  # CPU time of seriatim itself
    lag: float
    events: int = 0
    size: int = 0  # of the recording, in bytes


class Bench:
    def __init__(self, options, way, recipe):
        self.options, self.way, self.recipe = options, way, recipe
        self.seriatim = os.path.join(os.path.abspath(options.build), "seriatim")
        base = os.path.join(options.keep, recipe.package + "-cost")
        self.trace, self.report = base + ".stt", base + ".json"
        self.usage, self.ended = None, 0.0

    def launch(self, argv) -> Run:
        before = {"run": [self.seriatim, "run", "-q", "--format", "json", "--log", self.report, "--"],
                  "record": [self.seriatim, "record", "-q", "-o", self.trace, "--"]}
        launcher = Launcher(os.path.join(self.options.build, "bench-measure"), self.options.keep)
        launcher.started = self.watch
        run = launcher.run(before.get(self.way, []) + argv, HANG_SECONDS)
        self.ended = time.monotonic()
        self.output = launcher.output
        if run.stopped:
            raise Trouble(f"{' '.join(argv)} hung ({self.way})")
        if run.status not in ((0, 66) if self.way == "run" else (0,)):
            raise Trouble(f"{' '.join(argv)} ended with {run.status} ({self.way}): {run.errors}")
        return run

    def watch(self, process):
        self.usage = Usage(process)

    def turn(self, program):
        run = self.recipe.work(self.launch, program)
        self.usage.join()
        watched = self.way in ("run", "record")
        turn = Turn(run.cpu_seconds, run.seconds, max(run.peak_kib, self.usage.peak_kib) * 1024 / 1e6,
                    self.usage.first_seconds if watched else 0.0,
                    max(0.0, self.ended - self.usage.others_seen) if watched else 0.0)
        if watched:
            turn.events, turn.size = self.events()
        return turn

    def events(self):
        if self.way == "run":
            with open(self.report, encoding="utf-8") as file:
                return json.load(file)["trace"]["events"], 0
        done = subprocess.run([self.seriatim, "stats", "-q", self.trace], capture_output=True,
                              text=True, check=True)
        size = os.path.getsize(self.trace)
        os.remove(self.trace)
        return int(re.search(r"^events +(\d+)", done.stdout, re.M).group(1)), size

    def result(self):
        """What the program printed, apart from times."""
        with open(self.output, "rb") as file:
            return hashlib.sha256(re.sub(rb"[\d.]+ seconds", b"", file.read())).hexdigest()


def measure(options, recipe):
    """All turns of a program, by way."""
    ways = compilers(options.build)
    programs = {way: recipe.build(way, ways[way]) for way in ways}
    turns, results = {way: [] for way in WAYS}, set()
    for _ in range(options.turns):
        for way in WAYS:
            bench = Bench(options, way, recipe)
            turns[way].append(bench.turn(programs[BUILDS[way]]))
            results.add(bench.result())
    if recipe.prints_results and len(results) != 1:
        raise Trouble(f"{recipe.name}: the results of its builds differ")
    return turns


class Row:
    """A program's best turns, and what follows from them."""

    def __init__(self, name, turns):
        self.name = name
        self.best = {way: min(turns[way], key=lambda turn: turn.cpu) for way in WAYS}
        self.cpu = {way: self.best[way].cpu for way in WAYS}
        self.spread = {way: max(turn.cpu for turn in turns[way]) / self.cpu[way] - 1 for way in WAYS}

    def ratio(self, way, other="tsan"):
        return self.cpu[way] / self.cpu[other]

    def memory_ratio(self, way):
        return self.best[way].peak_mb / self.best["tsan"].peak_mb

    def place(self):
        """Where `run` is between the floor (0) and ThreadSanitizer (100)."""
        width = self.cpu["tsan"] - self.cpu["floor"]
        return f"{100 * (self.cpu['run'] - self.cpu['floor']) / width:.0f} %" if width > 0 else "–"

    def watcher_share(self, way):
        """CPU time of the watcher, divided by that of the program."""
        turn = self.best[way]
        return turn.watcher / max(turn.cpu - turn.watcher, 0.01)

    def time_cells(self):
        return [self.name, *(f"{self.cpu[way]:.2f}" for way in WAYS), f"{self.ratio('run'):.2f}",
                f"{self.ratio('record'):.2f}", self.place(),
                *(f"{self.best[way].wall:.2f}" for way in WAYS)]

    def other_cells(self):
        run, record = self.best["run"], self.best["record"]
        return [self.name, *(f"{self.best[way].peak_mb:.0f}" for way in WAYS),
                f"{run.events:,}", f"{record.events:,}",
                f"{record.size / max(record.events, 1):.2f}",
                f"{self.watcher_share('run'):.2f}", f"{self.watcher_share('record'):.2f}",
                f"{run.lag:.2f}", f"{record.lag:.2f}"]


TIMES = ["program", *(f"CPU: {way}" if way == "native" else way for way in WAYS), "run ÷ tsan",
         "record ÷ tsan", "run from floor to tsan",
         *(f"wall: {way}" if way == "native" else way for way in WAYS)]
OTHERS = ["program", *(f"peak MB: {way}" if way == "native" else way for way in WAYS),
          "events: run", "record", "bytes an event", "watcher ÷ program: run", "record", "lag: run",
          "record"]


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "--:|" * (len(head) - 1)
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def noise(rows):
    spreads = sorted(spread for row in rows for spread in row.spread.values())
    return (f"Noise: between the best and the worst turn of the same there are "
            f"{100 * spreads[len(spreads) // 2]:.0f} % of CPU time in the middle, and "
            f"{100 * spreads[-1]:.0f} % at most.")


def summary(rows):
    yield ("Geometric means, as multiples of ThreadSanitizer: CPU time of the floor "
           f"{mean(row.ratio('floor') for row in rows):.2f}, of `run` "
           f"{mean(row.ratio('run') for row in rows):.2f}, of `record` "
           f"{mean(row.ratio('record') for row in rows):.2f}; memory of `run` "
           f"{mean(row.memory_ratio('run') for row in rows):.2f}, of `record` "
           f"{mean(row.memory_ratio('record') for row in rows):.2f}.")
    yield noise(rows)


def write_docs(options, rows, words):
    """Writes the section up to its first subsection, which people write, and the picture."""
    with open(os.path.join(ROOT, "docs", "bench-real.svg"), "w", encoding="utf-8") as file:
        file.write(plot.draw_programs([(row.name, row.cpu) for row in rows]))
    path = os.path.join(ROOT, "docs", "bench.md")
    with open(path, encoding="utf-8") as file:
        before, _, after = file.read().partition(HEADING + "\n")
    rest = after[after.index("\n### "):] if "\n### " in after else "\n"
    picture = "![CPU time as multiples of ThreadSanitizer's, by program](bench-real.svg)\n"
    head = (f"Measured on {datetime.date.today().isoformat()} with `bench/real/cost.py --turns "
            f"{options.turns} --share {options.share:g}` on {os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
            f"gcc {subprocess.check_output(['gcc', '-dumpfullversion'], text=True).strip()}. Times "
            "are in seconds, the best of the turns; the ways take turns. *floor* is the program "
            "built with `seriatim-cc` and run without `seriatim`. Memory is that of all processes "
            "at a time, program and watcher. *lag* is how long `seriatim` went on after the program "
            "had ended.\n")
    section = "\n".join([HEADING + "\n", picture, head, *words]) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(before.rstrip() + "\n\n" + section + rest)


def parse_options():
    parser = argparse.ArgumentParser(description="Measures what it costs to watch real programs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where seriatim is")
    parser.add_argument("--keep", help="where sources, builds and inputs go (BUILD/real)")
    parser.add_argument("--turns", type=int, help="how often each is run in each way (5)")
    parser.add_argument("--share", type=float, help="how much of the usual work they do (1)")
    parser.add_argument("--quick", action="store_true", help="little work, one turn")
    parser.add_argument("--update-docs", action="store_true",
                        help="write the table to docs/bench.md, and docs/bench-real.svg")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM",
                        help="some of: " + ", ".join(recipes.RECIPES))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in recipes.RECIPES]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    if options.update_docs and (options.quick or options.programs):
        parser.error("--update-docs writes the whole table: not with --quick or some programs")
    options.turns = options.turns or (1 if options.quick else 5)
    options.share = options.share or (QUICK_SHARE if options.quick else 1)
    options.keep = os.path.abspath(options.keep or os.path.join(options.build, packages.FOLDER))
    return options


def main():
    options = parse_options()
    os.makedirs(options.keep, exist_ok=True)
    rows, left_out = [], []
    try:
        packages.install(ROOT)
    except packages.Unavailable as reason:
        print(f"No program was measured: {reason}")
        return
    for name in options.programs or recipes.RECIPES:
        recipe = recipes.RECIPES[name](options.keep, options.share)
        try:
            packages.source(options.keep, recipe.package)
            rows.append(Row(recipe.name, measure(options, recipe)))
        except packages.Unavailable as reason:
            left_out.append(f"{recipe.name} was left out: {reason}")
            continue
        print("; ".join(f"{way} {rows[-1].cpu[way]:.2f} s" for way in WAYS), recipe.name,
              file=sys.stderr, flush=True)
    words = left_out
    if rows:
        words = [*table(TIMES, [row.time_cells() for row in rows]), "",
                 *table(OTHERS, [row.other_cells() for row in rows]), "", *summary(rows), *left_out]
    print("\n".join(words))
    if options.update_docs and rows:
        write_docs(options, rows, words)


if __name__ == "__main__":
    end_with(main, client.Wrong)
