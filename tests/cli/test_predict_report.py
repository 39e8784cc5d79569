"""Saved results of `predict`: in each format, with suppressions and baselines."""

import copy
import itertools
import json
import random
import re

from random_traces import random_trace
from results import comparison, edge, foreseen, prediction, race, ring
from schemas import PREDICTION, SARIF, complaints, strict, validator
from seriatim import SANITIZED, TRACES, Case, run

STRICT = validator(strict(PREDICTION))
STANDARD = validator(SARIF)
# Each engine that there is, and all of them side by side.
ENGINES = re.findall(r"^  (\S+) ", run("predict", "--help").text.split("engines:\n")[1], re.MULTILINE)

def long_schedule():
    """Of which only the steps are shown."""
    made = foreseen(verdict="violation", broken_reads=[{"event": 3, "sees": 5, "saw": None}],
                    left_out=[{"before": 1, "thread": "T3", "events": 30},
                              {"before": 1, "thread": "T1", "events": 1},
                              {"before": 5, "thread": "T2", "events": 1}])
    made["witness"] = [*range(20, 51), 1, 2, 4, 5, 3]
    return made


SAMPLES = {
    "nothing": prediction(),
    "atomic": prediction(foreseen(verdict="atomic")),
    "undecided": prediction(foreseen(verdict="timeout"), foreseen(start=10, verdict="atomic")),
    "potential": prediction(foreseen(), foreseen("g", start=10, verdict="atomic")),
    "equal": prediction(foreseen(), foreseen(start=10, events_of=1)),
    "violation": prediction(foreseen(verdict="violation"), engine="tas", notion="avp"),
    "long schedule": prediction(long_schedule(), engine="tas", notion="avp"),
    "functions": prediction(foreseen(function="f")),
    "races and deadlocks": prediction(foreseen(), races=[race()], deadlocks=[ring()]),
    "no races": prediction(foreseen(""), races=[]),
    "several": comparison(prediction(foreseen(), deadlocks=[ring()]),
                          prediction(foreseen(verdict="violation"), engine="tas")),
}


class PredictCase(Case):
    def report(self, data, *options, form="text", **more):
        self.write("r.json", json.dumps(data))
        return self.run_here("report", "--format", form, *options, "r.json", **more)

    def text(self, data, *options):
        return self.report(data, *options).text

    def assert_lines(self, data, *lines):
        text = self.text(data)
        for line in lines:
            self.assertIn(line + "\n", text)


def guarded(block, start, locks):
    """One whose reads, and the write between them, are made with these locks."""
    made = foreseen(block, start=start, function=block, loc=f"a.c:{start + 1}", other=f"U{start}")
    for place in made["steps"] + [edge[end] for edge in made["path"] for end in ("from", "to")]:
        place.update(locks=locks, stack=[{"function": place["function"], "loc": place["loc"]}])
    return made


class Overview(PredictCase):
    """The first screen: a line for each finding."""

    def test_each_finding_has_a_line_before_the_first_are_described(self):
        text = self.text(prediction(foreseen("f"), foreseen("g", start=10)), "--stories", "1")
        self.assertIn("2 findings, the most important first:\n"
                      "  #  function  what is cut  reported  look at\n"
                      "  1  f         x            1 of 1    a.c:1\n"
                      "  2  g         x            1 of 1    a.c:1\n"
                      "\nThe first 1 in full; --stories 0 describes all:\n\nf may be cut", text)
        self.assertNotIn("g may be cut", text)

    def test_a_single_finding_is_described_at_once(self):
        self.assertNotIn("finding", self.text(prediction(foreseen(), foreseen(start=10))))

    def test_what_lets_go_of_a_lock_comes_before_what_had_none(self):
        result = prediction(guarded("bare", 0, []), guarded("locked", 10, ["m"]))
        order = [finding["function"] for finding in self.report(result, form="json").json["findings"]]
        self.assertEqual(order, ["locked", "bare"])
        result = prediction(guarded("first", 0, ["m"]), guarded("second", 10, ["m"]))
        order = [finding["function"] for finding in self.report(result, form="json").json["findings"]]
        self.assertEqual(order, ["first", "second"])


