#!/usr/bin/env python3
"""What `predict` says of programs with a known bug, from runs in which the bug did not strike.

    bench/predict_programs.py [--build DIR] [--values] [PROGRAM...]

The programs are those of tests/programs of which tests/cli/test_predict_programs.py says that their bug is a matter of
schedules alone. Each runs serially, one thread after the other, with the bug and as its repaired twin, and is recorded;
`check` finds nothing. Prints a table for docs/predict.md: the tier of the block that the program says can be cut, and
the tier of anything in the twin.
"""

import argparse
import fnmatch
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIERS = {"violation": "proven", "potential": "possible"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="the folder of the build, in the root")
    parser.add_argument("--values", action="store_true", help="record with --values")
    parser.add_argument("programs", nargs="*", help="some of them")
    return parser.parse_args()


OPTIONS = arguments()
os.environ["SERIATIM_BUILD"] = OPTIONS.build
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests")]

import programs  # noqa: E402
import test_predict_programs  # noqa: E402
import test_programs  # noqa: E402
from seriatim import BINARY  # noqa: E402


class Forecast(test_programs.Job):
    """A variant of a program, and the tier of each block that is reported in it."""

    schedule = "serial.c"

    def _observe(self):
        values = ["--values"] if OPTIONS.values else []
        self._command(BINARY, "record", *values, "-o", "trace.stt", *self._specify(), "--", "./program")
        checked = self._json(self._command(BINARY, "check", "--format", "json", "trace.stt",
                                           statuses=(0, 1)))
        result = self._json(self._command(BINARY, "predict", "--format", "json", "--limit", 0,
                                          "trace.stt", statuses=(0, 1)))
        self.tiers = {}
        for block in result["blocks"]:
            if block["verdict"] in TIERS:
                self.tiers.setdefault(block["block"], set()).add(TIERS[block["verdict"]])
        return ["the bug has struck"] if programs.violated_names(checked) else []

    def best(self, patterns=("*",)):
        found = set().union(*(tiers for name, tiers in self.tiers.items()
                              if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)), set())
        return next((tier for tier in TIERS.values() if tier in found), "–")


def forecast(program, way):
    """The tiers of the program and of its twin, "" if there is none."""
    answers = ["", ""]
    for variant in program.variants:
        if variant.relation != "data":
            continue
        job = Forecast(variant, *way)
        problem = job.run()
        if problem:
            sys.exit(problem)
        repaired = variant.expected.none
        answers[repaired] = job.best() if repaired else job.best(variant.expected.violated)
    return answers


def main():
    rows = []
    for program in programs.all_programs():
        way = test_predict_programs.FORESEEN.get(program.name)
        if way and (not OPTIONS.programs or program.name in OPTIONS.programs):
            rows.append((program.name, *forecast(program, way)))
            print(*rows[-1], sep="\t", file=sys.stderr)
    print("| program | the bug | its repaired twin |\n|---|---|---|")
    for row in sorted(rows):
        print("| {} | {} | {} |".format(*row))
    twins = [row for row in rows if row[2]]
    for tier in TIERS.values():
        print(f"\n{tier}: {sum(row[1] == tier for row in rows)} of {len(rows)} bugs, "
              f"{sum(row[2] == tier for row in twins)} of {len(twins)} twins")


if __name__ == "__main__":
    main()
