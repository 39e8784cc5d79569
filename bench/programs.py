#!/usr/bin/env python3
"""Measures the cost of watching programs: the kernels in bench/kernels and pbzip2, natively, with
gcc's ThreadSanitizer, under `seriatim run` and under `seriatim record`, all in one run.

    bench/programs.py [--build DIR] [--scale N] [--rounds N] [KERNEL|pbzip2...]

CPU time is that of all processes that a command starts, the best of some rounds in which all take
turns. ThreadSanitizer reports nothing (report_bugs=0). Every build of a program must print the same. pbzip2 compresses a tree; its source comes from
Debian (bench/real), and it is skipped if that is not available.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

from measuring import Command, Launcher, Trouble, end_with, measure

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "real"))
import packages
import pbzip2
from compilers import compilers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(ROOT, "bench", "kernels")
WAYS = ["native", "tsan", "run", "record"]


def call(argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(argv)} failed: {done.stderr.strip()}")


def build_kernel(options, kernel, folder):
    """The commands of one kernel, by how it is run."""
    source = os.path.join(KERNELS, kernel + ".c")
    commands = {}
    for way, compiler in compilers(options.build).items():
        commands[way] = [os.path.join(folder, f"{kernel}-{way}"), str(options.scale)]
        call(compiler.cc.split() + ["-O2", "-g", source, "-pthread", "-o", commands[way][0]])
    return commands


def build_pbzip2(options, folder):
    """The same for pbzip2."""
    kept = os.path.join(os.path.abspath(options.build), packages.FOLDER)
    os.makedirs(kept, exist_ok=True)
    packages.install(ROOT)
    packages.source(kept, pbzip2.PACKAGE)
    tree = os.path.join(folder, "tree.tar")
    pbzip2.tree(kept, tree)
    return {way: pbzip2.compress(pbzip2.build(kept, way, compiler), tree)
            for way, compiler in compilers(options.build).items()}


def commands(options, name, folder):
    seriatim = os.path.join(options.build, "seriatim")
    trace = os.path.join(folder, name + ".stt")
    built = (build_pbzip2(options, folder) if name == pbzip2.PACKAGE
             else build_kernel(options, name, folder))
    return [Command(("native",), built["native"]), Command(("tsan",), built["tsan"]),
            Command(("run",), [seriatim, "run", "-q"] + built["seriatim"]),
            Command(("record",), [seriatim, "record", "-q", "-o", trace] + built["seriatim"])], trace


def events_of(options, trace):
    done = subprocess.run([os.path.join(options.build, "seriatim"), "stats", "-q", trace],
                          capture_output=True, text=True, check=True)
    return int(re.search(r"^events +(\d+)", done.stdout, re.M).group(1))


def row(options, name, folder):
    todo, trace = commands(options, name, folder)
    runs = measure(Launcher(os.path.join(options.build, "bench-measure"), folder, True), todo,
                   options.rounds)
    outputs = {run.output for run in runs.values()}
    if len(outputs) != 1 or any(run.status not in (0, 66) for run in runs.values()):
        raise Trouble(f"{name}: the builds do not agree: {[out[:200] for out in outputs]}")
    cpu = {way: runs[(way,)].cpu_seconds for way in WAYS}
    memory = {way: runs[(way,)].peak_mb for way in WAYS}
    events = events_of(options, trace)
    return cpu, memory, events, os.path.getsize(trace) / events


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description="Measures what it costs to watch programs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scale", type=int, default=2, help="how much work a kernel does (2)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("programs", nargs="*", help="some of the kernels, and pbzip2")
    options = parser.parse_args()
    kernels = sorted(name[:-2] for name in os.listdir(KERNELS) if name.endswith(".c"))
    print("| program | native | tsan | run | record | run ÷ tsan | record ÷ tsan | "
          "peak MB: tsan | run | events | bytes an event |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    ratios = []
    left_out = None
    with tempfile.TemporaryDirectory(prefix="seriatim-bench-") as folder:
        for name in options.programs or kernels + [pbzip2.PACKAGE]:
            try:
                cpu, memory, events, size = row(options, name, folder)
            except packages.Unavailable as reason:
                left_out = f"{name} was left out: {reason}"
                continue
            ratios.append((cpu["run"] / cpu["tsan"], cpu["record"] / cpu["tsan"]))
            times = " | ".join(f"{cpu[way]:.3f} s" for way in WAYS)
            print(f"| {name} | {times} | {ratios[-1][0]:.2f} | {ratios[-1][1]:.2f} | "
                  f"{memory['tsan']:.0f} | {memory['run']:.0f} | {events:,} | {size:.2f} |",
                  flush=True)
    if ratios:
        print(f"\nGeometric mean: run {mean([r for r, _ in ratios]):.2f} times the CPU time of "
              f"ThreadSanitizer, record {mean([r for _, r in ratios]):.2f} times.")
    if left_out:
        print("\n" + left_out)


if __name__ == "__main__":
    end_with(main)