class Formats(PredictCase):
    def test_the_samples_are_as_the_schema_says(self):
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                self.assertEqual(complaints(STRICT, sample), [])

    def test_json_written_again_is_the_same_but_for_fingerprints_and_stories(self):
        """And findings, which the samples do not have: what is written is made from the facts."""
        def without(data):
            data = copy.deepcopy(data)
            data.pop("deadlock_stories", None)
            for engine in data.get("engines", [data]):
                engine.pop("deadlock_stories", None)
                engine.pop("summary", None)
                engine.pop("findings", None)
                for finding in engine["blocks"] + (engine["races"] or []):
                    finding.pop("fingerprint", None)
                    finding.pop("story", None)
            return data
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                again = self.report(sample, form="json").json
                self.assertEqual(complaints(STRICT, again), [])
                self.assertEqual(without(again), without(sample))

    def test_the_schema_is_not_satisfied_with_everything(self):
        for change in (lambda data: data.pop("engine"),
                       lambda data: data.update(more=1),
                       lambda data: data.update(schema="seriatim-check/1"),
                       lambda data: data["blocks"][0].pop("fingerprint"),
                       lambda data: data["blocks"][0].update(verdict="atomic"),
                       lambda data: data["blocks"][0].update(witness=[0]),
                       lambda data: data.update(atomic="no"),
                       lambda data: data["verdicts"].pop("timeout")):
            data = copy.deepcopy(SAMPLES["potential"])
            change(data)
            self.assertNotEqual(complaints(STRICT, data), [])

    def test_sarif_is_as_the_standard_demands(self):
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                answer = self.report(sample, form="sarif")
                self.assertEqual(complaints(STANDARD, answer.json), [])
                for run in answer.json["runs"]:
                    self.assertEqual(run["invocations"][0]["exitCode"], answer.status)

    def test_the_exit_status_is_that_of_predict(self):
        statuses = {name: self.report(sample).status for name, sample in SAMPLES.items()}
        self.assertEqual(statuses, {"nothing": 0, "atomic": 0, "undecided": 2, "potential": 1, "equal": 1,
                                    "violation": 1, "long schedule": 1, "functions": 1,
                                    "races and deadlocks": 1, "no races": 1, "several": 1})

    def test_a_deadlock_alone_is_no_reason_to_fail(self):
        data = prediction(foreseen(verdict="atomic"), deadlocks=[ring()])
        self.assertEqual(self.report(data).status, 0)
        self.assertIn("T1 and T2 may wait for each other for ever", self.text(data))

    def test_a_page_has_the_data_in_it(self):
        for name, sample in SAMPLES.items():
            with self.subTest(sample=name):
                page = self.report(sample, form="html").text
                self.assertIn('"schema": "seriatim-predict/1"', page)


