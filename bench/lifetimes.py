#!/usr/bin/env python3
"""Writes traces in STD text with many threads or many open blocks, to measure memory.

    bench/lifetimes.py KIND COUNT > trace.std

  sequential   COUNT threads, each forked and joined by the first before the next one starts
  pool         the same, but a hundred of them run at a time
  detached     COUNT threads one after the other that nobody joins
  relay        the same, and each takes a lock that all have in common
  nested-forks each thread forks the next one and joins it
  open         COUNT threads, each with a block that is open until the end
  gossip       COUNT threads that learn of all others, each in an order of its own
  deep         one thread with COUNT blocks inside each other, and one that looks on

Every trace ends with a block that another thread cuts, so that `check` looks for races, too.
"""

import random
import sys


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

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]](int(sys.argv[2]))
    cut()
