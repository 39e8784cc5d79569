#!/usr/bin/env python3
"""Measures what control costs: controlled runs beside free watched ones, points, and a hunt of 100 runs.

    bench/hunt_cost.py [--build DIR] [--scale N] [--rounds N] [--runs N] [--strategy S] [PROGRAM...]

The programs are the kernels of bench/kernels and those of bench/schedules. Times are processor time, user and system,
of all processes that a command starts. In each round a program runs freely under `seriatim run`, then two hunts follow
that differ in their number of runs by --runs: so a run of the longer one counts without the two that learn. Ratios are
formed within a round, and the median of all rounds is shown with its extremes, since the machine may be busy.

"a point" is all that control adds to a run, divided by its points: an upper bound, and of interest where there is
little but points (one_lock). The last line is a hunt with its defaults, 100 runs, in wall-clock time, too."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

from measuring import Launcher, Trouble, end_with

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = [os.path.join(ROOT, "bench", "kernels"), os.path.join(ROOT, "bench", "schedules")]
FEWEST = 3  # runs of a hunt, two of which learn
# What hunts find, they do again and again: so nothing is to be found. A loop with compare-and-exchange is cut as often
# as it has to try again.
SPECIFICATIONS = {"atomics": "ignore function push\nignore function work\n"}
WHOLE = "typical"  # the program of the hunt with 100 runs
LONGEST = 600  # seconds


def sources():
    return {name[:-2]: os.path.join(folder, name) for folder in FOLDERS for name in sorted(os.listdir(folder))
            if name.endswith(".c")}


class Bench:
    def __init__(self, options, folder):
        self.seriatim = os.path.join(os.path.abspath(options.build), "seriatim")
        self.launcher = Launcher(os.path.join(os.path.abspath(options.build), "bench-measure"), folder)
        self.folder = folder
        self.options = options

    def build(self, name, source):
        target = os.path.join(self.folder, name)
        done = subprocess.run([self.seriatim, "cc", "-O2", "-g", source, "-pthread", "-o", target], check=False,
                              capture_output=True, text=True)
        if done.returncode:
            raise Trouble(f"cannot build {name}: {done.stderr}")
        return target

    def measure(self, argv):
        run = self.launcher.run(argv, LONGEST)
        if run.status != 0:
            raise Trouble(f"{' '.join(argv)} ended with status {run.status}: {run.errors}")
        return run

    def free(self, program, scale):
        return self.measure([self.seriatim, "run", "-q", *self.specification(program), program, str(scale)])

    def specification(self, program):
        text = SPECIFICATIONS.get(os.path.basename(program))
        if not text:
            return []
        with open(program + ".spec", "w", encoding="utf-8") as file:
            file.write(text)
        return ["--spec", program + ".spec"]

    def hunt(self, program, scale, *options):
        """What was measured, and the number of points and switches."""
        result = os.path.join(self.folder, "result.json")
        run = self.measure([self.seriatim, "hunt", "-q", "--seed", "1", "--time", str(LONGEST), "--format", "json",
                            "-o", result, "--keep", os.path.join(self.folder, "kept"), *options,
                            *self.specification(program), program, str(scale)])
        with open(result, encoding="utf-8") as file:
            counts = json.load(file)
        return run, (counts["points"], counts["switches"])

    def round(self, program, scale):
        """Processor seconds of a free and of a controlled run; the points and switches of the latter."""
        options = ["--strategy", self.options.strategy]
        runs = self.options.runs
        free = self.free(program, scale).cpu_seconds
        few, before = self.hunt(program, scale, "--runs", str(FEWEST), *options)
        many, after = self.hunt(program, scale, "--runs", str(FEWEST + runs), *options)
        return (free, (many.cpu_seconds - few.cpu_seconds) / runs, (after[0] - before[0]) / runs,
                (after[1] - before[1]) / runs)


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def show(name, rounds):
    free, controlled, points, switches = (statistics.median(part) for part in zip(*rounds))
    ratios = [row[1] / row[0] for row in rounds]
    point = [(row[1] - row[0]) / row[2] * 1e6 for row in rounds if row[2]]
    print(f"| {name} | {free * 1e3:.0f} ms | {controlled * 1e3:.0f} ms | {spread(ratios, '.2f')} | {points:,.0f} | "
          f"{switches:,.0f} | {spread(point, '.2f') if point else '-'} µs |", flush=True)


def main():
    known = sources()
    parser = argparse.ArgumentParser(description="Measures what control costs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scale", type=int, default=1, help="how much work a program does (1)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=9, help="controlled runs of a round (9: each strategy once)")
    parser.add_argument("--strategy", default="portfolio")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(known))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in known]
    if unknown:
        raise Trouble(f"there is no program {unknown[0]}; there are {', '.join(known)}")
    with tempfile.TemporaryDirectory(prefix="seriatim-bench-cost-") as folder:
        bench = Bench(options, folder)
        print("| program | free | controlled | controlled ÷ free | points | switches | a point |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for name in options.programs or known:
            program = bench.build(name, known[name])
            show(name, [bench.round(program, options.scale) for _ in range(options.rounds)])
        if not options.programs or WHOLE in options.programs:
            program = bench.build(WHOLE, known[WHOLE])
            whole = [bench.hunt(program, 1)[0] for _ in range(options.rounds)]
            print(f"\n100 runs of {WHOLE}: {spread([run.seconds for run in whole], '.1f')} s, processor time "
                  f"{spread([run.cpu_seconds for run in whole], '.1f')} s")


if __name__ == "__main__":
    end_with(main)
