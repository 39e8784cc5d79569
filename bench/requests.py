#!/usr/bin/env python3
"""Runs of a server that makes a thread for each request: many threads, of which few live at a time.

    bench/requests.py [--threads 1000] [--live 8] [--events 100000] [--kind joined] [--bad 20] [--seed S] >trace.std
    bench/requests.py --measure [KIND...]

  joined     main joins the oldest thread before it makes another one
  detached   nobody joins them
  queued     nobody joins them, but each tells main that it is done before main makes another one

A request is some blocks. Each reads and writes two of 64 entries under the lock of their table. Of 1000 blocks, N let go
of the lock in the middle: these can be cut. One of ten takes the locks of two tables one after the other, for one access
each. --measure prints a table of what `predict --engine tas` takes, for 100, 1,000 and 10,000 threads and two lengths.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.path.join(ROOT, os.environ.get("SERIATIM_BUILD", "build"), "seriatim")
KINDS = ("joined", "detached", "queued")
TABLES, ENTRIES = 4, 16
THREADS, EVENTS = (100, 1000, 10000), (100000, 1000000)


def block(choose, bad):
    """The steps of one block."""
    table, other = choose.sample(range(TABLES), 2)
    one, two = (f"entry{table}_{choose.randrange(ENTRIES)}" for _ in range(2))
    take, give = ("acq", f"lock{table}"), ("rel", f"lock{table}")
    if choose.randrange(10) == 0:
        far = f"entry{other}_{choose.randrange(ENTRIES)}"
        return [("begin", "copy"), take, ("r", one), give, ("acq", f"lock{other}"), ("w", far), ("rel", f"lock{other}"),
                ("end", "copy")]
    cut = [give, take] * (choose.randrange(1000) < bad)
    return [("begin", "serve"), take, ("r", one), *cut, ("w", one), ("r", two), ("w", two), give, ("end", "serve")]


def request(choose, options, thread):
    steps = []
    while len(steps) < options.events // options.threads - 2:
        steps += block(choose, options.bad)
    return steps + [("snd", f"done{thread % options.live}")] * (options.kind == "queued")


class Server:
    """Lets a random thread do its next step, unless somebody else holds the lock that it needs."""

    def __init__(self, options, out):
        self.options, self.out = options, out
        self.choose = random.Random(options.seed)
        self.steps, self.holder = {}, {}

    def write(self, thread, op, name):
        self.out.write(f"{thread}|{op}({name})|1\n")

    def step(self):
        thread = self.choose.choice(list(self.steps))
        op, name = self.steps[thread][0]
        if op == "acq" and name in self.holder:
            return
        if op == "acq":
            self.holder[name] = thread
        elif op == "rel":
            del self.holder[name]
        del self.steps[thread][0]
        if not self.steps[thread]:
            del self.steps[thread]
        self.write(f"t{thread}", op, name)

    def await_end(self, thread):
        while thread in self.steps:
            self.step()
        if self.options.kind == "joined":
            self.write("main", "join", f"t{thread}")
        elif self.options.kind == "queued":
            self.write("main", "rcv", f"done{thread % self.options.live}")

    def run(self):
        for thread in range(self.options.threads + self.options.live):
            if thread >= self.options.live:
                self.await_end(thread - self.options.live)
            if thread < self.options.threads:
                self.write("main", "fork", f"t{thread}")
                self.steps[thread] = request(self.choose, self.options, thread)


def predict(trace, found):
    """What the search took: processor seconds and peak memory in MB. Its report is in `found`."""
    with open(found, "wb") as output:
        process = subprocess.Popen([BINARY, "predict", "--engine", "tas", "--jobs", "1", "--limit", "1", "--timeout", "0.2",
                                    "--format", "json", trace], stdout=output)
        usage = os.wait4(process.pid, 0)[2]
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def measure(options, kinds):
    print("| kind | events | threads | violations | undecided | processor time | peak memory |\n|---|--:|--:|--:|--:|--:|--:|")
    for options.kind in kinds or KINDS:
        for options.events in EVENTS:
            for options.threads in THREADS:
                with tempfile.TemporaryDirectory() as folder:
                    trace, found = os.path.join(folder, "trace.std"), os.path.join(folder, "found.json")
                    with open(trace, "w", encoding="ascii") as file:
                        Server(options, file).run()
                    seconds, peak = predict(trace, found)
                    with open(found, encoding="utf-8") as file:
                        verdicts = json.load(file)["verdicts"]
                print(f"| {options.kind} | {options.events:,} | {options.threads:,} | {verdicts['violation']} | "
                      f"{verdicts['timeout']} | {seconds:.1f} s | {peak:.0f} MB |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in (("threads", 1000), ("live", 8), ("events", 100000), ("bad", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    parser.add_argument("--measure", nargs="*", metavar="KIND", help="print a table")
    options = parser.parse_args()
    if options.measure is not None:
        measure(options, options.measure)
    else:
        Server(options, sys.stdout).run()


if __name__ == "__main__":
    main()
