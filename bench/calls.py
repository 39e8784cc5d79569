#!/usr/bin/env python3
"""Measures what a call costs, and accesses in it.

    bench/calls.py [--build DIR] [--before DIR] [RUNS]

Builds bench/calls.c at -O2 and prints the nanoseconds of each call of its functions with gcc's
ThreadSanitizer, with the runtime idle, and under `seriatim run`: the best of RUNS (default 3), with
all ways taking turns. --before: another build folder of seriatim, whose runtime is measured, too.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def build(folder, name, compiler):
    program = pathlib.Path(folder) / name
    subprocess.run([*compiler, "-O2", "-pthread", ROOT / "bench" / "calls.c", "-o", program], check=True)
    return program


def costs(command, runtime):
    """Nanoseconds by what is measured."""
    settings = {"TSAN_OPTIONS": "report_bugs=0"}
    if runtime:
        settings["SERIATIM_RUNTIME_DIR"] = os.fspath(runtime / "runtime")
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **settings})
    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    return {name: float(cost) for cost, name in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("runs", nargs="?", type=int, default=3, metavar="RUNS")
    options = parser.parse_args()
    here = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        tsan = build(folder, "tsan", ["gcc", "-fsanitize=thread"])
        ours = build(folder, "ours", [here / "seriatim-cc"])
        watch = [here / "seriatim", "run", "-q", "--log", os.devnull, "--", ours]
        ways = {"tsan": ([tsan], None), "idle": ([ours], None)}
        if options.before:
            ways["before"] = (watch, options.before.resolve())
        ways["run"] = (watch, here)
        best = {}
        for _ in range(options.runs):
            for way, (command, runtime) in ways.items():
                for name, cost in costs(command, runtime).items():
                    row = best.setdefault(name, {})
                    row[way] = min(cost, row.get(way, cost))
    print("| a function with | " + " | ".join(ways) + " |\n|---|" + "--:|" * len(ways))
    for name, row in best.items():
        print(f"| {name} | " + " | ".join(f"{row[way]:.0f}" for way in ways) + " |")


if __name__ == "__main__":
    main()
