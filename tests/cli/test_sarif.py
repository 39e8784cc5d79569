"""--format sarif: valid by the OASIS schema, and with the right contents."""

import copy
import gzip
import json
import random
import re
import string

from random_traces import random_trace
from results import cut, edge, event, foreseen, prediction, race, result, ring
from schemas import SARIF, complaints, validator
from seriatim import CLEAN, CROSS, CUT, ROOT, TRACES, Case, once, run

CHECKER = validator(SARIF)


class SarifCase(Case):
    def sarif(self, *arguments, **more):
        answer = self.run_here(*arguments, "--format", "sarif", **more)
        log = answer.json
        self.assertEqual(complaints(CHECKER, log), [])
        self.assertEqual([run["invocations"][0]["exitCode"] for run in log["runs"]],
                         [answer.status] * len(log["runs"]))
        return log

    def results(self, *arguments, **more):
        [run] = self.sarif(*arguments, **more)["runs"]
        return run["results"]

    def result_of(self, data, *options, **more):
        self.write("r.json", json.dumps(data))
        [found] = self.results("report", *options, "r.json", **more)
        return found


class TheStandard(SarifCase):
    def test_each_engine_on_each_trace(self):
        for trace in sorted(TRACES.glob("*.std")):
            for engine in ("witness", "regiontrack", "aerodrome", "velodrome", "doublechecker"):
                with self.subTest(trace=trace.name, engine=engine):
                    self.sarif("check", "--engine", engine, trace)

    def test_engines_side_by_side_are_runs(self):
        log = self.sarif("check", "--engine", "all", TRACES / "server.std")
        names = [run["properties"]["engine"] for run in log["runs"]]
        self.assertEqual(sorted(names),
                         ["aerodrome", "doublechecker", "regiontrack", "velodrome", "witness"])
        self.assertEqual(len({run["automationDetails"]["id"] for run in log["runs"]}), 5)

    def test_random_traces(self):
        for seed in range(60):
            self.write("t.std", random_trace(random.Random(seed)))
            with self.subTest(seed=seed):
                self.sarif("check", "t.std")

    def test_nothing_found(self):
        self.write("t.std", CLEAN)
        [run] = self.sarif("check", "t.std")["runs"]
        self.assertEqual(run["results"], [])
        self.assertIs(run["invocations"][0]["executionSuccessful"], True)

    def test_no_verdict(self):
        self.write("r.json", json.dumps(dict(result(), serializable=None, gave_up="no patience")))
        [run] = self.sarif("report", "r.json")["runs"]
        [invocation] = run["invocations"]
        self.assertIs(invocation["executionSuccessful"], False)
        self.assertEqual(invocation["toolExecutionNotifications"][0]["message"]["text"],
                         "no patience")

    def test_the_schema_is_not_satisfied_with_everything(self):
        log = self.sarif("check", TRACES / "bank.std")
        for change in (lambda run: run.pop("tool"),
                       lambda run: run["results"][0].update(level="terrible"),
                       lambda run: run["results"][0].update(more=1),
                       lambda run: run["results"][0]["codeFlows"][0].pop("threadFlows")):
            wrong = copy.deepcopy(log)
            change(wrong["runs"][0])
            self.assertNotEqual(complaints(CHECKER, wrong), [])