class Text(PredictCase):
    def test_steps_are_in_the_order_of_the_other_schedule(self):
        self.assert_lines(
            SAMPLES["potential"],
            "t.std: 1 of 2 blocks may be cut in other schedules (blocks: Theorem 4, conflict; "
            "100 events, 2 threads, 0 locks, 1 variable, 3 blocks)",
            "f may be cut, in thread T1: T2 may come in between, R-W-R on x (reported in its only run).",
            "  event 2  T1  reads x   at a.c:1",
            "  event 5  T2  writes x  at b.c:7  so T2 comes after f",
            "  event 3  T1  reads x   at a.c:1  still in the block, so f comes after T2",
            "Note: Only pairs were compared.")

    def test_source_lines_are_quoted(self):
        self.write("b.c", "\n" * 6 + "    x = 1; /* here */\n")
        text = self.text(SAMPLES["potential"])
        self.assertIn("writes x  at b.c:7", text)
        self.assertIn("\n                 x = 1; /* here */\n", text)

    def test_functions_and_locks_are_reported(self):
        text = self.text(SAMPLES["functions"])
        self.assertIn("setter", json.dumps(SAMPLES["functions"]))
        self.assertIn("event 5  T2  writes x", text)

    def test_schedules_have_a_column_for_each_thread(self):
        self.assert_lines(SAMPLES["violation"],
                          "  A schedule that leads there (> marks the steps that cut it):",
                          "             T1        T2",
                          "    event 1  begins f",
                          "  > event 2  reads x",
                          "  > event 5            writes x",
                          "  > event 3  reads x")

    def test_schedules_say_what_is_left_out_and_which_reads_are_broken(self):
        self.assert_lines(SAMPLES["long schedule"],
                          "             T1        T2",
                          "    ... 30 events of T3, 1 of T1 ...",
                          "    event 1  begins f",
                          "  > event 2  reads x",
                          "    ... 1 event of T2 ...",
                          "  > event 5            writes x",
                          "  > event 3  reads x",
                          "             sees the write of event 5 instead of the initial value")

    def verdict(self, *blocks, **more):
        """The words of the first line."""
        return self.text(prediction(*blocks, **more)).split(" (")[0]

    def test_no_more_is_claimed_than_was_decided(self):
        late, fine = foreseen(verdict="timeout"), foreseen(start=10, verdict="atomic")
        self.assertEqual(self.verdict(late), "t.std: undecided: the only block")
        self.assertEqual(self.verdict(late, foreseen(start=10, verdict="timeout")),
                         "t.std: undecided: all 2 blocks")
        self.assertEqual(self.verdict(late, fine), "t.std: undecided: 1 of 2 blocks, and "
                         "no other can be cut in any schedule of this run")
        self.assertEqual(self.verdict(late, fine, notion="avp"),
                         "t.std: undecided: 1 of 2 blocks, and no other is cut in any "
                         "schedule in which reads see what they saw")
        self.assertEqual(self.verdict(late, fine, may_miss=True),
                         "t.std: undecided: 1 of 2 blocks, and no other was found that "
                         "another schedule could cut")

    def test_blocks_that_were_not_decided_are_listed(self):
        data = prediction(foreseen("transfer", verdict="timeout"), foreseen(start=10, verdict="violation"),
                          foreseen("", thread="T12", start=20, loc="7", verdict="timeout"), engine="tas")
        self.assert_lines(data, "2 blocks were not decided; more time (--timeout) or memory (--memory) may help:",
                          "  transfer                T1   event 1   at a.c:1",
                          "  a block without a name  T12  event 21  at location 7")
        self.assert_lines(comparison(data, SAMPLES["undecided"]),
                          "2 blocks were not decided by tas; more time (--timeout) or memory (--memory) may help:",
                          "1 block was not decided by blocks; more time (--timeout) or memory (--memory) may help:", "  f  T1  event 1  at a.c:1")
        self.assertNotIn("not decided", self.text(SAMPLES["violation"]))

    def test_blocks_that_were_not_decided_and_are_not_listed_are_counted(self):
        data = prediction(*(foreseen(start=10 * i, verdict="timeout") for i in range(5)), engine="tas")
        del data["blocks"][2:]
        self.assert_lines(data, "  f  T1  event 11  at a.c:1", "  3 are not listed; --limit 0 lists all.")

    def test_a_long_pattern_is_shown_by_its_ends(self):
        pattern = "R-" + "-".join(["W"] * 26) + "-R"
        data = prediction(foreseen(pattern=pattern))
        self.assertIn(", R-W-W-W-W-W-W-W...W-W-W-W-W-W-W-R on x (", self.text(data))
        self.assertEqual(self.report(data, form="json").json["blocks"][0]["pattern"], pattern)
        longest = "-".join(["W"] * 17)
        self.assertIn(f", {longest} on x (", self.text(prediction(foreseen(pattern=longest))))

    def table(self, *predictions):
        """The lines of the table that compares them."""
        return self.text(comparison(*predictions)).split("\n\n")[1].split("\n")

    def test_the_columns_of_the_comparison_line_up_whatever_is_counted(self):
        unit = "variables in nodes of transaction trees"
        head, *rows = self.table(prediction(foreseen(), storage=1234, storage_unit=unit),
                                 prediction(foreseen(), engine="tas"))
        self.assertEqual([row.index("Theorem 4") for row in rows], [head.index("method")] * 2)

    def test_one_of_a_kind_is_not_many(self):
        for storage, unit, words in ((1, "blocks", "1 block "), (2, "blocks", "2 blocks "),
                                     (1, "bytes in bags", "1 byte in bags "),
                                     (1, "nodes and edges", "1 nodes and edges "), (1, "", "1 "),
                                     (1, " s", "1  s ")):
            with self.subTest(storage=storage, unit=unit):
                made = prediction(foreseen(), storage=storage, storage_unit=unit)
                self.assertIn(f"  {words}", self.table(made, SAMPLES["violation"])[1])

    def test_a_narrow_terminal_gets_no_wide_lines(self):
        answer = self.report(SAMPLES["several"], env={"COLUMNS": "60"})
        body = answer.text.split("\n\n", 2)[2]
        self.assertLessEqual(max(map(len, body.split("\n"))), 60)

    def test_names_that_a_terminal_would_obey(self):
        data = prediction(foreseen("\x1b[31mred", thread="\x1b[2J"), deadlocks=[ring()])
        data["blocks"][0]["why"] = "because \x1b[0m"
        data["caveats"] = ["\x1b]0;title\x07"]
        for key in ("engine", "notion", "method", "storage_unit"):
            data[key] = f"{key} \x1b[31m"
        for made in (data, comparison(data, SAMPLES["potential"])):
            self.assertNotIn("\x1b", self.text(made))
            self.assertIn(r"engine \x1b[31m", self.text(made))

    def test_engines_side_by_side_tell_a_caveat_once(self):
        made = [prediction(engine=name) for name in ("blocks", "commit-node", "tas")]
        self.assertEqual(self.text(comparison(*made)).count("\nNote: Only pairs were compared.\n"), 1)
        made[1]["caveats"] = ["it assumes that there is no deadlock"]
        self.assert_lines(comparison(*made), "Note on blocks and tas: Only pairs were compared.",
                          "Note on commit-node: It assumes that there is no deadlock.")

    def test_engines_side_by_side_tell_a_story_once(self):
        text = self.text(SAMPLES["several"])
        self.assertEqual(text.count("so T2 comes after f"), 1)
        self.assertIn("(reported by 2 of 2 engines; shown as tas found it).", text)


