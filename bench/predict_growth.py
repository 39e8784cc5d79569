#!/usr/bin/env python3
"""How the cost of the default answer of `seriatim predict` grows with the length of a generated run.

    bench/predict_growth.py [--build DIR] [--keep DIR] [--memory SIZE] [--events N,N...] [KIND...]

Runs are those of bench-generate with --fork-join, in the native format. They are made only once for each length, and
stay in the folder of --keep; without it, each is removed when it has been measured. Prints a table for docs/predict-costs.md.
Ten times as many events take about ten times as much disk space: 1.7 to 3.4 GB for 10^9.
"""

import argparse
import json
import os
import subprocess
import tempfile

from measuring import Launcher, Trouble, built, end_with

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ["contention", "small-blocks", "partitioned", "giant-blocks", "two-phase", "violating-late"]
HANG_SECONDS = 3600
HEAD = ["run", "events", "processor time", "clock", "µs an event", "peak memory", "blocks", "reported", "undecided"]


def generate(options, kind, events):
    """The trace, which is made if it is not there."""
    generator, seriatim = built(options.build, "bench-generate", "seriatim")
    trace = os.path.join(options.keep, f"{kind}-{events}.stt")
    if os.path.exists(trace):
        return trace
    words = [generator, "--kind", kind, "--fork-join", "--events", str(events)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as source:
        status = subprocess.call([seriatim, "convert", "-q", "--to", "native", "-", trace + ".part"], stdin=source.stdout)
        source.stdout.close()
    if status != 0 or source.returncode != 0:
        raise Trouble(f"cannot make {trace}")
    os.rename(trace + ".part", trace)
    return trace


def predict(options, trace):
    """How the command ran, and its result."""
    seriatim, measure = built(options.build, "seriatim", "bench-measure")
    words = [seriatim, "predict", "-q", "--jobs", "2", "--memory", options.memory, "--format", "json",
             "--output", trace + ".json", trace]
    run = Launcher(measure, options.keep).run(words, HANG_SECONDS)
    if run.stopped or not os.path.exists(trace + ".json"):
        raise Trouble(f"{' '.join(words)} ended with {run.status}: {run.errors}")
    with open(trace + ".json", encoding="utf-8") as file:
        result = json.load(file)
    os.remove(trace + ".json")
    return run, result


def row(kind, events, run, result):
    """The cells of a run, as texts."""
    verdicts = result["verdicts"]
    return [kind, f"{events:,}", f"{run.cpu_seconds:.1f} s", f"{run.seconds:.1f} s", f"{1e6 * run.cpu_seconds / events:.2f}",
            f"{run.peak_mb:,.0f} MB", f"{result['block_count']:,}", f"{verdicts['violation'] + verdicts['potential']:,}",
            f"{verdicts['timeout']:,}"]


def measure_all(options):
    for kind in options.kinds or KINDS:
        for events in options.events:
            trace = generate(options, kind, events)
            print("| " + " | ".join(row(kind, events, *predict(options, trace))) + " |", flush=True)
            if options.removes:
                os.remove(trace)


def parse_options():
    parser = argparse.ArgumentParser(description="Measures how the cost of `predict` grows with the length of a run.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where seriatim is")
    parser.add_argument("--keep", help="where traces are kept")
    parser.add_argument("--memory", default="4G", help="for predict (4G)")
    parser.add_argument("--events", default="1000000,10000000,100000000", help="lengths (10^6, 10^7 and 10^8)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="some of: " + ", ".join(KINDS))
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"no such kind: {unknown[0]}")
    options.events = [int(float(word)) for word in options.events.split(",")]
    options.removes = not options.keep
    return options


def main():
    options = parse_options()
    print("| " + " | ".join(HEAD) + " |\n|---|" + "--:|" * (len(HEAD) - 1), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        options.keep = os.path.abspath(options.keep or folder)
        os.makedirs(options.keep, exist_ok=True)
        measure_all(options)


if __name__ == "__main__":
    end_with(main)
