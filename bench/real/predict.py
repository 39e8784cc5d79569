#!/usr/bin/env python3
"""What `seriatim predict` costs on recordings of real programs, and what it says of them.

    bench/real/predict.py [--build DIR] [--keep DIR] [--millions N] [--memory SIZE] [--record-only] [PROGRAM...]

Programs are fetched from Debian, built unchanged with seriatim's compiler wrapper, and recorded with so much work that
the recording has about N million events (100). Recordings are kept, and made only once for each size. Prints a table
for docs/predict-costs.md: the default answer, with two jobs. A program whose source cannot be had is left out, and the end of
the output says so.
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE)]

import client
import packages
import recipes
from compilers import compilers
from measuring import Launcher, Trouble, built, end_with

ROOT = os.path.dirname(os.path.dirname(HERE))
HANG_SECONDS = 3600

# The work that gives about a hundred million events, as a share of what cost.py lets them do.
SHARES = {"pigz": 21.0, "leveldb": 0.7, "memcached": 9.0, "xz": 0.85, "clustalo": 0.45}

# The work of clustalo grows with the square of the number of proteins.
SQUARES = {"clustalo"}


def share_of(name, millions):
    factor = millions / 100
    return SHARES[name] * (factor**0.5 if name in SQUARES else factor)


class Recorder:
    """Records a program."""

    def __init__(self, options, trace):
        self.options, self.trace = options, trace
        self.seriatim, self.measure = built(options.build, "seriatim", "bench-measure")

    def launch(self, argv):
        launcher = Launcher(self.measure, self.options.keep)
        run = launcher.run([self.seriatim, "record", "-q", "-o", self.trace + ".part", "--"] + argv, HANG_SECONDS)
        if run.status != 0 or run.stopped:
            raise Trouble(f"recording {argv[0]} ended with {run.status}: {run.errors}")
        os.rename(self.trace + ".part", self.trace)
        return run


def recording(options, name):
    """The trace of the program."""
    trace = os.path.join(options.keep, f"{name}-{options.millions:g}.stt")
    if not os.path.exists(trace):
        recipe = recipes.RECIPES[name](options.keep, share_of(name, options.millions))
        packages.source(options.keep, recipe.package)
        program = recipe.build("seriatim", compilers(options.build)["seriatim"])
        recipe.work(Recorder(options, trace).launch, program)
    return trace


def predict(options, trace):
    """How the command ran, and its result."""
    seriatim, measure = built(options.build, "seriatim", "bench-measure")
    words = [seriatim, "predict", "-q", "--jobs", "2", "--format", "json", "--output", trace + ".json", trace]
    if options.memory:
        words[2:2] = ["--memory", options.memory]
    run = Launcher(measure, options.keep).run(words, HANG_SECONDS)
    if run.stopped or not os.path.exists(trace + ".json"):
        raise Trouble(f"{' '.join(words)} ended with {run.status}: {run.errors}")
    with open(trace + ".json", encoding="utf-8") as file:
        return run, json.load(file)


def row(name, run, result):
    """The cells of a program, as texts."""
    verdicts, blocks = result["verdicts"], result["block_count"]
    undecided = f"{verdicts['timeout']:,}"
    if verdicts["timeout"]:
        undecided += f" ({100 * verdicts['timeout'] / blocks:.2f} %)"
    return [name, f"{result['trace']['events'] / 1e6:,.0f} million", f"{run.cpu_seconds:.0f} s", f"{run.seconds:.0f} s",
            f"{run.peak_mb:,.0f} MB", f"{blocks:,}", f"{verdicts['violation']:,}", f"{verdicts['potential']:,}", undecided]


HEAD = ["recording", "events", "processor time", "clock", "peak memory", "blocks", "proven", "possible", "undecided"]


def print_table(rows):
    print("| " + " | ".join(HEAD) + " |")
    print("|---|" + "--:|" * (len(HEAD) - 1))
    for cells in rows:
        print("| " + " | ".join(cells) + " |")


def parse_options():
    parser = argparse.ArgumentParser(description="Measures `predict` on recordings of real programs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where seriatim is")
    parser.add_argument("--keep", help="where sources, builds and recordings go (BUILD/real)")
    parser.add_argument("--millions", type=float, default=100, help="about so many million events (100)")
    parser.add_argument("--memory", help="for predict")
    parser.add_argument("--record-only", action="store_true", help="make the recordings that are missing")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="some of: " + ", ".join(SHARES))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in SHARES]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    options.keep = os.path.abspath(options.keep or os.path.join(options.build, packages.FOLDER))
    return options


def main():
    options = parse_options()
    os.makedirs(options.keep, exist_ok=True)
    rows, left_out = [], []
    try:
        packages.install(ROOT)
    except packages.Unavailable as reason:
        print(f"Nothing was measured: {reason}")
        return
    for name in options.programs or SHARES:
        try:
            trace = recording(options, name)
        except packages.Unavailable as reason:
            left_out.append(f"{name} was left out: {reason}")
            continue
        if not options.record_only:
            rows.append(row(name, *predict(options, trace)))
            print(*rows[-1], file=sys.stderr, flush=True)
    if rows:
        print_table(rows)
    print("\n".join(left_out))


if __name__ == "__main__":
    end_with(main, client.Wrong)
