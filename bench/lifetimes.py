#!/usr/bin/env python3
"""Measures memory: of traces with many threads or many open blocks, and of programs.

    bench/lifetimes.py KIND COUNT > trace.std      writes a trace in STD text
    bench/lifetimes.py programs [--build DIR] [--scale N] [PROGRAM...]

  sequential   COUNT threads, each forked and joined by the first before the next one starts
  pool         the same, but a hundred of them run at a time
  detached     COUNT threads one after the other that nobody joins
  relay        the same, and each takes a lock that all have in common
  nested-forks each thread forks the next one and joins it
  open         COUNT threads, each with a block that is open until the end
  gossip       COUNT threads that learn of all others, each in an order of its own
  deep         one thread with COUNT blocks inside each other, and one that looks on

Every trace ends with a block that another thread cuts, so that `check` looks for races, too.

The programs are those in bench/memory and bench/kernels. For each: its own peak memory natively,
that of the watcher of `record`, and that of `check` of the recording. Both should stay below twice
the first plus 100 MB.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

from measuring import Launcher

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = [os.path.join(ROOT, "bench", name) for name in ("memory", "kernels")]


def work(t):
    """What a short thread does: a block under a lock, and something of its own."""
    print(f"t{t}|begin(work)|1\nt{t}|acq(l)|2\nt{t}|r(x)|3\nt{t}|w(x)|4\nt{t}|rel(l)|5\nt{t}|end|6")
    print(f"t{t}|w(own{t % 64})|7")


def cut():
    print("main|begin(update)|20\nmain|r(y)|21\nother|w(y)|22\nmain|w(y)|23\nmain|end|24")


def sequential(count):
    for t in range(count):
        print(f"main|fork(t{t})|10")
        work(t)
        print(f"main|join(t{t})|11")


def pool(count):
    for t in range(count + 100):
        if t < count:
            print(f"main|fork(t{t})|10")
            work(t)
        if t >= 100:
            print(f"main|join(t{t - 100})|11")


def detached(count):
    for t in range(count):
        print(f"main|fork(t{t})|10\nt{t}|begin(work)|1\nt{t}|w(own{t})|2\nt{t}|end|3")


def relay(count):
    for t in range(count):
        print(f"main|fork(t{t})|10")
        work(t)


def nested_forks(count):
    print("main|fork(t0)|10")
    for t in range(count):
        work(t)
        if t + 1 < count:
            print(f"t{t}|fork(t{t + 1})|12")
    for t in reversed(range(count - 1)):
        print(f"t{t}|join(t{t + 1})|13\nt{t}|r(x)|14")
    print("main|join(t0)|11")


def open_blocks(count):
    for t in range(count):
        print(f"t{t}|begin(hold{t % 16})|1\nt{t}|r(shared)|2\nt{t}|w(own{t})|3\nt{t}|acq(l)|4\n"
              f"t{t}|rel(l)|5")
    for t in range(count):
        print(f"t{t}|r(own{t})|6\nt{t}|end|7")


def gossip(count):
    other = random.Random(1)
    for turn in range(count.bit_length()):
        for t in range(count):
            print(f"t{t}|snd(c{t})|1\nt{t}|rcv(c{other.randrange(count)})|2")


def deep(count):
    print("looker|w(x)|1")
    for depth in range(count):
        print(f"t|begin(level{depth % 16})|2\nt|w(x)|3\nlooker|r(x)|4")
    for depth in range(count):
        print("t|end|5")


KINDS = {"sequential": sequential, "pool": pool, "detached": detached, "relay": relay,
         "nested-forks": nested_forks, "open": open_blocks, "gossip": gossip, "deep": deep}

# ---- programs ----


def peak_of_watcher(argv):
    """The peak memory in MB of the process itself, without those that it starts. It is asked for
    while the process runs, so this is for those that run for a while."""
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        most = max(most, int(line.split()[1]))
        except (OSError, ProcessLookupError):
            pass  # it has ended
        time.sleep(0.002)
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(argv)} failed with status {process.returncode}")
    return most * 1024 / 1e6


def build(seriatim, source, folder):
    name = os.path.join(folder, os.path.basename(source)[:-2])
    for compiler, end in ((["gcc"], "-native"), ([seriatim, "cc"], "-watched")):
        subprocess.run(compiler + ["-O2", "-g", source, "-pthread", "-o", name + end], check=True)
    return name


def measure(seriatim, source, scale, folder):
    name = build(seriatim, source, folder)
    trace = name + ".stt"
    launcher = Launcher(os.path.join(os.path.dirname(seriatim), "bench-measure"), folder)
    native = launcher.run([name + "-native", scale], 600).peak_mb
    record = peak_of_watcher([seriatim, "record", "-q", "-o", trace, name + "-watched", scale])
    check = launcher.run([seriatim, "check", "-q", trace], 600).peak_mb
    stats = subprocess.run([seriatim, "stats", "-q", trace], capture_output=True, text=True,
                           check=True).stdout
    events = int(stats.split("events", 1)[1].split()[0])
    os.remove(trace)
    good = max(record, check) < 2 * native + 100
    return (f"| {os.path.basename(name)} | {events:,} | {native:.0f} | {record:.0f} | {check:.0f} | "
            f"{'yes' if good else 'no'} |")


def programs(arguments):
    parser = argparse.ArgumentParser(prog="lifetimes.py programs")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--scale", default="2", help="how much work a program does (2)")
    parser.add_argument("programs", nargs="*", help="some of them")
    options = parser.parse_args(arguments)
    sources = [os.path.join(folder, name) for folder in FOLDERS
               for name in sorted(os.listdir(folder)) if name.endswith(".c")
               and (not options.programs or name[:-2] in options.programs)]
    print("| program | events | peak MB: native | record | check | below 2 × native + 100 |")
    print("|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory(prefix="seriatim-bench-") as folder:
        for source in sources:
            print(measure(os.path.join(options.build, "seriatim"), source, options.scale, folder),
                  flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "programs":
        programs(sys.argv[2:])
        sys.exit()
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]](int(sys.argv[2]))
    cut()