class Sarif(PredictCase):
    def results(self, data, *options):
        [run] = self.report(data, *options, form="sarif").json["runs"]
        return run["results"]

    def test_what_may_be_is_a_warning_and_what_can_be_is_an_error(self):
        [may] = self.results(SAMPLES["potential"])
        [can] = self.results(SAMPLES["violation"])
        self.assertEqual((may["level"], may["ruleId"]), ("warning", "potential-atomicity-violation"))
        self.assertEqual((can["level"], can["ruleId"]), ("error", "predicted-atomicity-violation"))
        self.assertIn("f may be cut, in thread T1", may["message"]["text"])

    def test_flows_are_in_the_foreseen_order(self):
        [found] = self.results(SAMPLES["potential"])
        [flow] = found["codeFlows"]
        steps = {flow["id"]: [(step["executionOrder"], step["location"]["message"]["text"])
                              for step in flow["locations"]] for flow in flow["threadFlows"]}
        self.assertEqual(steps, {"T1": [(1, "begins f; and ends it with event 4"), (2, "reads x"),
                                        (4, "reads x; still in the block, so f comes after T2")],
                                 "T2": [(3, "writes x; so T2 comes after f")]})

    def test_equal_findings_are_one_result(self):
        [found] = self.results(prediction(foreseen(), foreseen(start=10)))
        self.assertEqual(found["occurrenceCount"], 2)

    def test_races_and_deadlocks_have_rules_of_their_own(self):
        rules = [found["ruleId"] for found in self.results(SAMPLES["races and deadlocks"])]
        self.assertEqual(rules, ["potential-atomicity-violation", "data-race", "deadlock-potential"])

    def test_a_deadlock_is_reported_in_the_order_in_which_it_comes(self):
        [*_, found] = self.results(SAMPLES["races and deadlocks"])
        flows = found["codeFlows"][0]["threadFlows"]
        self.assertEqual([[step["executionOrder"] for step in flow["locations"]] for flow in flows],
                         [[1, 3], [2, 4]])

    def test_caveats_and_timeouts_are_notifications(self):
        [run] = self.report(SAMPLES["undecided"], form="sarif").json["runs"]
        texts = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
        self.assertEqual(texts, ["1 block was not decided.",
                                 "Only pairs were compared."])
        self.assertIs(run["invocations"][0]["executionSuccessful"], False)