class Results(SarifCase):
    def test_a_violated_block(self):
        [found] = self.results("check", TRACES / "bank.std")
        self.assertEqual((found["ruleId"], found["level"]), ("atomicity-violation", "warning"))
        self.assertTrue(found["message"]["text"].startswith(
            "transfer was not atomic in thread teller: auditor came in between (cut in 1 of its 2 runs). "
            "No serial order has auditor's work both after and before transfer. Hint: "))
        [location] = found["locations"]
        self.assertEqual(location["physicalLocation"], {
            "artifactLocation": {"uri": "bank.c", "uriBaseId": "SRCROOT"},
            "region": {"startLine": 25}})
        self.assertEqual(location["logicalLocations"][0]["fullyQualifiedName"], "transfer")
        self.assertEqual(
            [place["physicalLocation"]["region"]["startLine"] for place in found["relatedLocations"]],
            [21, 24, 32, 37])

    def test_a_flow_for_each_thread_and_an_order_across_them(self):
        [found] = self.results("check", TRACES / "bank.std")
        [flow] = found["codeFlows"]
        steps = {thread["id"]: [(step["executionOrder"], step["location"]["message"]["text"])
                                for step in thread["locations"]] for thread in flow["threadFlows"]}
        self.assertEqual(steps, {
            "teller": [(1, "began transfer; and ended it with event 32"),
                       (2, "released lock checking.lock"),
                       (5, "acquired lock savings.lock; still in the block, so transfer comes after "
                           "auditor")],
            "auditor": [(3, "acquired lock checking.lock; so auditor comes after transfer"),
                        (4, "released lock savings.lock")]})

    def test_rules_are_described(self):
        log = self.sarif("check", "--engine", "all", TRACES / "cross.std")
        seen = set()
        for run in log["runs"]:
            rules = run["tool"]["driver"]["rules"]
            for found in run["results"]:
                self.assertEqual(rules[found["ruleIndex"]]["id"], found["ruleId"])
                seen.add(found["ruleId"])
        self.assertLessEqual({"cycle", "not-serializable"}, seen)

    def test_a_cycle(self):
        self.write("t.std", CROSS)
        [found] = self.results("check", "t.std")
        self.assertEqual(found["ruleId"], "cycle")
        [flow] = found["codeFlows"]
        self.assertEqual({thread["id"] for thread in flow["threadFlows"]}, {"T1", "T2"})
        orders = [step["executionOrder"] for thread in flow["threadFlows"]
                  for step in thread["locations"]]
        self.assertEqual(sorted(orders), list(range(1, 5)))

    def test_a_mere_verdict_is_about_the_trace(self):
        self.write("t.std", CUT)
        [found] = self.results("check", "--engine", "aerodrome", "t.std")
        self.assertEqual(found["ruleId"], "not-serializable")
        self.assertEqual(found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "t.std")
        self.assertNotIn("partialFingerprints", found)

    def test_places_that_are_mere_numbers_are_in_the_trace(self):
        self.write("a b.std", CUT)
        [found] = self.results("check", "a b.std")
        place = found["locations"][0]
        self.assertEqual(place["physicalLocation"],
                         {"artifactLocation": {"uri": "a%20b.std", "uriBaseId": "SRCROOT"}})
        self.assertTrue(place["message"]["text"].startswith("read x at location 4;"))
        [found] = self.results("check", "-", input=CUT)
        self.assertNotIn("physicalLocation", found["locations"][0])

    def test_what_is_equal_is_one_result(self):
        data = result(cut(), cut(start=20), cut(start=40, block="g"))
        self.write("r.json", json.dumps(data))
        counts = {found["message"]["text"].split()[0]: found["occurrenceCount"]
                  for found in self.results("report", "r.json")}
        self.assertEqual(counts, {"f": 2, "g": 1})

    def test_what_reviewers_get(self):
        """What GitHub shows of a rule and of a result."""
        [bank] = self.sarif("check", TRACES / "bank.std")["runs"]
        for rule in bank["tool"]["driver"]["rules"]:
            with self.subTest(rule=rule["id"]):
                self.assertIn("See docs/", rule["help"]["text"])
                self.assertIn("See `docs/", rule["help"]["markdown"])
                page = rule["help"]["text"].rpartition("docs/")[2].rstrip(".").partition("#")[0]
                self.assertTrue((ROOT / "docs" / page).exists(), page)
                self.assertIn(rule["defaultConfiguration"]["level"], ("error", "warning"))
                self.assertIn(rule["properties"]["precision"], ("very-high", "high", "medium"))
                self.assertIn(rule["properties"]["problem.severity"], ("error", "warning"))
        [found] = bank["results"]
        self.assertEqual(found["rank"], 100)
        self.assertIn("To accept it: suppress function transfer file bank.c by auditor because",
                      found["message"]["text"])
        prints = found["partialFingerprints"]
        self.assertEqual(prints["primaryLocationLineHash"], prints["seriatim/v1"] + ":1")
        self.assertTrue(all(place["message"]["text"] for place in found["relatedLocations"]))

    def test_the_suppression_in_a_message_works(self):
        [found] = self.results("check", TRACES / "bank.std")
        line = found["message"]["text"].rpartition("To accept it: ")[2]
        self.write("s", line + "\n")
        self.assertEqual(run("check", "--suppressions", str(self.folder / "s"), TRACES / "bank.std").status, 0)

    @once("a file that is too large leaves findings out, too")
    def test_what_github_takes(self):
        """https://docs.github.com/en/code-security/reference/code-scanning/sarif-support: at most 25,000
        results in a run, 10 MB after compression, 20 runs, 1,000 steps of a flow that are shown."""
        data = result(*(cut(start=10 * i, block=f"f{i}") for i in range(26_000)))
        self.write("many.json", json.dumps(data))
        out = self.run_here("report", "--format", "sarif", "many.json").out
        [many] = json.loads(out)["runs"]
        self.assertEqual(len(many["results"]), 25_000)
        self.assertLess(len(gzip.compress(out)), 10_000_000)
        notes = [note["message"]["text"] for note in many["invocations"][0]["toolExecutionNotifications"]]
        self.assertIn("At most 25000 findings are listed: GitHub takes no more of them.", notes)
        ranks = [found["rank"] for found in many["results"]]
        self.assertEqual(ranks, sorted(ranks, reverse=True))
        self.assertEqual((ranks[0], ranks[-1]), (100, 1))

    def test_a_file_that_compression_leaves_above_10_mb_is_shorter(self):
        """Names that do not repeat cannot be compressed. What is left out is the least important, and is
        counted."""
        names = random.Random(7)
        letters = string.ascii_letters + string.digits
        data = result(*(cut(start=10 * i, block="".join(names.choices(letters, k=9000))) for i in range(1_800)))
        self.write("long.json", json.dumps(data))
        out = self.run_here("report", "--format", "sarif", "long.json").out
        packed = len(gzip.compress(out))
        self.assertLess(packed, 10_000_000)
        self.assertGreater(packed, 5_000_000)
        [many] = json.loads(out)["runs"]
        listed = len(many["results"])
        self.assertLess(listed, 1_800)
        notes = [note["message"]["text"] for note in many["invocations"][0]["toolExecutionNotifications"]]
        self.assertIn(f"{1_800 - listed} more findings are not listed: GitHub takes no files above 10 MB after "
                      "compression.", notes)
        self.assertEqual(many["results"][0]["rank"], 100)

    def test_a_flow_has_a_thousand_steps_at_most(self):
        """A ring of threads that could wait for each other has two steps for each; no flow is empty."""
        for number, flows in ((400, 400), (700, 700), (1300, 1000)):
            waits = [{"holds": event(2 * i + 1, f"T{i}", f"acq(l{i})", f"a.c:{i + 1}"),
                      "wants": event(2 * i + 2, f"T{i}", f"acq(l{(i + 1) % number})", f"b.c:{i + 1}")}
                     for i in range(number)]
            self.write("ring.json", json.dumps(prediction(foreseen(), deadlocks=[waits])))
            [found] = [found for found in self.results("report", "ring.json")
                       if found["ruleId"] == "deadlock-potential"]
            threads = found["codeFlows"][0]["threadFlows"]
            with self.subTest(number):
                self.assertEqual(len(threads), flows)
                self.assertEqual(sum(len(thread["locations"]) for thread in threads), min(2 * number, 1000))

    def test_what_is_not_listed_is_mentioned(self):
        [run] = self.sarif("check", "--limit", "1", TRACES / "server.std")["runs"]
        self.assertEqual(len(run["results"]), 1)
        [note] = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual(note["message"]["text"],
                         "5 more violated blocks are not listed; --limit 0 lists all.")


