"""seriatim compare: traces × engines, as tables in several forms."""

import csv
import io
import json
import subprocess

from schemas import complaints, strict, validator
from seriatim import BINARY, CUT, ROOT, RUNTIME, TRACES, Case, environment

SCHEMA = json.loads((ROOT / "docs" / "schema" / "compare-1.json").read_text())
PAPER = "velodrome,regiontrack,doublechecker,aerodrome"
ALPHA1, ALPHA3, BANK = (str(TRACES / f"{name}.std") for name in ("alpha1", "alpha3", "bank"))


class Compare(Case):
    def compare(self, *arguments):
        result = self.run_here("compare", *arguments)
        self.assertEqual(result.status, 0, result.message)
        return result

    def compare_json(self, *arguments):
        got = self.compare("--format=json", *arguments).json
        self.assertEqual(complaints(validator(strict(SCHEMA)), got), [])
        return got

    def compare_csv(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.compare("--format=csv", *arguments).text)))

    @staticmethod
    def cell(row, engine):
        [cell] = [cell for cell in row["engines"] if cell["engine"] == engine]
        return cell


class Answers(Compare):
    def test_the_papers_own_example_shows_who_misses_and_who_is_wrong(self):
        """Figure 1 of the RegionTrack paper: DoubleChecker blames tx1 of alpha1, which is innocent,
        and Velodrome misses tx1 of alpha3."""
        one, three = self.compare_json("--engines", PAPER, ALPHA1, ALPHA3)["traces"]
        for row, engine, distinct, missed, false in ((one, "velodrome", 0, 0, 0),
                                                     (one, "regiontrack", 0, 0, 0),
                                                     (one, "doublechecker", 1, 0, 1),
                                                     (three, "velodrome", 0, 1, 0),
                                                     (three, "regiontrack", 1, 0, 0),
                                                     (three, "doublechecker", 1, 0, 0)):
            cell = self.cell(row, engine)
            self.assertEqual((cell["distinct"], cell["missed"], cell["false"]),
                             (distinct, missed, false), engine)
        self.assertIsNone(self.cell(three, "aerodrome")["distinct"])
        self.assertEqual((one["events"], one["threads"], one["transactions"]), (17, 3, 5))

    def test_cells_say_what_check_says(self):
        checked = self.run_here("check", "--engine=all", "--format=json", BANK).json["engines"]
        [row] = self.compare_json(BANK)["traces"]
        for engine in checked:
            cell = self.cell(row, engine["engine"])
            for key in ("serializable", "first_bad_event"):
                self.assertEqual(cell[key], engine[key])
            self.assertEqual(cell["dynamic"], engine["violation_count"])
            self.assertEqual(cell["counters"], engine.get("counters", {}))

    def test_witness_is_measured_by_outermost_blocks(self):
        trace = self.write("nested.std", "T1|begin(outer)|1\nT1|begin(inner)|2\nT1|w(x)|3\n"
                           "T2|w(x)|4\nT1|w(x)|5\nT1|end|6\nT1|end|7\n")
        [row] = self.compare_json(trace)["traces"]
        for engine in ("witness", "regiontrack"):
            cell = self.cell(row, engine)
            self.assertEqual((cell["distinct"], cell["dynamic"], cell["missed"], cell["false"]),
                             (1, 1, 0, 0))

    def test_regiontrack_is_the_measure_also_if_nobody_asked_for_it(self):
        [row] = self.compare_json("--engines=velodrome", ALPHA3)["traces"]
        self.assertEqual([cell["engine"] for cell in row["engines"]], ["velodrome"])
        self.assertEqual(row["engines"][0]["missed"], 1)

    def test_a_specification_counts(self):
        spec = self.write("s.spec", "ignore function transfer\n")
        [row] = self.compare_json("--spec", spec, BANK)["traces"]
        self.assertEqual({cell["serializable"] for cell in row["engines"]}, {True})
        self.assertEqual(row["transactions"], 1)

    def test_published_engines_do_not_count_as_disagreement(self):
        path = TRACES / "published" / "regiontrack-zero.std"
        got = self.compare("--engines=witness,published", "--format=json", path)
        [row] = got.json["traces"]
        self.assertIs(self.cell(row, "regiontrack-printed")["serializable"], False)
        self.assertIs(row["agree"], True)
        self.assertEqual(got.message, "")


class Timeouts(Compare):
    def setUp(self):
        super().setUp()
        (self.folder / "long.std").write_text(CUT * 20000)

    def test_an_engine_that_takes_too_long_is_given_up(self):
        """No engine reads 100,000 events in a microsecond."""
        [row] = self.compare_json("--timeout=0.000001", "long.std")["traces"]
        self.assertEqual(row["events"], 100000)
        for cell in row["engines"]:
            self.assertIs(cell["timeout"], True)
            for key in ("serializable", "first_bad_event", "dynamic", "missed", "speedup"):
                self.assertIsNone(cell[key])
        for row in self.compare_csv("--timeout=0.000001", "long.std"):
            self.assertEqual((row["verdict"], row["time"]), ("TO", "TO"))

    def test_with_enough_time_none_is(self):
        [row] = self.compare_json("--timeout=1000", "long.std")["traces"]
        self.assertEqual({cell["dynamic"] for cell in row["engines"]}, {20000, None})


