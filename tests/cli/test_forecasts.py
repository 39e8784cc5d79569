"""seriatim compare with predictors: the tables of Wang and Stoller, and of Sinha et al."""

import csv
import io
import json
import random
import unittest
import xml.etree.ElementTree as xml

from random_traces import random_trace
from schemas import complaints, strict, validator
from seriatim import ROOT, SANITIZED, TRACES, Case

SCHEMA = json.loads((ROOT / "docs" / "schema" / "compare-forecasts-1.json").read_text())
BANK, VECTOR = (str(TRACES / f"{name}.std") for name in ("bank", "vector-atomic"))

# T1 sets x up, T2 comes to it under a lock, and T1 uses it without one when T2 has been joined.
HANDED_BACK = """\
T1|w(x)|1
T1|w(y)|1
T1|fork(T2)|2
T1|begin(a)|3
T1|acq(l)|4
T1|r(x)|5
T1|rel(l)|6
T1|acq(l)|7
T1|w(x)|8
T1|rel(l)|9
T1|end(a)|10
T2|begin(b)|11
T2|acq(l)|12
T2|r(x)|13
T2|w(x)|14
T2|rel(l)|15
T2|end(b)|16
T1|join(T2)|17
T1|begin(c)|18
T1|r(x)|19
T1|w(x)|20
T1|end(c)|21
"""


class Forecasts(Case):
    def compare(self, *arguments):
        result = self.run_here("compare", *arguments)
        self.assertEqual(result.status, 0, result.message)
        return result

    def traces(self, *arguments):
        got = self.compare("--format=json", *arguments).json
        self.assertEqual(complaints(validator(strict(SCHEMA)), got), [])
        return got["traces"]

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.compare("--format=csv", *arguments).text)))


class Predictions(Forecasts):
    def test_each_says_what_predict_says(self):
        options = {"reduction:online": ["--engine=reduction", "--online"], "reduction": ["--engine=reduction"],
                   "blocks:one-variable": ["--engine=blocks", "--one-variable"],
                   "commit-node": ["--engine=commit-node"], "tas": ["--engine=tas"]}
        for row in self.traces("--table=predictions", "--engines", ",".join(options), BANK, VECTOR):
            self.assertEqual([cell["engine"] for cell in row["engines"]], list(options))
            for cell in row["engines"]:
                alone = self.run_here("predict", "--format=json", *options[cell["engine"]], row["trace"]).json
                verdicts = alone["verdicts"]
                self.assertEqual((cell["blocks"], cell["proven"], cell["undecided"]),
                                 (verdicts.get("potential", 0) + verdicts.get("violation", 0),
                                  verdicts.get("violation", 0), verdicts.get("timeout", 0)))
                self.assertEqual(cell["storage"], alone.get("storage") or 0)

    def test_a_row_for_each_trace_with_its_shape(self):
        bank, vector = self.rows("--table=predictions", BANK, VECTOR)
        self.assertEqual([bank[key] for key in ("threads", "events", "lock_events", "locks", "accesses", "variables",
                                                "channel_events", "blocks")],
                         ["3", "36", "12", "2", "14", "2", "0", "3"])
        self.assertEqual((vector["commit-node names"], vector["blocks storage"], vector["tas storage"]), ("1", "6", "-"))

    def test_all_are_those_that_there_are(self):
        listed = self.run_here("compare", "--help").text.split("table predictions")[1]
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line.split()]
        [row] = self.traces("--table=predictions", BANK)
        engines = [cell["engine"] for cell in row["engines"]]
        self.assertEqual(names[:len(engines)], engines)


