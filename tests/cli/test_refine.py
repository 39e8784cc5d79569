"""seriatim refine: rounds of refinement, and where they end."""

import csv
import io
import json
import random
import re
import subprocess
import xml.etree.ElementTree

from random_traces import random_trace
from schemas import complaints, strict, validator
from seriatim import BINARY, ROOT, RUNTIME, SANITIZED, TRACES, Case, environment

SCHEMA = json.loads((ROOT / "docs" / "schema" / "refine-1.json").read_text())
THREE = "velodrome,regiontrack,doublechecker"

# b is inside a, and both are cut; c is not, main is never looked at.
NESTED = """\
T1|begin(main)|1
T1|begin(a)|2
T1|w(x)|3
T1|begin(b)|4
T1|w(y)|5
T2|w(y)|6
T1|w(y)|7
T1|end|8
T1|end|9
T1|begin(c)|10
T1|w(z)|11
T1|end|12
T1|end|13
"""


def atomic_names(spec):
    return set(re.findall(r'^atomic function "?([^" ]*)', spec, re.M))


class Refine(Case):
    def refine(self, *arguments):
        result = self.run_here("refine", *arguments)
        self.assertEqual(result.status, 0, result.message)
        return result

    def refine_json(self, *arguments):
        got = self.refine("--format=json", *arguments).json
        self.assertEqual(complaints(validator(strict(SCHEMA)), got), [])
        return got


class Rounds(Refine):
    def test_a_block_inside_another_comes_to_light_when_that_is_out(self):
        self.write("t.std", NESTED)
        [engine] = self.refine_json("t.std")["engines"]
        self.assertEqual(engine["rounds"], [{"new_names": 1, "dynamic": 1},
                                            {"new_names": 1, "dynamic": 1},
                                            {"new_names": 0, "dynamic": 0}])
        self.assertEqual([each["name"] for each in engine["reported"]], ["a", "b"])
        self.assertEqual([each["name"] for each in engine["atomic"]], ["c"])

    def test_witness_sees_every_depth_and_needs_one_round_less(self):
        self.write("t.std", NESTED)
        [engine] = self.refine_json("--engine=witness", "t.std")["engines"]
        self.assertEqual([each["new_names"] for each in engine["rounds"]], [2, 0])

    def test_it_ends_where_infer_ends(self):
        rng = random.Random(31)
        for i in range(8 if SANITIZED else 25):
            paths = [self.write(f"{i}-{k}.std", random_trace(rng)).name
                     for k in range(rng.choice((1, 1, 3)))]
            inferred = atomic_names(self.run_here("infer", *paths).text)
            for engine in ("regiontrack", "witness"):
                refined = self.refine("--engine", engine, "--format=spec", *paths).text
                self.assertEqual(atomic_names(refined), inferred, (i, engine))

    def test_what_is_left_is_a_specification_by_which_nothing_is_found(self):
        rng = random.Random(32)
        for _ in range(5):
            self.write("t.std", random_trace(rng))
            self.refine("--format=spec", "-o", "left.spec", "t.std")
            got = self.run_here("check", "--engine=regiontrack", "--spec=left.spec",
                                "--format=json", "t.std").json
            self.assertEqual(got["violation_count"], 0)

    def test_it_can_start_from_a_specification(self):
        self.write("t.std", NESTED)
        self.write("s.spec", "atomic function b\natomic function main  # is cut, too\n")
        [engine] = self.refine_json("--start=s.spec", "t.std")["engines"]
        self.assertEqual([each["name"] for each in engine["reported"]], ["main", "b"])
        self.assertEqual(engine["atomic"], [])

    def test_names_of_java_methods_that_are_not_meant_to_be_atomic(self):
        self.write("t.std", NESTED.replace("main", "test/Test.main([Ljava/lang/String;)V")
                   .replace("(a)", "(test/T.run()V)"))
        [engine] = self.refine_json("t.std")["engines"]
        self.assertEqual([each["name"] for each in engine["reported"]], ["b"])

    def test_it_settles_after_as_many_quiet_rounds_as_asked(self):
        self.write("t.std", NESTED)
        [engine] = self.refine_json("--settle=4", "t.std")["engines"]
        self.assertEqual([each["new_names"] for each in engine["rounds"]], [1, 1, 0, 0, 0, 0])
        result = self.refine("--rounds=1", "t.std")
        self.assertIn("not over after 1 round: --rounds allows more", result.message)


class Tables(Refine):
    ALPHA3 = TRACES / "alpha3.std"

    def table(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.refine("--format=csv", *arguments).text)))

    def test_who_misses_what(self):
        rows = {row["engine"]: row for row in self.table("--engine", THREE, self.ALPHA3)}
        self.assertEqual((rows["velodrome"]["distinct"], rows["velodrome"]["missed"],
                          rows["velodrome"]["% of regiontrack"]), ("0", "1", "0.00"))
        self.assertEqual((rows["regiontrack"]["distinct"], rows["regiontrack"]["rounds"]),
                         ("1", "2"))

    def test_rounds_and_functions(self):
        self.write("t.std", NESTED)
        rows = self.table("--table=rounds", "t.std")
        self.assertEqual([row["regiontrack dynamic so far"] for row in rows], ["1", "2", "2"])
        rows = self.table("--table=functions", "--engine", THREE, "t.std")
        self.assertEqual([(row["function"], row["regiontrack"]) for row in rows],
                         [("a", "1"), ("b", "1")])

    def test_the_figure_has_a_line_for_each_engine(self):
        self.write("t.std", NESTED)
        root = xml.etree.ElementTree.fromstring(
            self.refine("--format=svg", "--engine", THREE, "t.std").text)
        lines = root.findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(lines), 3)
        self.assertEqual({len(line.get("points").split()) for line in lines}, {3})


class Programs(Refine):
    def test_a_program_runs_anew_for_each_round(self):
        program = self.folder / "bank"
        variables = environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), TMPDIR=str(self.folder))
        subprocess.run([BINARY.parent / "seriatim-cc", "-g", "-O1", ROOT / "examples" / "bank.c",
                        "-o", program, "-pthread"], check=True, env=variables)
        result = self.run_here("refine", "--settle=2", "--format=json", "--", "./bank",
                               env=variables)
        self.assertEqual(result.status, 0, result.message)
        [engine] = result.json["engines"]
        self.assertGreaterEqual(len(engine["rounds"]), 2)
        self.assertEqual([each["new_names"] for each in engine["rounds"][-2:]], [0, 0])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bank"])


class Trouble(Refine):
    def test_wrong_invocations(self):
        self.write("t.std", NESTED)
        self.write("bad.spec", "atomic nonsense\n")
        for arguments, message in (
                ([], "refine: TRACE is missing"),
                (["--engine=aerodrome", "t.std"], "refine: aerodrome names no blocks, so there is "
                                                  "nothing to leave out"),
                (["--engine=nonesuch", "t.std"], "refine: unknown engine 'nonesuch' in --engine"),
                (["-"], "refine: each round reads the trace again, so it cannot be standard input"),
                (["t.std", "--", "true"], "refine: it refines with traces or with a program, not "
                                          "with both"),
                (["--rounds=0", "t.std"], "refine: --rounds must not be 0"),
                (["--start=bad.spec", "t.std"], "bad.spec:1: "),
                (["--start=-", "t.std"], "refine: --start cannot be standard input"),
                (["none.std"], "none.std: ")):
            result = self.run_here("refine", "-o", "out", *arguments)
            self.assertEqual(result.status, 2, arguments)
            self.assertIn(f"seriatim: {message}", result.message)
            self.assertFalse((self.folder / "out").exists())
