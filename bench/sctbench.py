#!/usr/bin/env python3
"""How many controlled runs it takes until the programs of SCTBench fail.

    bench/sctbench.py [OPTIONS] CHECKOUT

CHECKOUT is a copy of the public repository of SCTBench (it is not ours, and not part of this one).
Its faulty pthread programs are built with our compiler, and `seriatim hunt` runs each, once for each
seed, until the first run that fails: a failed assertion, a crash, a deadlock, or the end of the
program with another status. The table has the median of the seeds.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The programs with their sources, in the order of SCTBench's own list. What is left out needs a
# network, or inputs and build systems of other times.
SMALL = "concurrent-software-benchmarks"
LISTED = [(name, f"{SMALL}/{name}.c") for name in (
    "account_bad arithmetic_prog_bad bluetooth_driver_bad carter01_bad circular_buffer_bad "
    "deadlock01_bad din_phil2_sat din_phil3_sat din_phil4_sat din_phil5_sat din_phil6_sat "
    "din_phil7_sat fsbench_bad lazy01_bad phase01_bad queue_bad reorder_3_bad reorder_4_bad "
    "reorder_5_bad reorder_10_bad reorder_20_bad stack_bad sync01_bad sync02_bad token_ring_bad "
    "twostage_bad twostage_100_bad wronglock_3_bad wronglock_bad").split()]
LISTED += [(name, f"chess/{name}.cpp") for name in (
    "InterlockedWorkStealQueue InterlockedWorkStealQueueWithState StateWorkStealQueue "
    "WorkStealQueue").split()]
LISTED += [("stringbuffer", "conc-bugs/stringbuffer-jdk1.4/main.cpp "
                            "conc-bugs/stringbuffer-jdk1.4/stringbuffer.cpp"),
           ("qsort_mt", "inspect_benchmarks/qsort_mt.c"),
           ("ctrace-test", "inspect_examples/ctrace-test.c"),
           ("safestack", "safestack/SafeStack.cpp")]


def build(arguments, name, sources, folder):
    """The program, or None if it cannot be built today."""
    paths = [arguments.checkout / "benchmarks" / source for source in sources.split()]
    is_c = paths[0].suffix == ".c"
    command = [arguments.seriatim, "cc" if is_c else "c++", "-g", "-O0", "-w", "-pthread"]
    command += [] if is_c else ["-std=c++11"]
    program = folder / name
    built = subprocess.run([*command, "-o", program, *paths, "-lm"], capture_output=True)
    return program if built.returncode == 0 else None


def first_failure(arguments, program, seed, folder):
    """The number of the run; None: none of them failed."""
    result = folder / "result.json"
    command = [arguments.seriatim, "hunt", "-q", "--format", "json", "-o", result, "--keep", folder,
               "--runs", str(arguments.runs), "--time", str(arguments.time), "--seed", str(seed),
               "--strategy", arguments.strategy, program]
    ended = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True)
    if ended.returncode not in (0, 1):
        print(f"{program.name}: {ended.stderr.strip()}", file=sys.stderr)
        return None
    failures = json.loads(result.read_text())["failures"]
    return min((failure["run"] for failure in failures), default=None)


def describe(found, arguments):
    hits = [run for run in found if run is not None]
    if not hits:
        return f"{'none':>8} {'':>12} {0:>4}/{len(found)}"
    late = [run if run is not None else arguments.runs for run in found]
    return (f"{statistics.median(late):>8.0f} {min(hits):>5} to {max(hits):<5}"
            f"{len(hits):>4}/{len(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--seriatim", default=os.fspath(ROOT / "build" / "seriatim"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--time", type=int, default=600, help="seconds for each seed")
    parser.add_argument("--strategy", default="portfolio")
    parser.add_argument("--only", default="", help="programs with this in their names")
    arguments = parser.parse_args()
    arguments.checkout = arguments.checkout.resolve()
    print(f"{'program':36} {'median':>8} {'fewest, most':>13} seeds")
    failed = tried = 0
    with tempfile.TemporaryDirectory(prefix="seriatim-sctbench-") as name:
        folder = pathlib.Path(name)
        for program_name, sources in LISTED:
            if arguments.only not in program_name:
                continue
            program = build(arguments, program_name, sources, folder)
            if not program:
                print(f"{program_name:36} cannot be built")
                continue
            found = [first_failure(arguments, program, seed, folder)
                     for seed in range(1, arguments.seeds + 1)]
            print(f"{program_name:36} {describe(found, arguments)}", flush=True)
            tried += 1
            failed += all(run is not None for run in found)
    print(f"{failed} of {tried} programs failed for every seed")


if __name__ == "__main__":
    main()