def stories(data):
    """The stories of a result as JSON, by fingerprint where there is one."""
    found = [(violation["fingerprint"], violation["story"]) for violation in data.get("violations", [])]
    found += [(block.get("fingerprint"), block["story"]) for block in data.get("blocks", [])
              if "story" in block]
    found += [(None, race["story"]) for race in data.get("races") or []]
    found += [(None, story) for story in data.get("deadlock_stories", [])]
    if data.get("story"):
        found.append((data.get("cycle_fingerprint"), data["story"]))
    return [(mark, story) for mark, story in found if story["count"]]


def step_text(step):
    """A step in one line; RAPID's locations are mere numbers, and no file has them."""
    where = step["loc"]
    parts = [step["action"]]
    if where and not re.search(r".:\d+$", where):
        parts[0] += f" at location {where}" if where.isdigit() else f" at {where}"
    if "holding" in step:
        parts[0] += ", " + step["holding"]
    return "; ".join(parts + [step[key] for key in ("follows", "race") if key in step])


def message_text(story):
    sentences = [story["headline"] + (f" ({story['frequency']})" if story["frequency"] else "") + ".",
                 story["explanation"], story["conclusion"],
                 story["hint"] and "Hint: " + story["hint"], *story["notes"],
                 story.get("suppression") and "To accept it: " + story["suppression"]]
    return " ".join(sentence for sentence in sentences if sentence)