class Tables(Compare):
    def test_every_table_has_a_row_for_each_trace_and_the_same_numbers(self):
        rows = self.compare_csv("--table=violations", "--engines", PAPER, ALPHA1, ALPHA3)
        self.assertEqual([row["trace"] for row in rows], [ALPHA1, ALPHA3, "total"])
        self.assertEqual([row["velodrome missed"] for row in rows], ["0", "1", "1"])
        self.assertEqual([row["doublechecker false"] for row in rows], ["1", "0", "1"])
        self.assertEqual([row["aerodrome bad"] for row in rows], ["1", "1", "2"])
        self.assertEqual({row["aerodrome distinct"] for row in rows}, {"-"})
        rows = self.compare_csv("--table=dynamic", "--engines", PAPER, ALPHA3)
        self.assertEqual((rows[0]["velodrome"], rows[0]["velodrome %"]), ("0", "0.00"))
        self.assertEqual((rows[0]["regiontrack"], rows[0]["regiontrack %"]), ("1", "100.00"))
        [row] = self.compare_csv("--table=work", "--engines", PAPER, ALPHA1)
        self.assertEqual(row["regiontrack joins"], "3")
        [row] = self.compare_csv("--table=times", "--engines", PAPER, ALPHA1)
        self.assertEqual((row["serializable"], row["velodrome speed-up"]), ("no", "1.00"))
        [row] = self.compare_csv("--table=memory", "--engines=witness", ALPHA1)
        self.assertGreater(int(row["witness"]), 0)

    def test_speedup_is_against_the_base(self):
        for base in ("witness", "aerodrome"):
            got = self.compare_json("--base", base, BANK)
            self.assertEqual(got["base"], base)
            self.assertAlmostEqual(self.cell(got["traces"][0], base)["speedup"], 1)

    def test_forms_escape_what_means_something_in_them(self):
        name = 'a_b|c&d%,"e.std'
        (self.folder / name).write_text(CUT)
        arguments = ("--engines=witness", "--table=memory", name)
        [row] = self.compare_csv(*arguments)
        self.assertEqual(row["trace"], name)
        lines = self.compare("--format=markdown", *arguments).text.splitlines()
        self.assertEqual(lines[0], "| trace | witness |")
        self.assertEqual(lines[1], "|---|--:|")
        self.assertTrue(lines[2].startswith('| a\\_b\\|c&d%,"e.std | '))
        lines = self.compare("--format=latex", *arguments).text.splitlines()
        self.assertEqual(lines[0], "\\begin{tabular}{lr}")
        self.assertIn('a\\_b|c\\&d\\%,"e.std & ', lines[4])
        self.assertEqual(lines[-1], "\\end{tabular}")

    def test_text_lines_up(self):
        for table in ("cells", "times", "violations", "dynamic", "memory", "work"):
            lines = self.compare("--table", table, ALPHA1, BANK).text.splitlines()
            self.assertGreaterEqual(len(lines), 3)
            for line in lines:
                self.assertEqual(line, line.rstrip())
            if table in ("memory", "work"):
                self.assertEqual(len({len(line) for line in lines}), 1, table)


class Programs(Compare):
    def test_a_program_is_recorded_and_compared(self):
        program = self.folder / "bank"
        subprocess.run([BINARY.parent / "seriatim-cc", "-g", "-O1", ROOT / "examples" / "bank.c",
                        "-o", program, "-pthread"], check=True,
                       env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))
        result = self.run_here("compare", "--format=json", "--runs=2", "--", "./bank",
                               env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME),
                                               TMPDIR=str(self.folder)))
        self.assertEqual(result.status, 0, result.message)
        rows = result.json["traces"]
        self.assertEqual([row["trace"] for row in rows], ["./bank, run 1", "./bank, run 2"])
        for row in rows:
            self.assertIs(row["agree"], True)
            self.assertEqual((row["threads"], row["relation"]), (3, "data"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bank"])

    def test_a_program_that_does_not_exist(self):
        result = self.run_here("compare", "--", "./nonesuch")
        self.assertEqual(result.status, 2)
        self.assertIn("compare: ./nonesuch left no trace to compare", result.message)


class Trouble(Compare):
    def test_wrong_invocations(self):
        for arguments, message in (
                ([], "compare: it compares on traces, on a program behind '--', or on --programs: "
                     "one of the three"),
                (["--"], "compare: PROGRAM is missing behind '--'"),
                (["-"], "compare: each engine reads the trace for itself, so it cannot be standard "
                        "input"),
                ([BANK, "--", "true"], "compare: it compares on traces, on a program behind '--', or "
                                       "on --programs: one of the three"),
                (["--spec=-", BANK], "compare: --spec is read for each engine, so it cannot be "
                                     "standard input"),
                (["--table=overhead", BANK], "compare: --table overhead is about running programs: it "
                                             "needs --online"),
                (["--native=x", BANK], "compare: --native needs --online"),
                (["--runs=2", BANK], "compare: --runs needs a program behind '--'"),
                (["--engines=witness,nonesuch", BANK], "compare: unknown engine 'nonesuch' in "
                                                       "--engines"),
                (["--engines=all,witness", BANK], "compare: --engines has witness twice"),
                (["--engines=witness,", BANK], "compare: unknown engine '' in --engines"),
                (["--engines=witness", "--base=velodrome", BANK],
                 "compare: --base velodrome is not among --engines")):
            result = self.run_here("compare", *arguments)
            self.assertEqual(result.status, 2, arguments)
            self.assertIn(f"seriatim: {message}", result.message)

    def test_a_bad_trace_leaves_no_table(self):
        (self.folder / "bad.std").write_text("T1|end|1\n")
        result = self.run_here("compare", "-o", "table", BANK, "bad.std")
        self.assertEqual(result.status, 2)
        self.assertIn("bad.std", result.message)
        self.assertFalse((self.folder / "table").exists())