class WhatIsNew(PredictCase):
    def test_suppressions_leave_out_what_they_match(self):
        self.write("s", "suppress function f by T2 because of that\n")
        data = prediction(foreseen(), foreseen("g", start=10))
        answer = self.report(data, "--suppressions", "s")
        self.assertEqual(answer.status, 1)
        self.assertNotIn("f may be cut", answer.text)
        self.assertIn("g may be cut", answer.text)
        self.write("s", "suppress function * because of that\n")
        self.assertEqual(self.report(data, "--suppressions", "s").status, 0)

    def test_states_are_saved_and_read_again(self):
        self.write("s", "suppress function f because of that\n")
        data = prediction(foreseen(), foreseen("g", start=10), foreseen(start=20, verdict="atomic"))
        saved = self.report(data, "--suppressions", "s", form="json").json
        self.assertEqual(complaints(STRICT, saved), [])
        self.assertEqual([block.get("state") for block in saved["blocks"]], ["suppressed", "new", None])
        self.assertEqual(self.report(saved, form="json").json, saved)

    def test_suppressions_can_be_printed_and_match(self):
        for sample in ("potential", "functions", "several"):
            lines = self.report(SAMPLES[sample], "--print-suppressions").text
            self.write("s", lines.replace("TODO: say why this is all right", "of that"))
            with self.subTest(sample=sample):
                self.assertEqual(self.report(SAMPLES[sample], "--suppressions", "s").status, 0)

    def test_a_baseline_knows_findings_again(self):
        self.write("base.json", json.dumps(SAMPLES["potential"]))
        moved = prediction(foreseen(start=50, loc="a.c:33"))
        answer = self.report(moved, "--baseline", "base.json")
        self.assertEqual(answer.status, 0)
        self.assertIn("Compared with base.json: 0 new findings, 1 known, 0 gone.", answer.text)
        other = prediction(foreseen("g"))
        self.assertIn("1 new finding, 0 known, 1 gone.", self.text(other, "--baseline", "base.json"))

    def test_engines_share_their_baseline(self):
        self.write("base.json", json.dumps(SAMPLES["potential"]))
        self.assertEqual(self.report(SAMPLES["several"], "--baseline", "base.json").status, 0)


