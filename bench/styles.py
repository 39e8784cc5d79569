#!/usr/bin/env python3
"""Measures what programs in usual styles of C++ with threads cost.

    bench/styles.py [--build DIR] [--before DIR] [--turns N] [--scale N] [STYLE...]

Builds bench/styles.cc at -O2 and prints the CPU time of each style (pool, futures, messages, ...) with g++'s
ThreadSanitizer, and as multiples of that with the runtime idle and under `seriatim run`: the best of N turns
(default 3), in which all ways take turns. --before: another build folder of seriatim, which is measured, too.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def build(folder, name, compiler):
    program = pathlib.Path(folder) / name
    subprocess.run([*compiler, "-std=c++20", "-O2", "-g", "-pthread", ROOT / "bench" / "styles.cc", "-o", program],
                   check=True)
    return program


def cpu_time(command):
    """Of the command and all that it started."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             env={**os.environ, "TSAN_OPTIONS": "report_bugs=0"})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 66):
        raise SystemExit(f"styles: {command[0]} ended with status {child.returncode}")
    return usage.ru_utime + usage.ru_stime


class Seriatim:
    """A build of it, and the programs built with it."""

    def __init__(self, here, folder, name):
        self.program = build(folder, name, [here / "seriatim-c++"])
        self.log = pathlib.Path(folder) / f"{name}.json"
        self.words = [here / "seriatim", "run", "-q", "--format", "json", "--log", self.log, "--", self.program]

    def events(self):
        return json.loads(self.log.read_text())["trace"]["events"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--scale", type=int, default=4)
    parser.add_argument("styles", nargs="*", metavar="STYLE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tsan = build(folder, "tsan", ["g++", "-fsanitize=thread"])
        builds = {"run": Seriatim(options.build.resolve(), folder, "run")}
        if options.before:
            builds = {"before": Seriatim(options.before.resolve(), folder, "before"), **builds}
        ways = {"tsan": [tsan], "idle": [builds["run"].program]} | {way: one.words for way, one in builds.items()}
        names = options.styles or subprocess.run([tsan, "list"], check=True, capture_output=True,
                                                 text=True).stdout.split()
        means = {way: 1.0 for way in ways}
        print("| style | " + " | ".join(ways) + " | " + " | ".join(f"events, {way}" for way in builds) + " |")
        print("|---|" + "--:|" * (len(ways) + len(builds)))
        for name in names:
            best = {way: math.inf for way in ways}
            for _ in range(options.turns):
                for way, command in ways.items():
                    best[way] = min(best[way], cpu_time([*command, name, str(options.scale)]))
            ratios = {way: best[way] / best["tsan"] for way in ways if way != "tsan"}
            for way, ratio in ratios.items():
                means[way] *= ratio ** (1 / len(names))
            print(f"| {name} | {best['tsan']:.2f} s | " + " | ".join(f"{ratio:.2f}" for ratio in ratios.values()) +
                  " | " + " | ".join(f"{one.events():,}" for one in builds.values()) + " |", flush=True)
        print("| geometric mean | | " + " | ".join(f"{means[way]:.2f}" for way in ways if way != "tsan") + " |" +
              " |" * len(builds))


if __name__ == "__main__":
    main()
