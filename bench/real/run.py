#!/usr/bin/env python3
"""Real programs: fetches pbzip2 and memcached from Debian, builds them unchanged, and runs them.

    bench/real/run.py [--build DIR] [--keep DIR] [PROGRAM...]

Each is built with gcc, with gcc's ThreadSanitizer and with seriatim's compiler wrapper, and does the
same work natively, under ThreadSanitizer, under `seriatim run` and under `seriatim record`, the
trace of which is checked. The results of the work are compared. A table shows the cost and what was
found. Sources, builds, traces (.stt) and reports (.json) are kept in DIR, by default build/real.
"""

import argparse
import json
import os
import re
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]

import client
import memcached
import packages
import pbzip2
from compilers import compilers
from measuring import Launcher, Trouble, end_with

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = {"pbzip2": pbzip2, "memcached": memcached}
HANG_SECONDS = 900


class Bench:
    """Runs one piece of work in one way."""

    def __init__(self, options, way, name):
        self.seriatim = os.path.join(os.path.abspath(options.build), "seriatim")
        self.way = way
        base = os.path.join(options.keep, re.sub(r"\W+", "-", name) + "-" + way)
        self.trace, self.report = base + ".stt", base + ".json"
        self.launcher = Launcher(os.path.join(options.build, "bench-measure"), options.keep)
        del self.launcher.environment["TSAN_OPTIONS"]  # its warnings are counted here
        self.output = self.launcher.output

    def launch(self, argv):
        before = {"run": [self.seriatim, "run", "--format", "json", "--log", self.report, "--"],
                  "record": [self.seriatim, "record", "-q", "-o", self.trace, "--"]}
        run = self.launcher.run(before.get(self.way, []) + argv, HANG_SECONDS)
        if run.stopped:
            raise Trouble(f"{' '.join(argv)} hung ({self.way})")
        # Both ThreadSanitizer and `run` exit with 66 if they found something.
        if run.status not in ((0, 66) if self.way in ("tsan", "run") else (0,)):
            raise Trouble(f"{' '.join(argv)} ended with {run.status} ({self.way}): {run.errors}")
        return run

    def check(self):
        run = self.launcher.run([self.seriatim, "check", "-q", "--format", "json", "-o",
                                 self.report, self.trace], HANG_SECONDS)
        if run.status not in (0, 1):
            raise Trouble(f"check of {self.trace} ended with {run.status}: {run.errors}")
        return run

    def result(self):
        with open(self.report, encoding="utf-8") as file:
            return json.load(file)


def describe(result):
    cut = sum(1 for block in result["blocks"] if block["violated"])
    return (f"{cut} of {len(result['blocks'])} functions cut, "
            f"{result['violation_count']:,} outermost runs of them")


def print_row(name, way, run, events="", size="", found=""):
    print(f"| {name} | {way} | {run.cpu_seconds:.2f} s | {run.seconds:.2f} s | {run.peak_mb:.0f} | "
          f"{events} | {size} | {found} |", flush=True)


def measure_piece(options, name, piece, programs):
    """One row for each way."""
    print_row(name, "native", piece(Bench(options, "native", name), programs["native"]))
    run = piece(Bench(options, "tsan", name), programs["tsan"])
    races = len(re.findall(r"^WARNING: ThreadSanitizer", run.errors, re.M))
    print_row(name, "TSan", run, found=f"{races} warnings")

    bench = Bench(options, "run", name)
    run = piece(bench, programs["seriatim"])
    warnings = re.findall(r"^seriatim: .*$", run.errors, re.M)
    result = bench.result()
    print_row(name, "run", run, f"{result['trace']['events']:,}", "",
              "; ".join([describe(result)] + warnings))

    bench = Bench(options, "record", name)
    run = piece(bench, programs["seriatim"])
    checked = bench.check()
    result = bench.result()
    events = result["trace"]["events"]
    warnings = re.findall(r"^seriatim: .*$", run.errors, re.M)
    print_row(name, "record", run, f"{events:,}",
              f"{os.path.getsize(bench.trace) / events:.2f}", "; ".join(warnings))
    print_row(name, "check", checked, f"{events:,}", "", describe(result))


def measure_program(options, module):
    ways = compilers(options.build)
    programs = {way: module.build(options.keep, way, ways[way]) for way in ways}
    for name, piece in module.Work(options.keep).pieces():
        measure_piece(options, name, piece, programs)


def main():
    parser = argparse.ArgumentParser(description="Watches real programs while they work.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where seriatim is")
    parser.add_argument("--keep", help="where sources, builds and results go (build/real)")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM",
                        help="some of: " + ", ".join(PROGRAMS))
    options = parser.parse_args()
    options.keep = os.path.abspath(options.keep or os.path.join(options.build, packages.FOLDER))
    unknown = [name for name in options.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    os.makedirs(options.keep, exist_ok=True)
    packages.install(ROOT)
    for name in options.programs or PROGRAMS:
        packages.source(options.keep, PROGRAMS[name].PACKAGE)  # before anything is measured
    print("| work | way | CPU time | wall time | peak MB | events | bytes an event | found |")
    print("|---|---|--:|--:|--:|--:|--:|---|")
    for name in options.programs or PROGRAMS:
        measure_program(options, PROGRAMS[name])


if __name__ == "__main__":
    end_with(main, client.Wrong)
