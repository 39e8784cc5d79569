#!/usr/bin/env python3
"""Runs in which threads walk through a list hand over hand: each node has a lock, and who has taken the next one lets go
of the last. Nobody overtakes, so no walk can be cut, but no two critical sections of a walk are nested. That makes the
search of `predict --engine tas` hard.

    bench/walks.py [--threads 8] [--walks 160] [--nodes 20] [--bad N] [--seed S] >trace.std
    bench/walks.py --measure

A walk reads every node, and writes one or two of them. Of 1000 walks, N let go of a node before they take the next one:
these can be cut. --measure prints a table for several sizes, with 0.2 seconds for each walk.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.path.join(ROOT, os.environ.get("SERIATIM_BUILD", "build"), "seriatim")
SIZES = ((4, 40, 10), (8, 80, 10), (16, 160, 10), (32, 320, 10))


def plan(choose, nodes, bad):
    """The steps of one walk."""
    written = {choose.randrange(nodes) for _ in range(2)}
    careless = choose.randrange(nodes) if choose.randrange(1000) < bad else None
    steps = [("begin", "walk"), ("acq", "l0")]
    for node in range(nodes):
        steps += [("r", f"node{node}")] + [("w", f"node{node}")] * (node in written)
        hands = [("rel", f"l{node}")]
        if node + 1 < nodes:
            hands.insert(node == careless, ("acq", f"l{node + 1}"))
        steps += hands
    return steps + [("end", "walk")]


def walk(options, out):
    """Lets a random thread do its next step, unless somebody else holds the lock that it needs."""
    choose = random.Random(options.seed)
    walks = [options.walks // options.threads] * options.threads
    steps, holder = [[] for _ in walks], {}
    while any(walks) or any(steps):
        thread = choose.randrange(options.threads)
        if not steps[thread] and walks[thread]:
            walks[thread] -= 1
            steps[thread] = plan(choose, options.nodes, options.bad)
        if not steps[thread]:
            continue
        op, name = steps[thread][0]
        if op == "acq" and name in holder:
            continue
        if op == "acq":
            holder[name] = thread
        elif op == "rel":
            del holder[name]
        del steps[thread][0]
        out.write(f"T{thread}|{op}({name})|{len(steps[thread])}\n")


def measure(options):
    print("| threads | walks | nodes | events | violations | undecided | processor time |\n|--:|--:|--:|--:|--:|--:|--:|")
    for options.threads, options.walks, options.nodes in SIZES:
        with tempfile.NamedTemporaryFile("w+", suffix=".std") as file:
            walk(options, file)
            file.flush()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([BINARY, "predict", "--engine", "tas", "--jobs", "1", "--limit", "1", "--format",
                                   "json", "--timeout", "0.2", file.name], capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            with open(file.name, encoding="ascii") as trace:
                events = sum(1 for _ in trace)
        verdicts = json.loads(done.stdout)["verdicts"]
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"| {options.threads} | {options.walks} | {options.nodes} | {events:,} | {verdicts['violation']} | "
              f"{verdicts['timeout']} | {seconds:.1f} s |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in (("threads", 8), ("walks", 160), ("nodes", 20), ("bad", 0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--measure", action="store_true", help="print a table for several sizes")
    options = parser.parse_args()
    if options.measure:
        measure(options)
    else:
        walk(options, sys.stdout)


if __name__ == "__main__":
    main()
