"""The JSON of check and run, and of the tables of predict, follows docs/schema, and contains
nothing that it does not describe."""

import json
import random

from random_traces import random_trace
from results import cut, result
from schemas import (ABLATION, IMPROVEMENTS, RESULT, SEGMENTS, SHRINKING, STORAGE, complaints, strict,
                     validator)
from seriatim import CROSS, CUT, TRACES, Case

STRICT = validator(strict(RESULT))


class Schema(Case):
    def assert_valid(self, document):
        self.assertEqual(complaints(STRICT, document), [])

    def check(self, *arguments):
        return self.run_here("check", "--format", "json", *arguments).json

    def test_each_engine_on_each_trace(self):
        for trace in sorted(TRACES.glob("*.std")):
            for engine in ("witness", "regiontrack", "aerodrome", "velodrome", "doublechecker", "all"):
                with self.subTest(trace=trace.name, engine=engine):
                    self.assert_valid(self.check("--engine", engine, trace))

    def test_random_traces(self):
        for seed in range(60):
            self.write("t.std", random_trace(random.Random(seed)))
            with self.subTest(seed=seed):
                self.assert_valid(self.check("--limit", "3", "t.std"))

    def test_other_options(self):
        self.write("t.std", "T1|rel(m)|1\n" + CUT)
        repaired = self.check("--repair", "--first", "t.std")
        self.assertEqual(len(repaired["repairs"]), 1)
        self.assert_valid(repaired)

    def test_what_is_new_and_what_is_not(self):
        self.write("t.std", CUT)
        self.write("cross.std", CROSS)
        self.write("base.json", json.dumps(self.check("t.std")))
        self.write("s", "suppress function a because of that\nsuppress cycle on x because of this\n")
        for trace in ("t.std", "cross.std"):
            for options in (["--baseline", "base.json"], ["--suppressions", "s"],
                            ["--baseline", "base.json", "--suppressions", "s"],
                            ["--baseline", "base.json", "--suppressions", "s", "--engine", "all"]):
                with self.subTest(trace=trace, options=options):
                    self.assert_valid(self.check(*options, trace))

    def test_the_schema_is_not_satisfied_with_everything(self):
        def wrong(change):
            data = self.check(TRACES / "bank.std")
            change(data)
            return complaints(STRICT, data)
        self.assertEqual(wrong(lambda data: None), [])
        for change in (lambda data: data.pop("engine"),
                       lambda data: data.update(more=1),
                       lambda data: data.update(schema="seriatim-check/2"),
                       lambda data: data["violations"][0].pop("fingerprint"),
                       lambda data: data["violations"][0]["path"][0].update(kind="magic"),
                       lambda data: data["violations"][0]["proof"].update(op="hop(x)"),
                       lambda data: data["trace"].update(events=-1)):
            self.assertNotEqual(wrong(change), [])

    def test_later_versions_may_add_fields(self):
        data = self.check(TRACES / "bank.std")
        data["new"] = data["violations"][0]["new"] = 1
        self.assertEqual(complaints(validator(RESULT), data), [])

    def test_a_result_that_report_writes_again(self):
        self.write("r.json", json.dumps(result(cut())))
        self.assert_valid(self.run_here("report", "--format", "json", "r.json").json)


class Tables(Case):
    """The tables of predict follow their schemas."""

    TABLES = (("--ablation", validator(strict(ABLATION))), ("--table", validator(strict(SEGMENTS))),
              ("--improvements", validator(strict(IMPROVEMENTS))), ("--storage", validator(strict(STORAGE))),
              ("--shrinking", validator(strict(SHRINKING))))

    def predict(self, option, trace):
        return self.run_here("predict", option, "--format", "json", trace).json

    def test_each_trace(self):
        for trace in sorted(TRACES.glob("*.std")):
            for option, checker in self.TABLES:
                with self.subTest(trace=trace.name, option=option):
                    self.assertEqual(complaints(checker, self.predict(option, trace)), [])

    def test_the_schemas_are_not_satisfied_with_everything(self):
        for option, checker in self.TABLES:
            data = self.predict(option, TRACES / "bank.std")
            for row in data["rows"][0], data:
                for key in list(row):
                    kept = row.pop(key)
                    self.assertNotEqual(complaints(checker, data), [], key)
                    for wrong in (None, -1, []):
                        row[key] = wrong
                        self.assertNotEqual(complaints(checker, data), [], key)
                    row[key] = kept
            self.assertEqual(complaints(checker, data), [])
