#!/usr/bin/env python3
"""What it costs to watch programs: the kernels in bench/kernels, native, with gcc's ThreadSanitizer,
under `seriatim run` and under `seriatim record`, all in one run.

    bench/programs.py [--build DIR] [--scale N] [--rounds N] [KERNEL...]

CPU time is that of all processes that a command starts, the best of some rounds in which all take
turns. Every build of a kernel must print the same.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

from measuring import Command, Launcher, Trouble, measure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = os.path.join(ROOT, "bench", "kernels")
WAYS = ["native", "tsan", "run", "record"]


def call(argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(argv)} failed: {done.stderr.strip()}")


def build(options, kernel, folder):
    """The programs of one kernel, by way."""
    source = os.path.join(KERNELS, kernel + ".c")
    flags = ["-O2", "-g", source, "-pthread", "-o"]
    programs = {way: os.path.join(folder, f"{kernel}-{way}") for way in ("native", "tsan", "run")}
    call(["gcc"] + flags + [programs["native"]])
    call(["gcc", "-fsanitize=thread"] + flags + [programs["tsan"]])
    call([os.path.join(options.build, "seriatim-cc")] + flags + [programs["run"]])
    programs["record"] = programs["run"]
    return programs


def commands(options, kernel, folder):
    seriatim = os.path.join(options.build, "seriatim")
    trace = os.path.join(folder, kernel + ".stt")
    before = {"run": [seriatim, "run", "-q"], "record": [seriatim, "record", "-q", "-o", trace]}
    programs = build(options, kernel, folder)
    return [Command((way,), before.get(way, []) + [programs[way], str(options.scale)])
            for way in WAYS], trace


def events_of(options, trace):
    done = subprocess.run([os.path.join(options.build, "seriatim"), "stats", "-q", trace],
                          capture_output=True, text=True, check=True)
    return int(re.search(r"^events +(\d+)", done.stdout, re.M).group(1))


def row(options, kernel, folder):
    todo, trace = commands(options, kernel, folder)
    runs = measure(Launcher(os.path.join(options.build, "bench-measure"), folder, True), todo,
                   options.rounds)
    outputs = {run.output for run in runs.values()}
    if len(outputs) != 1 or any(run.status not in (0, 66) for run in runs.values()):
        raise Trouble(f"{kernel}: the builds do not agree: {outputs}")
    cpu = {way: runs[(way,)].cpu_seconds for way in WAYS}
    memory = {way: runs[(way,)].peak_mb for way in WAYS}
    events = events_of(options, trace)
    return kernel, cpu, memory, events, os.path.getsize(trace) / events


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description="Measures what it costs to watch programs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scale", type=int, default=2, help="how much work a kernel does (2)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    kernels = options.kernels or sorted(name[:-2] for name in os.listdir(KERNELS)
                                        if name.endswith(".c"))
    print("| kernel | native | tsan | run | record | run ÷ tsan | record ÷ tsan | "
          "peak MB: tsan | run | events | bytes an event |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    ratios = []
    with tempfile.TemporaryDirectory(prefix="seriatim-bench-") as folder:
        for kernel in kernels:
            name, cpu, memory, events, size = row(options, kernel, folder)
            ratios.append((cpu["run"] / cpu["tsan"], cpu["record"] / cpu["tsan"]))
            times = " | ".join(f"{cpu[way]:.3f} s" for way in WAYS)
            print(f"| {name} | {times} | {ratios[-1][0]:.2f} | {ratios[-1][1]:.2f} | "
                  f"{memory['tsan']:.0f} | {memory['run']:.0f} | {events:,} | {size:.2f} |",
                  flush=True)
    print(f"\nGeometric mean: run {mean([r for r, _ in ratios]):.2f} times the CPU time of "
          f"ThreadSanitizer, record {mean([r for _, r in ratios]):.2f} times.")


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        print(f"bench: {trouble}", file=sys.stderr)
        sys.exit(2)