class EndToEnd(PredictCase):
    turns = itertools.count()

    def predict(self, *arguments, form="json", **more):
        return self.run_here("predict", "--format", form, *arguments, **more)

    def assert_written_again(self, trace, *options):
        """predict writes what report writes from a saved result of predict, except for the time."""
        still = re.compile(rb" +time *| *[0-9.]+ (us|ms|s)\b|\"seconds\": [0-9.]+")
        saved = self.predict(*options, trace)
        self.assertEqual(complaints(STRICT, saved.json), [])
        forms = ("json", "text", "sarif", "html")
        # With sanitizers, which are slow, each has its turn.
        for form in [forms[next(self.turns) % 4]] if SANITIZED else forms:
            direct = self.predict(*options, trace, form=form)
            self.write("saved.json", saved.out)
            again = self.run_here("report", "--format", form, "saved.json")
            self.assertEqual(again.status, direct.status)
            self.assertEqual(still.sub(b"", again.out), still.sub(b"", direct.out))

    def test_each_engine_on_each_trace_in_each_format(self):
        self.assertIn("all", ENGINES)
        self.assertIn("commit-node", ENGINES)
        for i, trace in enumerate(sorted(TRACES.glob("*.std"))):
            # With sanitizers, which are slow, each engine on every fourth trace.
            for engine in ENGINES[i % 4::4] if SANITIZED else ENGINES:
                with self.subTest(trace=trace.name, engine=engine):
                    self.assert_written_again(trace, "--engine", engine)

    def test_random_traces(self):
        for seed in range(10 if SANITIZED else 40):
            self.write("t.std", random_trace(random.Random(seed)))
            with self.subTest(seed=seed):
                self.assert_written_again("t.std", "--engine", "all", "--limit", "3")

    def test_sarif_is_as_the_standard_demands(self):
        for trace in sorted(TRACES.glob("*.std")):
            with self.subTest(trace=trace.name):
                log = self.predict("--engine", "all", trace, form="sarif").json
                self.assertEqual(complaints(STANDARD, log), [])

    def test_printed_suppressions_and_the_result_itself_as_a_baseline_leave_nothing(self):
        for trace in sorted(TRACES.glob("*.std")):
            saved = self.predict("--engine", "all", "--limit", "0", trace)
            lines = self.predict("--engine", "all", "--limit", "0", "--print-suppressions", trace).text
            self.write("base.json", saved.out)
            self.write("s", lines.replace("TODO: say why this is all right", "of that"))
            for options in (["--baseline", "base.json"], ["--suppressions", "s"]):
                with self.subTest(trace=trace.name, options=options):
                    answer = self.predict("--engine", "all", *options, trace)
                    self.assertEqual(complaints(STRICT, answer.json), [])
                    self.assertNotEqual(answer.status, 1)

    def test_the_example_of_wang_and_stoller(self):
        """TSE 2006, Figure 7: a write between two reads of Vector.elementCount."""
        text = self.predict(TRACES / "vector.std", "--engine", "blocks", form="text").text
        self.assertIn("Vector(Collection) may be cut, in thread thread_1: thread_2 may come in "
                      "between, R-W-R on v1.elementCount", text)
        self.assertEqual(re.findall(r"(thread_\d)  (reads|writes) v1.elementCount +at (\S+)", text),
                         [("thread_1", "reads", "Vector.java:267"),
                          ("thread_2", "writes", "Vector.java:631"),
                          ("thread_1", "reads", "Vector.java:690")])

    def test_a_trace_that_knows_functions_and_locks(self):
        self.assert_written_again(TRACES / "golden-v3.stt", "--engine", "all")
        text = self.predict(TRACES / "golden-v3.stt", form="text").text
        self.assertIn("main    reads balance, holding lock", text)
        self.assertIn("in    bank::work  main.c:22", text)


class BadResults(PredictCase):
    def complaint(self, data):
        answer = self.report(data)
        self.assertEqual(answer.status, 2)
        self.assertEqual(answer.out, b"")
        return answer.message.strip()

    def test_each_field_of_a_wrong_kind_is_named(self):
        """Whatever replaces a value, the answer is an error message or a report."""
        def places(value, path=()):
            yield path
            if isinstance(value, dict):
                for key in value:
                    yield from places(value[key], (*path, key))
            elif isinstance(value, list) and value:
                yield from places(value[0], (*path, 0))
        sample = comparison(prediction(foreseen(verdict="violation", function="f"),
                                       foreseen("g", start=10), races=[race()], deadlocks=[ring()]))
        wrongs = (None, -1, 0, "?", [], {}, [[]], True)
        for i, path in enumerate(places(sample)):
            if not path:
                continue
            # With sanitizers the fuzzer does more of this.
            for wrong in wrongs[i % 8::8] if SANITIZED else wrongs:
                data = copy.deepcopy(sample)
                at = data
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = wrong
                with self.subTest(path=path, wrong=wrong):
                    answer = self.report(data)
                    self.assertIn(answer.status, (0, 1, 2))
                    self.assertEqual(answer.message == "", answer.out != b"")

    def test_no_engine(self):
        self.assertEqual(self.complaint({**comparison(prediction()), "engines": []}),
                         "seriatim: r.json:1: engines must not be empty")

    def test_a_path_through_nothing(self):
        data = prediction(foreseen(path=[{**edge({}, {}), "kind": "magic"}]))
        self.assertIn("blocks[0].path[0].from.event must be a whole number", self.complaint(data))
