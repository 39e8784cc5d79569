#!/usr/bin/env python3
"""How many runs `seriatim hunt` takes to the first finding, and whether repaired programs stay silent.

    bench/hunt.py                         all programs of tests/hunted, seeds 1 to 10; twins with 100 runs
    bench/hunt.py --seeds 3 bank_audit.c  some programs, fewer seeds
    bench/hunt.py --compiler clang --level=-O0   another compiler and level of optimisation than gcc -O1

Prints a line for each program: the runs to the first finding for each seed (- where 100 were not enough), whether all
schedules replayed, and what the twin gave. Ends with a summary, and with status 1 if something was missed or a twin
was reported."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests")]

import programs  # noqa: E402

SERIATIM = (ROOT / os.environ.get("SERIATIM_BUILD", "build") / "seriatim").resolve()


CXX = {"gcc": "g++", "clang": "clang++"}


def build(folder, program, flags, arguments):
    target = folder / ("-".join([program.path.stem, *flags]))
    language, standard = ("c++", "-std=c++17") if program.is_cxx else ("cc", "-std=gnu11")
    subprocess.run([SERIATIM, language, standard, "-g", arguments.level, "-pthread", *flags, program.path,
                    "-o", target, *program.flags], check=True,
                   env={**os.environ, "SERIATIM_CC": arguments.compiler, "SERIATIM_CXX": CXX[arguments.compiler]})
    return target


def hunt(folder, program, seed, runs, *options):
    done = subprocess.run([SERIATIM, "hunt", "--format", "json", "--time", "600", "--runs", str(runs), "--seed",
                           str(seed), *options, program], cwd=folder, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{program}: {done.stderr}")
    return json.loads(done.stdout)


def findings(result):
    return result["violations"] + result["failures"]


def faulty(folder, path, seeds, runs):
    """The runs to the first finding for each seed, or None; and the number of bad replays."""
    taken, bad = [], 0
    for seed in range(1, seeds + 1):
        found = findings(result := hunt(folder, path, seed, runs, "--until", "first"))
        taken.append(result["runs"] if found else None)
        bad += sum(finding["replayed"] != "10/10" for finding in found)
    return taken, bad


def measure(folder, program, arguments):
    """A line for the program, the runs taken, the bad replays, and what was found in its twin."""
    taken, bad, twin = [], 0, None
    for variant in program.variants:
        path = build(folder, program, variant.flags, arguments)
        if variant.name == "fixed":
            twin = findings(hunt(folder, path, 1, arguments.twin_runs))
        else:
            taken, bad = faulty(folder, path, arguments.seeds, arguments.runs)
    shown = " ".join("-" if runs is None else str(runs) for runs in taken)
    silent = "no twin" if twin is None else f"twin: {len(twin)} findings"
    return f"{program.name:24} {shown:32} {bad} bad replays  {silent}", taken, bad, twin or []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--twin-runs", type=int, default=100)
    parser.add_argument("--compiler", choices=CXX, default="gcc")
    parser.add_argument("--level", default="-O1", help="of optimisation, written --level=-O0 (-O1)")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    taken, bad, alarms = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="seriatim-bench-hunt-") as name:
        for path in sorted(programs.HUNTED.glob("*.c*")):
            program = programs.Program(path)
            if program.part or (arguments.names and program.name not in arguments.names):
                continue
            line, runs, unreplayed, twin = measure(pathlib.Path(name), program, arguments)
            print(line, flush=True)
            taken += runs
            bad += unreplayed
            alarms += bool(twin)
    found = [runs for runs in taken if runs is not None]
    mean = (f", {statistics.median(found):.0f} runs in the median, {statistics.mean(found):.1f} on average, at most "
            f"{max(found)}") if found else ""
    print(f"found {len(found)} of {len(taken)}{mean}; {bad} bad replays; {alarms} twins with findings")
    return 1 if len(found) < len(taken) or alarms else 0


if __name__ == "__main__":
    sys.exit(main())
