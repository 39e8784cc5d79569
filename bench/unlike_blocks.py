#!/usr/bin/env python3
"""Writes a run in which hardly two blocks are alike, for measuring how `predict` grows with it.

    bench/unlike_blocks.py SHAPE [--events N] [--variables N] [--seed N] > run.std

Each block of 8 threads changes two variables, each under its own lock. Shapes:

  linked  any two of the variables: others lead from the first to the second, so every block can be cut
  pairs   threads 1 to 4 share one half of their variables with one other thread, and the other half with
          another, which have nothing to do with each other: no block can be cut
  ring    two that the thread shares with its neighbours in a ring; all threads meet in one block of a thousand
"""

import argparse
import random
import sys

THREADS = 8


def linked(chance, _thread, variables):
    return [str(number) for number in chance.sample(range(variables), 2)]


def pairs(chance, thread, variables):
    number = chance.randrange(variables)
    if thread <= 4:
        return [f"{thread}_left_{number}", f"{thread}_right_{chance.randrange(variables)}"]
    return [f"{thread - 4}_left_{number}" if thread % 2 else f"{thread - 5}_right_{number}"]


def ring(chance, thread, variables):
    names = []
    for neighbour in (thread % THREADS + 1, (thread - 2) % THREADS + 1):
        low, high = sorted((thread, neighbour))
        names.append(f"{low}_{high}_{chance.randrange(variables)}")
    return names + (["all"] if chance.randrange(1000) == 0 else [])


def block(thread, names):
    yield f"T{thread}|begin(block)|1"
    for name in names:
        for step in (f"acq(l_{name})", f"r(x_{name})", f"w(x_{name})", f"rel(l_{name})"):
            yield f"T{thread}|{step}|2"
    yield f"T{thread}|end|3"


def events(shape, chance, wanted, variables):
    threads = range(1, THREADS + 1)
    for thread in threads:
        yield f"T0|fork(T{thread})|4"
    written = 2 * THREADS
    while written < wanted:
        thread = chance.choice(threads)
        for line in block(thread, shape(chance, thread, variables)):
            written += 1
            yield line
    for thread in threads:
        yield f"T0|join(T{thread})|5"


def main():
    shapes = {"linked": linked, "pairs": pairs, "ring": ring}
    parser = argparse.ArgumentParser(description="Writes a run in which hardly two blocks are alike.")
    parser.add_argument("shape", choices=shapes)
    parser.add_argument("--events", type=int, default=10**6, help="about so many (1000000)")
    parser.add_argument("--variables", type=int, default=1000, help="for each to choose from (1000)")
    parser.add_argument("--seed", type=int, default=1, help="for other random choices (1)")
    options = parser.parse_args()
    for line in events(shapes[options.shape], random.Random(options.seed), options.events, options.variables):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
