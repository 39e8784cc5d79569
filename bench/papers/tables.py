#!/usr/bin/env python3
"""Draws the papers' tables on generated traces of the same shape, beside the papers' own columns.

    bench/papers/tables.py [--most N] [--timeout S] [TABLE...]

The traces of the papers cannot be had. For each row this makes one with the row's threads, locks, variables,
transactions and events (shapes.py has them), scaled down to N events where there are more, and runs the command that docs/papers.md has for the table. Columns that begin with "paper" are the paper's, on its own
traces and its own machine: verdicts can be compared with ours, times only with each other.
"""
import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile

import shapes
from shaped_trace import write_trace

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERIATIM = os.path.join(ROOT, os.environ.get("SERIATIM_BUILD", "build"), "seriatim")

TIMES = ("--table=times", "--engines=velodrome-rapid,aerodrome-reads,velodrome,aerodrome,witness", "--base=velodrome-rapid")
SIZES = ("events", "threads", "locks", "variables", "transactions")
TRACE_SIZES = ("events", "threads", "locks", "variables", "blocks")
TIME_COLUMNS = (*SIZES, "serializable", "velodrome-rapid", "aerodrome-reads", "aerodrome-reads speed-up", "velodrome",
                "aerodrome", "witness")
PAPER_TIMES = ("serializable", "Velodrome (s)", "AeroDrome (s)", "speed-up")
THREE = "velodrome,regiontrack,doublechecker"
PREDICTORS = ("commit-node", "reduction", "blocks")

# name: title, rows, which of the paper's columns and their titles, the command, our columns; a row of many for a trace
# is that whose first value is given.
TABLES = {
    "aerodrome-1": ("AeroDrome (ASPLOS 2020), Table 1", shapes.AERODROME_1, range(4), PAPER_TIMES, TIMES, TIME_COLUMNS, None),
    "aerodrome-2": ("AeroDrome (ASPLOS 2020), Table 2", shapes.AERODROME_2, range(4), PAPER_TIMES, TIMES, TIME_COLUMNS, None),
    "regiontrack-2": ("RegionTrack (TOSEM 2020), Table 2", shapes.REGIONTRACK, range(3), ("Velodrome", "RegionTrack", "DoubleChecker"),
                      ("--table=violations", f"--engines={THREE},aerodrome"),
                      ("regiontrack bad", "aerodrome bad", "velodrome distinct", "regiontrack distinct", "doublechecker distinct",
                       "velodrome missed", "doublechecker false"), None),
    "regiontrack-3": ("RegionTrack (TOSEM 2020), Table 3, in one pass", shapes.REGIONTRACK, (), (), ("--table=dynamic", f"--engines={THREE}"),
                      ("velodrome", "regiontrack", "doublechecker", "velodrome %", "doublechecker %"), None),
    "regiontrack-6": ("RegionTrack (TOSEM 2020), Table 6", shapes.REGIONTRACK, range(3, 7), ("subregions", "joins", "edges of Velodrome", "logs"),
                      ("--table=work", "--engines=regiontrack-printed,velodrome,doublechecker"),
                      ("regiontrack-printed subregions", "regiontrack-printed joins", "velodrome edges", "doublechecker logs"), None),
    "segments": ("Sinha et al., Table I, last scenario", shapes.SEGMENTS, range(5), ("segment %", "SP %", "V", "TO", "interleavings"),
                 ("--table=segments",), (*TRACE_SIZES, "segment_size", "static_proofs", "violations", "timeouts", "interleavings", "seconds"),
                 ("scenario", "TAS, SP, CSmax=inf")),
    "segment-sizes": ("Sinha et al., Figure 8", shapes.SEGMENTS, range(1), ("segment %",), ("--table=segment-sizes",), ("segment %",), None),
    "ppopp-1": ("Wang and Stoller (PPoPP 2006), Table 1", shapes.STOLLER, range(6),
                tuple(f"{name} report" for name in PREDICTORS) + tuple(f"{name} time" for name in PREDICTORS),
                ("--table=predictions", "--engines=commit-node,reduction,blocks"),
                (*TRACE_SIZES, *(f"{name} {column}" for name in PREDICTORS for column in ("names", "time", "storage"))), None),
    "tse-1": ("Wang and Stoller (TSE 2006), Table 1", shapes.STOLLER, (1, 2, 4, 5), ("reduction report", "blocks report", "reduction time", "blocks time"),
              ("--table=predictions", "--engines=reduction:online,reduction,blocks"),
              tuple(f"{name} {column}" for name in ("reduction:online", "reduction", "blocks") for column in ("names", "time")), None),
    "tse-2": ("Wang and Stoller (TSE 2006), Table 2, first row of each", shapes.STOLLER, (), (), ("--table=reduction-improvements",),
              ("name", "reported_names", "racy_variables", "seconds"), ("name", "none")),
    "tse-3": ("Wang and Stoller (TSE 2006), Table 3, last row of the paper", shapes.STOLLER, (2, 5), ("blocks report", "blocks time"),
              ("--table=block-improvements",), ("name", "reported_names", "cut_variables", "cut_pairs", "seconds"), ("name", "happen-before")),
    "tse-4": ("Wang and Stoller (TSE 2006), Table 4", shapes.STOLLER, range(6, 11), ("unescaped", "reduction", "blocks", "multilockset", "Eraser"),
              ("--table=storage",), ("accesses", "unescaped_share", "reduction_storage", "blocks_storage", "multilockset_size", "eraser_size"), None),
}


def run_compare(words, names, folder, timeout):
    done = subprocess.run([SERIATIM, "compare", "--quiet", "--format=csv", "--timeout", str(timeout), *words, *names], cwd=folder,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def find_row(rows, name, key):
    """The row of a trace; some tables have its events behind the name."""
    for row in rows:
        if row["trace"].split(" (")[0] == name and (not key or row[key[0]] == key[1]):
            return row
    raise LookupError(name)


def draw(table, options, file):
    title, rows, chosen, titles, words, columns, key = TABLES[table]
    with tempfile.TemporaryDirectory() as folder:
        for name, (shape, _) in rows.items():
            write_trace(shape, os.path.join(folder, name), options.most)
        got = run_compare(words, list(rows), folder, options.timeout)
    heads = ["trace", *columns, *(f"paper: {head}" for head in titles)]
    print(f"## {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}", file=file)
    for name, (_, paper) in rows.items():
        row = find_row(got, name, key)
        cells = [name, *(row[column] for column in columns), *(paper[i] for i in chosen)]
        print(f"| {' | '.join(cells)} |", file=file)
    print(file=file, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=50000, help="events of a trace at most (default 50000)")
    parser.add_argument("--timeout", type=float, default=1,
                        help="as for seriatim compare: of an engine, or of the search for a block (default 1)")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"only these (all): {', '.join(TABLES)}")
    options = parser.parse_args()
    unknown = [name for name in options.tables if name not in TABLES]
    if unknown:
        parser.error(f"no such table: {unknown[0]}")
    for table in options.tables or TABLES:
        draw(table, options, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