def unescaped(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


class Stories(SarifCase):
    """A result says what the story of its finding says, sentence by sentence."""

    def both(self, *arguments):
        data = self.run_here(*arguments, "--format", "json").json
        log = self.sarif(*arguments)
        for made, run in zip(data.get("engines", [data]), log["runs"]):
            first = run is log["runs"][0]
            made = dict(made, deadlock_stories=data.get("deadlock_stories", []) if first else [])
            yield stories(made), run["results"]

    def check(self, *arguments):
        """The number of findings that were compared."""
        count = 0
        for expected, results in self.both(*arguments):
            left = list(results)
            for fingerprint, story in expected:
                match = [found for found in left
                         if found["message"]["text"].replace("{{", "{").replace("}}", "}")
                         == message_text(story) and (not fingerprint or
                         found["partialFingerprints"]["seriatim/v1"] == fingerprint)]
                self.assertTrue(match, (message_text(story), [r["message"]["text"] for r in left]))
                self.check_steps(story, match[0])
                left.remove(match[0])
                count += 1
            self.assertEqual(left, [])
        return count

    def check_steps(self, story, found):
        steps = {number: step for number, step in enumerate(story["steps"], 1) if "gap" not in step}
        flows = found.get("codeFlows", [{"threadFlows": []}])[0]["threadFlows"]
        shown = {step["executionOrder"]: (flow["id"], step["location"]["message"]["text"])
                 for flow in flows for step in flow["locations"]}
        self.assertEqual(shown, {number: (step["thread"], step_text(step))
                                 for number, step in steps.items()})
        related = {place["id"]: place["message"]["text"] for place in found.get("relatedLocations", [])}
        self.assertEqual(related, {number: f"{steps[number]['thread']} {step_text(steps[number])}"
                                   for number in related})
        self.assertGreaterEqual(len(related), len([s for s in steps.values() if s["event"]]) - 1)
        markdown = unescaped(found["message"]["markdown"]).replace("{{", "{").replace("}}", "}")
        lists = story["steps"] + (story["schedule"] or {"steps": []})["steps"]
        for step in lists:
            self.assertIn(f"**...** {step['gap']}" if "gap" in step else
                          f"**{step['thread']}** {step_text(step)}", markdown)
        for sentence in (story["introduction"], (story["schedule"] or {}).get("title")):
            self.assertIn(sentence or "", markdown)

    def test_what_was_found_in_each_trace(self):
        count = sum(self.check("check", "--engine", "all", trace)
                    for trace in sorted(TRACES.glob("*.std")))
        self.assertGreater(count, 20)

    def test_what_was_predicted_from_each_trace(self):
        count = sum(self.check("predict", "--engine", engine, trace)
                    for engine in ("tas", "blocks", "reduction", "all")
                    for trace in sorted(TRACES.glob("*.std")))
        self.assertGreater(count, 40)

    def test_races_deadlocks_gaps_and_calls(self):
        long = cut(edges=40)
        called = cut(block="called", out=event(3, "U1", "acq(x)", "/usr/include/c++/12/mutex:9", "std::mutex::lock",
                               stack=[("std::mutex::lock", "/usr/include/c++/12/mutex:9"),
                                      ("g", "a.cc:4")], locks=["m", "x"]))
        racing = cut(block="h", start=200)
        racing["path"][0]["race"] = racing["path"][1]["race"] = True
        self.write("r.json", json.dumps(result(long, called, racing)))
        self.assertEqual(self.check("report", "r.json"), 3)
        self.write("p.json", json.dumps(prediction(foreseen(), foreseen(block="g", verdict="violation"),
                                                   deadlocks=[ring()], races=[race()])))
        self.assertEqual(self.check("report", "p.json"), 4)


class Paths(SarifCase):
    def uri(self, loc):
        found = self.result_of(result(cut(loc=loc)))
        return found["locations"][0]["physicalLocation"]["artifactLocation"]

    def test_below_the_current_folder_they_are_relative(self):
        relative = {"uri": "src/a.c", "uriBaseId": "SRCROOT"}
        self.assertEqual(self.uri("src/a.c:3"), relative)
        self.assertEqual(self.uri(f"{self.folder.resolve()}/src/a.c:3"), relative)

    def test_others_are_absolute(self):
        self.assertEqual(self.uri("/usr/include/x.h:3"), {"uri": "file:///usr/include/x.h"})

    def test_characters_that_mean_something_else_are_escaped(self):
        self.assertEqual(self.uri("a #?%&ü\n.c:3")["uri"], "a%20%23%3F%25%26%C3%BC%0A.c")

    def test_the_folder_itself_is_not_named(self):
        self.write("r.json", json.dumps(result(cut(loc=f"{self.folder.resolve()}/a.c:3"))))
        log = self.sarif("report", "r.json")
        self.assertNotIn(str(self.folder.resolve()), json.dumps(log))


class Names(SarifCase):
    def test_braces_and_markup_are_plain_text(self):
        name = "main::{lambda(int)#1}<a*> [x](y) `b` \\_"
        found = self.result_of(result(cut(block=name)))
        self.assertIn(name.replace("{", "{{").replace("}", "}}") + " was not atomic",
                      found["message"]["text"])
        self.assertIn(r"main::{{lambda\(int\)\#1}}\<a\*\> \[x\]\(y\) \`b\` \\\_ was not atomic",
                      found["message"]["markdown"])

    def test_anything_can_be_a_name(self):
        self.write("t.std", b"T\xff|begin(a\xff\x01)|1\nT\xff|w(x)|2\nT2|w(x)|3\nT\xff|r(x)|4\n")
        [found] = self.results("check", "t.std")
        self.assertEqual(found["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
                         "a\ufffd\x01")


class Calls(SarifCase):
    def place(self, number, thread, op, function, line, locks=()):
        return event(number, thread, op, f"a.c:{line}", function, locks=locks,
                     stack=[(function, f"a.c:{line}"), ("main", "m.c:9")])

    def data(self):
        out = self.place(2, "T1", "rel(m)", "f", 2, ["m"])
        there = self.place(3, "T2", "acq(m)", "g", 33, ["m", "n"])
        back = self.place(4, "T2", "rel(m)", "g", 34)
        proof = self.place(5, "T1", "acq(m)", "f", 5)
        violation = dict(cut(), entry=self.place(1, "T1", "begin(f)", "f", 1), proof=proof,
                         closing=edge(back, proof, "lock", "m"),
                         path=[edge(out, there, "lock", "m"), edge(back, proof, "lock", "m")])
        return result(violation)

    def test_stacks_functions_and_locks(self):
        found = self.result_of(self.data())
        self.assertEqual([[frame["location"]["logicalLocations"][0]["fullyQualifiedName"]
                           for frame in stack["frames"]] for stack in found["stacks"]],
                         [["f", "main"], ["g", "main"]])
        steps = {step["executionOrder"]: step for thread in found["codeFlows"][0]["threadFlows"]
                 for step in thread["locations"]}
        self.assertEqual(len(steps), 5)
        self.assertEqual(steps[3]["state"], {"locks held": {"text": "m, n"}})
        self.assertEqual(steps[3]["stack"]["frames"][1]["location"]["physicalLocation"]["region"],
                         {"startLine": 9})
        self.assertEqual(steps[1]["location"]["logicalLocations"][0]["fullyQualifiedName"], "f")
        self.assertEqual(steps[3]["kinds"], ["acquire", "lock"])


class WhatIsNew(SarifCase):
    def test_suppressed_results_say_why(self):
        self.write("t.std", CUT)
        self.write("s.supp", "\nsuppress function a because of {that}\n")
        [found] = self.results("check", "--suppressions", "s.supp", "t.std")
        [suppression] = found["suppressions"]
        self.assertEqual(suppression["justification"], "of {that}")
        self.assertEqual((suppression["kind"], suppression["status"]), ("external", "accepted"))
        self.assertEqual(suppression["location"]["physicalLocation"], {
            "artifactLocation": {"uri": "s.supp", "uriBaseId": "SRCROOT"}, "region": {"startLine": 2}})
        self.write("s.supp", "suppress function b because of that\n")
        [found] = self.results("check", "--suppressions", "s.supp", "t.std")
        self.assertEqual(found["suppressions"], [])

    def test_results_say_whether_they_are_in_the_baseline(self):
        self.write("t.std", CUT)
        self.write("base.json", self.run_here("check", "--format", "json", "t.std").out)
        self.write("s.supp", "suppress function a because of that\n")
        [found] = self.results("check", "--baseline", "base.json", "t.std")
        self.assertEqual(found["baselineState"], "unchanged")
        [found] = self.results("check", "--baseline", "base.json", "--suppressions", "s.supp", "t.std")
        self.assertEqual(found["baselineState"], "unchanged")
        self.write("t.std", CUT.replace("(x)", "(y)"))
        [found] = self.results("check", "--baseline", "base.json", "t.std")
        self.assertEqual(found["baselineState"], "new")
        [found] = self.results("check", "t.std")
        self.assertNotIn("baselineState", found)

    def test_the_same_from_a_saved_result(self):
        self.write("base.json", self.run_here("check", "--format", "json", TRACES / "bank.std").out)
        self.write("s.supp", "suppress function handle because of that\n")
        options = ["--baseline", "base.json", "--suppressions", "s.supp", TRACES / "server.std"]
        self.write("r.json", self.run_here("check", "--format", "json", *options).out)
        self.assertEqual(self.sarif("report", "r.json"), self.sarif("check", *options))