class Tables(Forecasts):
    def test_rows_are_those_of_predict(self):
        for table, option in (("segments", "--table"), ("reduction-improvements", "--ablation"),
                              ("block-improvements", "--improvements"), ("storage", "--storage"),
                              ("segment-shrinking", "--shrinking")):
            for row in self.traces(f"--table={table}", BANK, VECTOR):
                alone = self.run_here("predict", "--format=json", option, row["trace"]).json["rows"]
                for mine, other in zip(row["rows"], alone, strict=True):
                    self.assertEqual({**mine, "seconds": 0}, {**other, "seconds": 0})

    def test_storage_by_hand(self):
        """From T2's first access on: reads hold {l}, then {}, of which {} remains; writes hold {l}, then {}; two
        periods read, two write. Before, there were four accesses of eight."""
        [row] = self.rows("--table=storage", self.write("t.std", HANDED_BACK))
        self.assertEqual((row["multilockset_size"], row["eraser_size"]), ("6", "1"))
        self.assertEqual((row["accesses"], row["unescaped"], row["unescaped_share"]), ("8", "4", "0.5"))

    def test_shrinking_by_hand(self):
        """T2 and T3 each conflict with the block, but no path leads through them from its one access to the other: only
        `paths` knows. In twice, a path leads from w(x) through T2 to r(x); w(y) and T3 are on none."""
        apart = self.write("apart.std", "T1|begin(b)|1\nT1|w(x)|2\nT1|w(y)|3\nT1|end(b)|4\nT2|r(x)|5\nT3|r(y)|6\n")
        twice = self.write("twice.std", "T1|begin(b)|1\nT1|w(x)|2\nT1|w(y)|3\nT1|r(x)|4\nT1|end(b)|5\n"
                                        "T2|w(x)|6\nT3|r(y)|7\n")
        columns = ("shrink", "static_proofs", "left_blocks", "left_segment_size", "left_accesses")
        for trace, expected in ((apart, [("no", "0", "1", "4", "2"), ("conflicts", "0", "1", "4", "2"),
                                         ("paths", "1", "0", "0", "0")]),
                                (twice, [("no", "0", "1", "5", "3"), ("conflicts", "0", "1", "5", "3"),
                                         ("paths", "0", "1", "4", "2")])):
            rows = self.rows("--table=segment-shrinking", trace)
            self.assertEqual([tuple(row[column] for column in columns) for row in rows], expected)
            for rule in ("no", "conflicts", "paths"):
                found = self.run_here("predict", "--engine=tas", "--shrink", rule, "--format=json", trace).json
                self.assertEqual(found["verdicts"].get("violation", 0), int(trace == twice))

    def test_improvements_of_blocks_by_hand(self):
        """Only locks: all three can be cut. From the second thread on: a had ended by then. With the join: nothing
        is left, although b can come into a, which ours says."""
        rows = self.rows("--table=block-improvements", self.write("t.std", HANDED_BACK))
        self.assertEqual([(row["name"], row["reported_blocks"], row["cut_variables"]) for row in rows],
                         [("none", "3", "1"), ("escape", "2", "1"), ("happen-before", "0", "0"), ("seriatim", "1", "1")])

    def test_an_improvement_never_adds_reports(self):
        for seed in range(8 if SANITIZED else 60):
            trace = self.write("t.std", random_trace(random.Random(seed)))
            rows = self.run_here("predict", "--improvements", "--format=json", trace).json["rows"]
            none, escape, before, ours = (row["reported_blocks"] for row in rows)
            self.assertTrue(none >= escape >= before and none >= ours >= before, (seed, rows))
            for without, least in (("happen-before", ours), ("escape", ours)):
                found = self.run_here("predict", "--engine=blocks", "--without", without, "--format=json", trace).json
                self.assertGreaterEqual(found["verdicts"].get("potential", 0), least)

    def test_figures_are_tables_too(self):
        for figure, series in (("segment-sizes", 1), ("segment-outcomes", 4), ("segment-costs", 2)):
            rows = self.rows(f"--table={figure}", BANK, VECTOR)
            self.assertEqual(len(rows[0]), 1 + series)
            drawn = xml.fromstring(self.compare(f"--table={figure}", "--format=svg", BANK, VECTOR).text)
            texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
            for row in rows:
                self.assertIn(row["trace"], texts)
        sizes = self.rows("--table=segment-sizes", BANK)
        self.assertEqual(sizes[0]["segment %"], "33.33")
        for row in self.rows("--table=segment-outcomes", BANK, VECTOR):
            self.assertAlmostEqual(sum(float(row[key]) for key in row if key != "trace"), 100, delta=0.05)

    def test_functions_of_a_refinement_are_a_figure(self):
        text = self.run_here("refine", "--table=functions", "--format=svg", "--engine=velodrome,regiontrack,doublechecker",
                             str(TRACES / "alpha1.std"), str(TRACES / "alpha3.std"), BANK).text
        texts = [text.text for text in xml.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]
        self.assertLess(texts.index("transfer"), texts.index("tx1"))  # Velodrome misses all of tx1
        self.assertIn("100%", texts)


class Trouble(Forecasts):
    def test_wrong_invocations(self):
        for arguments, message in (
                (["--table=storage", "--engines=tas"], "--table storage has its own engine; leave --engines out"),
                (["--table=predictions", "--base=tas"], "--base means nothing to --table predictions"),
                (["--table=predictions", "--engines=witness"], "'witness' in --engines is none that predicts"),
                (["--table=predictions", "--engines=blocks:fast"], "blocks in --engines has no option --fast"),
                (["--table=predictions", "--format=svg"], "--format svg is for the tables segment-sizes")):
            result = self.run_here("compare", *arguments, BANK)
            self.assertEqual(result.status, 2, arguments)
            self.assertIn(f"seriatim: compare: {message}", result.message)
        result = self.run_here("predict", "--engine=blocks", "--without=sections", BANK)
        self.assert_trouble(result, "predict: --without sections means nothing to blocks")


if __name__ == "__main__":
    unittest.main()
