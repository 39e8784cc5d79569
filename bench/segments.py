#!/usr/bin/env python3
"""Measures what segments are worth to `predict --engine tas`: how many blocks the static check
settles, how many searches end, and in how many steps, on runs like those of the paper.

    bench/segments.py [--tiny]

For each scenario of bench-scenarios and each size it runs the default search with ten seconds per
block. On the smallest size it also runs dynamic partial-order reduction on the whole trace, the
paper's "no TAS", with a tenth of a second per block, because it would take hours. Prints a table.
"""
import argparse
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("SERIATIM_BUILD", "build")
SCENARIOS = ["philosophers", "elevator", "accounts", "pool", "barrier"]
BAD = 20  # blocks in a thousand that can be cut
SECONDS, DPOR_SECONDS = 10, 0.1


def measure(scenario, events, dpor):
    """The lines that bench-segments prints, as objects."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.std")
        subprocess.run([os.path.join(ROOT, BUILD, "bench-scenarios"), "--scenario", scenario, "--events", str(events),
                        "--bad", str(BAD), "-o", trace], check=True)
        lines = subprocess.run([os.path.join(ROOT, BUILD, "bench-segments"), str(SECONDS),
                                str(DPOR_SECONDS if dpor else 0), trace],
                               check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="small runs, to see that it works")
    sizes = [200] if parser.parse_args().tiny else [1000, 5000, 20000, 50000]
    print("| run | events | blocks | segment | settled by the static check | violations | timeouts | "
          "steps | time |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for scenario in SCENARIOS:
        for size in sizes:
            for row in measure(scenario, size, size == sizes[0]):
                chains = row["search"] == "chains"
                settled = f"{100 * row['static_proofs'] / max(1, row['blocks']):.1f} %" if chains else "–"
                print(f"| {scenario}{'' if chains else ', ' + row['search']} | {size:,} | "
                      f"{row['blocks']:,} | {row['segment']:.1f} | {settled} | {row['violations']:,} | "
                      f"{row['timeouts']:,} | {row['steps']:,} | {row['seconds']:.3f} s |", flush=True)


if __name__ == "__main__":
    main()
