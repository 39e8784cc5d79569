"""The page that --format html writes, in a real browser: what it shows, and how it can be used."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import programs
import test_planted as planted
from browser import Browser
from hunting import UNHURRIED, built
from results import (comparison, cut, event, foreseen, prediction, race, result,
                     ring)
from seriatim import BINARY, CROSS, CUT, ROOT, TRACES, run

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">"


def setUpModule():
    """One browser for all tests, since it is slow to start."""
    PageCase.browser = Browser()
    unittest.addModuleCleanup(PageCase.browser.close)


class PageCase(unittest.TestCase):
    """Each test opens pages in the browser, and leaves no complaint in its console."""

    browser = None

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="seriatim-web-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)

    def setUp(self):
        self.browser.resize(1400, 900)
        self.browser.prefer("light")

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [])

    def open_report(self, operand, *arguments, fragment="", cwd=None):
        made = run(*arguments or ["report"], "-o", self.folder / "page.html", operand, cwd=cwd)
        self.assertIn(made.status, (0, 1), made.message)
        self.browser.open(self.folder / "page.html", fragment)

    def open_result(self, data, **more):
        path = self.folder / "result.json"
        path.write_text(json.dumps(data))
        self.open_report(path, **more)

    def open_trace(self, text, *options, **more):
        path = self.folder / "trace.std"
        path.write_text(text)
        self.open_report(path, "check", "--format", "html", *options, **more)

    # ---- Looking ----

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length;", selector)

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])]"
                                ".map((node) => node.textContent);", selector)

    def text(self, selector):
        [text] = self.texts(selector)
        return text

    def title(self):
        return self.text("#finding-title")

    def focused(self):
        return self.browser.run("return document.activeElement.id;")

    def set(self, selector, value):
        self.browser.run("const field = document.querySelector(arguments[0]);"
                         "field.value = arguments[1];"
                         "field.dispatchEvent(new Event('input', {bubbles: true}));", selector, value)


class Finding(PageCase):
    def test_a_cut_block_in_one_sentence(self):
        self.open_report(TRACES / "bank.std")
        self.assertEqual(self.title(), "transfer was not atomic in thread teller: auditor came in "
                                       "between.")
        self.assertIn("cut in 1 of its 2 runs", self.text(".facts"))
        self.assertEqual(self.text(".conclusion"), "No serial order has auditor's work both after "
                                                   "and before transfer.")

    def test_lanes_have_each_thread_and_each_event_once_with_time_downwards(self):
        self.open_report(TRACES / "bank.std")
        self.assertEqual(self.texts(".lanes .lane > text"), ["tellerthread teller",
                                                             "auditorthread auditor"])
        places = self.browser.run("return [...document.querySelectorAll('.lanes .event')].map(e => "
                                  "[Number(e.dataset.event), e.querySelector('circle').cy.baseVal.value]);")
        self.assertEqual([number for number, _ in places], [15, 19, 21, 26, 28, 32])
        self.assertEqual(places, sorted(places, key=lambda place: place[1]))

    def test_one_edge_for_each_dependence_between_the_right_events(self):
        for trace in ("bank.std", "server.std", "nested.std", "cross.std", "rho3.std"):
            found = run("check", "--format", "json", TRACES / trace).json
            self.open_report(TRACES / trace, fragment="#finding-1")
            first = (found["violations"] or [None])[0]
            edges = first["path"] if first else found["cycle"]
            with self.subTest(trace):
                self.assertTrue(edges)
                self.assertEqual(self.count("[data-edge]"), len(edges))
                for index, edge in enumerate(edges):
                    self.assert_edge_joins(index, edge)

    def assert_edge_joins(self, index, edge):
        """The curve begins below the one event and ends above the other."""
        ends = self.browser.run("""
            const path = document.querySelector(`[data-edge="${arguments[0]}"]`);
            const at = (length) => { const p = path.getPointAtLength(length); return [p.x, p.y]; };
            return [at(0), at(path.getTotalLength())];""", index)
        for (x, y), place, side in zip(ends, (edge["from"], edge["to"]), (1, -1)):
            dot = self.browser.run(
                "const c = document.querySelector(`.event[data-event='${arguments[0]}'] circle`);"
                "return [c.cx.baseVal.value, c.cy.baseVal.value];", place["event"])
            self.assertAlmostEqual(x, dot[0], delta=1)
            self.assertTrue(0 < (y - dot[1]) * side < 12, (edge, y, dot))

    def test_the_violated_block_is_a_bar_from_its_begin_to_its_end(self):
        self.open_report(TRACES / "bank.std")
        top, bottom, begin, end = self.browser.run("""
            const bar = document.querySelector('.block.violated[data-block="transfer"]').getBBox();
            const y = (n) => document.querySelector(`.event[data-event='${n}'] circle`).cy.baseVal.value;
            return [bar.y, bar.y + bar.height, y(15), y(32)];""")
        self.assertTrue(top < begin < end < bottom < end + 20, (top, begin, end, bottom))

    def test_a_block_whose_end_was_not_seen_is_open(self):
        self.open_trace(CUT.replace("T1|end(a)|5\n", ""))
        self.assertEqual(self.count(".block.violated.open"), 1)
        self.assertEqual(self.texts(".steps .follows")[0], "and its end was not seen")

    def test_a_cycle_without_a_violated_block(self):
        self.open_trace(CROSS)
        self.assertEqual(self.title(),
                         "No serial order explains the trace, although no single block was cut.")
        self.assertIn("wait for each other in a cycle", self.text(".introduction"))
        self.assertEqual(self.count("[data-edge]"), 2)
        self.assertEqual(sorted(self.browser.run(
            "return [...document.querySelectorAll('.block')].map(b => b.dataset.block);")),
            ["a", "b"])

    def test_an_engine_without_paths_shows_what_it_knows(self):
        self.open_trace(CUT, "--engine", "regiontrack")
        self.assertIn("a was not atomic in thread T1: T2 came in between", self.title())
        self.open_trace(CUT, "--engine", "aerodrome")
        self.assertEqual(self.title(), "No serial order explains the trace.")
        self.assertEqual(self.text("#verdict"), "not serializable (no order of whole blocks "
                                               "explains this run), first bad event 4")
        self.assertEqual(self.count("[data-edge]"), 0)

    def test_a_block_without_a_name(self):
        self.open_trace(CUT.replace("(a)", ""))
        self.assertIn("A block without a name was not atomic", self.title())
        self.assertEqual(self.text(".row-name"), "(no name)")

    def test_all_engines_can_be_chosen(self):
        self.open_trace(CUT, "--engine", "all")
        self.assertEqual(self.count("#engine option"), 5)
        self.assertIn("was not atomic", self.title())
        self.browser.run("const e = document.getElementById('engine');"
                         "e.value = [...e.options].find(o => o.text === 'aerodrome').value;"
                         "e.dispatchEvent(new Event('change'));")
        self.assertIn("No serial order explains the trace", self.title())
        self.assertEqual(self.count(".engines tbody tr"), 5)

    def test_nothing_found(self):
        self.open_report(TRACES / "bank-fixed.std")
        self.assertEqual(self.title(), "No findings")
        self.assertEqual(self.text("#finding .note"), "serializable (some order of whole blocks explains "
                                                    "this run); no violated block")
        self.assertEqual(self.text("#count"), "0 findings")
        self.assertEqual(self.count(".blocks tbody tr"), 2)

    def test_a_long_path_is_drawn_in_part_until_asked_for_all(self):
        data = result(cut(edges=1000))
        self.open_result(data)
        self.assertEqual(self.count("[data-edge]"), 300)
        self.browser.click(".picture button")
        self.assertEqual(self.count("[data-edge]"), 1000)

    def test_stack_and_locks_of_a_step(self):
        place = event(3, "T2", "r(x)", "a.c:9", function="get", locks=["m"],
                      stack=[("get", "a.c:9"), ("serve", "b.c:4"), ("main", "b.c:1")])
        self.open_result(result(cut(out=place)))
        self.assertEqual(self.text("[data-step='3'] .locks"), "holding m")
        self.assertEqual(self.texts("[data-step='3'] .stack li"),
                         ["geta.c:9", "serveb.c:4", "mainb.c:1"])
        self.assertFalse(self.browser.run(
            "return document.querySelector('[data-step=\"3\"] details').open;"))
        self.browser.click("[data-step='3'] summary")
        self.assertTrue(self.browser.run(
            "return document.querySelector('[data-step=\"3\"] details').open;"))

    def test_blocks_that_the_same_event_cut_are_linked(self):
        self.open_report(TRACES / "nested.std", fragment="#finding-1")
        before = self.title()
        self.browser.click(".around button")
        self.assertNotEqual(self.title(), before)
        self.assertIn("was not atomic", self.title())


class Failures(PageCase):
    """What a hunt saw fail has lanes, too: the course of the schedule, and how it ended."""

    def hunt(self, name):
        """Opens the failure; returns the course that its story has."""
        self.open_report(built(name), "hunt", *UNHURRIED, "--until", "first", "--format", "html", cwd=self.folder)
        self.assertEqual(self.browser.run("return state.groups[0][0].story.kind;"), "failure")  # as in the text
        self.browser.run("openFinding(state.findings.find((f) => f.story.kind === 'failure'));")
        return self.browser.run("return data.failures[0].story.course;")

    def lanes(self):
        """Of each step: its number, the lane that it is in, its words, its place, is it marked?"""
        return self.browser.run("""
            const name = new Map([...document.querySelectorAll('.lanes .lane')].map((lane) =>
                [lane.querySelector('line').x1.baseVal.value, lane.querySelector('.thread').firstChild.textContent]));
            return [...document.querySelectorAll('.lanes .event')].map((node) => ({
                step: Number(node.dataset.event),
                thread: name.get(node.querySelector('circle').cx.baseVal.value),
                words: [...node.querySelectorAll('.op')].map((line) => line.textContent).join(' '),
                place: node.querySelector('.loc').textContent,
                marked: node.matches('.proof')}));""")

    def assert_drawn(self, course):
        """Each step once, in the order of time, in the lane of its thread and in the words of the story."""
        def place(step):
            return step["loc"].rpartition("/")[2]
        self.assertEqual(self.lanes(), [
            {"step": number, "thread": step["thread"], "words": step["action"], "place": place(step),
             "marked": step.get("marked", False)} for number, step in enumerate(course, 1)])
        heights = self.browser.run("return [...document.querySelectorAll('.lanes .event circle')]"
                                   ".map((dot) => dot.cy.baseVal.value);")
        self.assertEqual(heights, sorted(set(heights)))

    def assert_lines_apart(self):
        """No text of a step is drawn over that of another, nor outside of the picture."""
        self.assertEqual(self.browser.run("""
            const picture = document.querySelector('.lanes').getBoundingClientRect();
            const boxes = [...document.querySelectorAll('.lanes .event text, .lanes .course-gap')]
                .filter((text) => text.textContent).map((text) => text.getBoundingClientRect());
            const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
                a.top < b.bottom - 2 && b.top < a.bottom - 2;
            return boxes.filter((a, i) => a.bottom > picture.bottom || a.right > picture.right ||
                boxes.some((b, k) => k > i && over(a, b))).length;"""), 0)

    def test_a_deadlock(self):
        course = self.hunt("lock_order.c")
        self.assertEqual(self.title(), "The program came to a deadlock: no thread could go on.")
        self.assert_drawn(course)
        self.assert_lines_apart()
        ends = {step["thread"]: step["words"] for step in self.lanes() if step["marked"]}
        self.assertEqual(ends, {"main": "waits for T1 to end in main",
                                "T1 (rent)": "waits for a lock: bob.lock, which T2 has, in pay",
                                "T2 (refund)": "waits for a lock: alice.lock, which T1 has, in pay"})
        self.assertIn("stops in pay", [step["words"] for step in self.lanes()])
        ran = [step["thread"] for step in course if "marked" not in step]
        self.assertEqual(self.count(".lanes .way"), len(ran))  # the last of them to where it waits
        self.assertEqual(self.count("#verdict .good"), 0)
        self.assertEqual(self.text(".lanes .number-title"), "step")
        self.assertIn("pthread_mutex_lock(&second->lock);",
                      [text.strip() for text in self.texts(".source mark")])

    def test_a_crash(self):
        course = self.hunt("null_message.c")
        self.assertEqual(self.title(), "The program crashed with SIGSEGV.")
        self.assert_drawn(course)
        self.assert_lines_apart()
        last = self.lanes()[-1]
        self.assertEqual((last["thread"], last["marked"]), ("T1 (printer)", True))
        self.assertRegex(last["words"], "^failed in ")
        self.assertIn("T2 ", [step["thread"][:3] for step in self.lanes()])

    def test_the_label_of_a_step_has_all_of_its_words(self):
        course = self.hunt("lock_order.c")
        labels = self.browser.run("return [...document.querySelectorAll('.lanes .event')]"
                                  ".map((node) => node.getAttribute('aria-label'));")
        self.assertEqual(labels, [
            f"step {number}: {step['thread']} {step['action']}" + (f", {step['loc']}" if step["loc"] else "")
            for number, step in enumerate(course, 1)])

    def test_a_long_course_has_a_gap(self):
        saved = run("hunt", *UNHURRIED, "--until", "first", "--format", "json", built("lock_order.c"), cwd=self.folder).json
        steps = saved["failures"][0]["course"]
        saved["failures"][0]["course"] = [*steps[:2], {"more": 12}, *steps[2:]]
        self.open_result(saved)
        self.assertEqual(self.texts(".lanes .course-gap"), ["12 more steps"])
        self.assertEqual([step["step"] for step in self.lanes()], list(range(1, len(steps) + 4)))
        self.assert_lines_apart()


class Predicted(PageCase):
    def events(self):
        return [int(number) for number in self.browser.run(
            "return [...document.querySelectorAll('.lanes .event')].map(e => e.dataset.event);")]

    def test_a_block_that_may_be_cut_in_one_sentence(self):
        self.open_result(prediction(foreseen(), foreseen("g", start=10, verdict="atomic")))
        self.assertEqual(self.text("#verdict"), "1 of 2 blocks may be cut in other schedules")
        self.assertEqual(self.title(), "f may be cut, in thread T1: T2 may come in between, R-W-R on x.")
        self.assertIn("reported in its only run", self.text(".facts"))
        self.assertEqual(self.text(".introduction"),
                         "In this run the steps came in another order; they may come in this:")
        self.assertEqual(self.text(".conclusion"),
                         "No serial order has T2's work both after and before f.")

    def test_lanes_and_steps_are_in_the_order_of_the_other_schedule(self):
        self.open_result(prediction(foreseen()))
        self.assertEqual(self.events(), [1, 2, 5, 3, 4])
        self.assertEqual(self.count("[data-edge]"), 2)
        heights = self.browser.run("return [...document.querySelectorAll('.lanes .event circle')]"
                                   ".map(c => c.cy.baseVal.value);")
        self.assertEqual(heights, sorted(heights))
        self.assertEqual(self.texts(".steps .step-words > p:first-child"),
                         ["T1 begins f a.c:1", "T1 reads x a.c:1", "T2 writes x b.c:7",
                          "T1 reads x a.c:1"])
        self.assertEqual(self.texts(".steps .follows"),
                         ["and ends it with event 4", "so T2 comes after f",
                          "still in the block, so f comes after T2"])

    def test_a_violation_shows_its_schedule(self):
        self.open_report(TRACES / "bank.std", "predict", "--format", "html")
        self.assertTrue(self.title().startswith(
            "transfer is cut in a schedule that the program could have taken, in thread teller: "))
        self.assertEqual(self.events(), [15, 18, 22, 25, 30, 32])
        self.assertEqual(self.count(".lanes .block.violated:not(.open)"), 1)  # to its end, as what was seen
        self.browser.click(".picture button")
        self.assertEqual(self.events(), [*range(6, 27), 28, 29, 30])
        self.assertEqual(self.count(".picture button"), 0)
        self.assertEqual(self.text(".schedule summary"), "A schedule that leads there")
        self.assertEqual(self.texts(".schedule .gap .action"), ["4 events of main, 1 of teller"])
        self.assertEqual(self.texts(".schedule .marked .step-number"),
                         ["event 18", "event 22", "event 25", "event 30"])

    def test_one_of_a_kind_is_not_many(self):
        self.open_result(comparison(prediction(foreseen(), storage=1, storage_unit="variables in trees"),
                                    prediction(foreseen(), storage=2, storage_unit="variables in trees"),
                                    prediction(foreseen(), storage=1, storage_unit="nodes and edges")))
        self.assertEqual(self.texts(".engines tbody td:last-child"),
                         ["1 variable in trees", "2 variables in trees", "1 nodes and edges"])

    def test_without_a_path_the_edges_are_between_steps_that_conflict(self):
        self.open_result(prediction(foreseen(path=[])))
        self.assertEqual(self.count("[data-edge]"), 2)
        self.open_result(prediction(foreseen(path=[], steps=[], events=[], why="Because.")))
        self.assertEqual(self.events(), [1])
        self.assertEqual(self.text(".explanation"), "Because.")

    def test_rows_say_what_is_cut_and_where_like_those_of_observations(self):
        self.open_result(result(cut()))
        seen = self.texts(".row-name, .row-who, .row-where")
        self.open_result(prediction(foreseen(verdict="violation")))
        self.assertEqual(self.texts(".row-name, .row-who, .row-where"), seen)
        self.assertEqual(seen[:2], ["f", "x"])
        self.open_result(prediction(foreseen()))
        self.assertEqual(self.text(".row-who"), "potential: x")

    def test_races_and_deadlocks_are_findings(self):
        self.open_result(prediction(foreseen(), races=[race()], deadlocks=[ring()]))
        self.assertEqual(self.text("#count"), "3 findings")
        self.set("#filter-kind", "deadlock")
        self.assertEqual(self.title(),
                         "T1 and T2 may wait for each other for ever (deadlock potential).")
        self.assertEqual(self.events(), [2, 7, 3, 8])
        self.assertEqual(self.texts(".steps .follows"),
                         ["and holds it", "and holds it", "waits for it while T2 holds it",
                          "waits for it while T1 holds it"])
        self.set("#filter-kind", "race")
        self.assertEqual(self.title(), "T1 and T2 may access x at the same time (data race).")
        self.assertEqual(self.texts(".row-who"), ["race: T1, T2"])

    def test_equal_findings_are_one_row(self):
        self.open_result(prediction(foreseen(), foreseen(start=10), foreseen("g", start=20)))
        self.assertEqual(self.text("#count"), "2 findings, 3 blocks")
        self.assertIn("1 of 2", self.text(".turns"))
        self.assertEqual(self.texts(".story-note"),
                         ["The same holds for 2 blocks that begin in the same place."])

    def test_search_finds_what_steps_say(self):
        self.open_result(prediction(foreseen(), foreseen("g", start=10, other="T7")))
        self.set("#search", "T7")
        self.assertEqual(self.texts(".row-name"), ["g"])

    def test_engines_can_be_chosen_and_compared(self):
        self.open_result(comparison(prediction(foreseen()),
                                    prediction(foreseen(verdict="violation"), engine="tas"),
                                    prediction(foreseen(verdict="atomic"), engine="reduction")))
        self.assertIn("is cut in a schedule", self.title())
        self.assertEqual(self.texts(".engines tbody th"), ["blocks", "tas", "reduction"])
        self.browser.run("const field = document.querySelector('#engine'); field.value = '2';"
                         "field.dispatchEvent(new Event('change'));")
        self.assertEqual(self.title(), "No findings")
        self.assertEqual(self.text("#verdict"), "no block can be cut in any schedule of this run")

    def test_suppressed_findings_say_why(self):
        data = prediction(foreseen(state="suppressed", suppressed_by=0), foreseen("g", start=10, state="new"))
        data |= {"suppressions": [{"file": "s", "line": 1, "reason": "of that", "matched": 1}],
                 "states": {"new": 1, "known": 0, "suppressed": 1, "unjudged": 0}}
        self.open_result(data)
        self.assertEqual(self.texts(".row-name"), ["g", "f"])
        self.browser.press("j")
        self.assertEqual(self.text(".state"), "suppressed: of that s:1")

    def test_caveats_are_listed(self):
        self.open_result(prediction(foreseen()))
        self.assertEqual(self.texts(".trace-list li"), ["Only pairs were compared."])

    def test_names_like_markup(self):
        self.open_result(prediction(foreseen(HOSTILE, thread=HOSTILE, other=HOSTILE + "2", why=HOSTILE),
                                    deadlocks=[ring()], caveats=[HOSTILE], engine=HOSTILE))
        self.assertEqual(self.count("img"), 0)
        self.assertIn(HOSTILE, self.title())


class Stories(PageCase):
    """The page says what the story of each finding says, sentence by sentence, and nothing else."""

    STEP = """(list) => [...list.children].map((node) => ({
        gap: node.matches('.gap'), event: node.dataset.step || null,
        words: [...node.querySelectorAll('.thread, .action, .loc, .function, .follows, .race, .locks')]
            .map((part) => [part.className, part.textContent])}))"""

    def stories(self, data):
        """All stories of a result as JSON, in the order in which the page numbers its findings."""
        found = [violation["story"] for violation in data.get("violations", [])]
        found += [block["story"] for block in data.get("blocks", []) if "story" in block]
        found += [race["story"] for race in data.get("races") or []]
        found += data.get("deadlock_stories", [])
        return found + ([data["story"]] if data.get("story") else [])

    def shown_steps(self, selector):
        return self.browser.run(f"const read = {self.STEP};"
                                "const list = document.querySelector(arguments[0]);"
                                "return list ? read(list) : [];", selector)

    def wanted_step(self, step, block):
        if "gap" in step:
            return {"gap": True, "event": None, "words": [["action", step["gap"]]]}
        words = [["thread", step["thread"]], ["action", step["action"]]]
        if step["loc"]:
            words.append(["loc", step["loc"]])
        if step["function"] and step["function"] != block:
            words.append(["function", step["function"]])
        words += [[name, step[key]] for key, name in (("follows", "follows"), ("race", "race"),
                                                      ("holding", "locks")) if key in step]
        return {"gap": False, "event": str(step["event"]) if step["event"] else None, "words": words}

    def check_shown(self, story, block):
        self.assertEqual(self.title(), story["headline"] + ".")
        facts = self.text(".facts").split(" \u00b7 ")
        if story["frequency"]:
            self.assertEqual(facts[0], story["frequency"])
        for name in ("introduction", "explanation", "conclusion"):
            self.assertEqual(self.texts("." + name), [story[name]] if story[name] else [])
        self.assertEqual(self.texts(".hint-text"), [story["hint"]] if story["hint"] else [])
        self.assertEqual(self.texts(".story-note"), story["notes"])
        self.assertEqual(self.shown_steps(".steps-part .steps"),
                         [self.wanted_step(step, block) for step in story["steps"]])
        schedule = story["schedule"] or {"title": None, "steps": []}
        self.assertEqual(self.texts(".schedule h3"), [schedule["title"]] if schedule["title"] else [])
        self.assertEqual(self.shown_steps(".schedule .steps"),
                         [self.wanted_step(step, block) for step in schedule["steps"]])

    def check(self, operand, *arguments):
        """Opens each finding of a report; returns the kinds of what was seen."""
        data = run(*arguments, "--format", "json", operand).json
        self.open_report(operand, *arguments, "--format", "html")
        kinds = []
        for made in data.get("engines", [data]):
            made = dict(made, deadlock_stories=data.get("deadlock_stories", []))
            self.browser.run("const e = document.getElementById('engine');"
                             "e.value = [...e.options].find(o => o.text === arguments[0]).value;"
                             "e.dispatchEvent(new Event('change'));"
                             "if (document.getElementById('merge').checked)"
                             "  document.getElementById('merge').click();", made["engine"])
            self.assertEqual(self.text("#verdict"), made["summary"])
            blocks = [item.get("block", "") for item in made.get("violations", made["blocks"])
                      if "story" in item]
            for index, story in enumerate(self.stories(made)):
                self.browser.run("openFinding(state.findings.find(f => f.index === arguments[0]));", index)
                with self.subTest(operand=str(operand), engine=made["engine"], finding=index):
                    self.check_shown(story, blocks[index] if index < len(blocks) else
                                     self.browser.run("return state.findings.find("
                                                      "f => f.index === arguments[0]).name;", index))
                kinds.append(story["kind"])
        return kinds

    def save(self, data):
        path = self.folder / "story.json"
        path.write_text(json.dumps(data))
        return path

    def test_violations_cycles_and_verdicts(self):
        kinds = []
        for trace in ("bank.std", "nested.std", "cross.std", "rho3.std"):
            kinds += self.check(TRACES / trace, "check", "--engine", "all")
        self.assertLessEqual({"violation", "blamed", "cycle", "verdict"}, set(kinds))

    def test_predictions(self):
        kinds = []
        for trace in ("bank.std", "vector.std"):
            kinds += self.check(TRACES / trace, "predict", "--engine", "all")
        self.assertLessEqual({"predicted", "potential"}, set(kinds))

    def test_races_and_deadlocks(self):
        kinds = self.check(self.save(prediction(foreseen(), races=[race()], deadlocks=[ring()])),
                           "report")
        self.assertEqual(kinds, ["potential", "race", "deadlock"])

    def test_a_long_path_has_a_gap(self):
        self.check(self.save(result(cut(edges=40))), "report")
        self.assertEqual(self.texts(".steps .gap .action"), ["32 more dependences"])

    def test_race_marks_calls_and_locks(self):
        place = event(3, "U1", "r(x)", "/usr/include/c++/12/atomic:9", "std::atomic::load", locks=["m"],
                      stack=[("std::atomic::load", "/usr/include/c++/12/atomic:9"), ("get", "a.cc:4"),
                             ("main", "a.cc:90")])
        violation = cut(out=place)
        violation["path"][0]["race"] = violation["path"][1]["race"] = True
        self.check(self.save(result(violation)), "report")
        self.assertEqual(self.count(".lanes .edge.race"), 2)
        self.assertEqual(len(self.texts(".steps .race")), 2)
        self.assertEqual(self.text("[data-step='3'] .stack summary"), "called from main")
        self.check(TRACES / "cross.std", "check")  # of the order in a text, nothing is unsure
        self.assertEqual(self.count(".lanes .edge.race, .steps .race"), 0)

    def test_a_program_in_cxx_is_shown_at_its_own_lines(self):
        program = programs.Program(programs.FOLDER / "std_mutex.cc")
        (self.folder / "spec").write_text(program.variants[0].specification)
        for command in (["gcc", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o"],
                        [BINARY.parent / "seriatim-c++", "-g", *program.flags, program.path,
                         "schedule.o", "-o", "program", "-pthread"],
                        [BINARY, "record", "-q", "-o", "t.stt", "--spec", "spec", "--", "./program"]):
            subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.check(self.folder / "t.stt", "check", "--locks"), ["violation"])
        self.assertEqual(self.texts(".source figcaption"), [str(program.path)])
        self.assertTrue(all("std_mutex.cc:" in text for text in self.texts(".steps .loc")))
        self.assertIn("std::mutex::lock", self.text("#finding .steps"))  # in the stacks

    def test_hints_and_names_of_a_recorded_program(self):
        self.check(TRACES / "golden-v3.stt", "check")
        self.check(TRACES / "golden-v3.stt", "predict", "--engine", "all")


class Source(PageCase):
    def setUp(self):
        super().setUp()
        lines = [f"line {number} of <b>a.c</b>" for number in range(1, 41)]
        (self.folder / "a.c").write_text("\n".join(lines) + "\n")

    def open_cut(self):
        trace = re.sub(r"\|(\d)$", lambda match: f"|a.c:{int(match.group(1)) * 4}", CUT, flags=re.M)
        self.open_trace(trace, cwd=self.folder)

    def test_the_lines_of_the_events_are_marked(self):
        self.open_cut()
        self.assertEqual(self.text(".source figcaption"), "a.c")
        self.assertEqual(self.texts(".source .marked .line-number"), ["4", "8", "12", "16"])
        self.assertEqual(self.texts(".source mark"),
                         [f"line {number} of <b>a.c</b>" for number in (4, 8, 12, 16)])
        self.assertEqual(self.texts(".source .marked .tags"), ["T1 1", "T1 2", "T2 3", "T1 4"])
        self.assertEqual(self.texts(".source .line-number")[-1], "20")

    def test_a_line_takes_one_line(self):
        self.open_cut()
        for width in (360, 1100, 1400):
            self.browser.resize(width, 900)
            heights = self.browser.run("return [...document.querySelectorAll('.source tr')]"
                                       ".map(row => row.getBoundingClientRect().height);")
            self.assertLess(max(heights), 2 * 16, width)

    def test_pointing_at_an_event_lights_up_its_line(self):
        self.open_cut()
        self.browser.run("document.querySelector('.event[data-event=\"3\"]').focus();")
        self.assertEqual(self.texts("tr.linked .line-number"), ["12"])
        self.assertEqual(self.count("li.linked[data-step='3']"), 1)
        self.browser.press("ArrowDown")
        self.assertEqual(self.texts("tr.linked .line-number"), ["16"])

    def test_missing_sources_are_named(self):
        self.open_trace(CUT.replace("|3", "|gone.c:3").replace("|4", "|lost.c:4"), cwd=self.folder)
        self.assertEqual(self.text(".missing"), "Source not found: gone.c, lost.c")
        self.assertEqual(self.count(".source"), 0)

    def test_events_without_a_place_in_a_file(self):
        self.open_trace(CUT)
        self.assertIn("No source", self.text(".sources"))


class Marks(PageCase):
    """What the lines of the source are to a finding, and their colours."""

    def notes(self):
        """The line above each note, its kind, and its words."""
        return self.browser.run("""
            return [...document.querySelectorAll('.source .line-note')].map((note) => {
                let line = note;
                while (!line.dataset.line) line = line.previousElementSibling;
                return [Number(line.dataset.line), note.className.replace('line-note', '').trim(),
                        note.querySelector('.said').textContent.trim().replace('\u2514 ', '')];
            }).sort((a, b) => a[0] - b[0]);""")

    def open_events(self, left, between, back, **more):
        """A block that is cut between two of its events; `between` are those of the other thread."""
        violation = cut(loc="b.c:2")
        violation["path"][0] |= {"from": left, "to": between, **more}
        violation["path"][1] |= {"from": between, "to": back, **more}
        violation |= {"proof": back, "closing": violation["path"][1], "event": back["event"]}
        (self.folder / "b.c").write_text("".join(f"int line{n};\n" for n in range(1, 41)))
        path = self.folder / "b.json"
        path.write_text(json.dumps(result(violation)))
        self.open_report(path, "report", cwd=self.folder)

    def test_two_accesses_without_a_lock(self):
        self.open_events(event(2, "T1", "r(x)", "b.c:3", "f", stack=[("f", "b.c:3")]),
                         event(3, "U1", "w(x)", "b.c:20", "g", stack=[("g", "b.c:20")]),
                         event(5, "T1", "w(x)", "b.c:7", "f", stack=[("f", "b.c:7")]))
        self.assertEqual(self.notes(), [[3, "turn left", "T1: first access"], [7, "turn back", "T1: second access"],
                                        [20, "between", "U1: came in between"]])
        self.assertEqual(self.browser.run("return document.querySelector('[data-line=\"7\"]').className;"),
                         "marked turn back")

    def test_a_lock_that_was_let_go_and_taken_again(self):
        self.open_events(event(2, "T1", "rel(m)", "b.c:3"), event(3, "U1", "acq(m)", "b.c:20"),
                         event(5, "T1", "acq(m)", "b.c:7"), kind="lock", on="m")
        self.assertEqual(self.notes()[:2], [[3, "turn left", "T1: let go of the lock"],
                                            [7, "turn back", "T1: took the lock again"]])
        self.open_report(TRACES / "bank.std")
        words = self.browser.run("return lineNotes(state.findings[0], collectEvents(state.findings[0]))"
                                 ".map((note) => note.words).filter((words) => words);")
        self.assertEqual(words, ["let go of the lock", "came in between", "came in between", "took another lock"])

    def test_a_lock_that_others_do_not_take_was_not_let_go(self):
        for other, back, wanted in (([], ["m"], ["first access", "second access"]),
                                    (["m"], ["m"], ["held the lock, then let go", "took the lock again"]),
                                    (["m"], ["n"], ["held the lock, then let go", "went on"])):
            self.open_events(event(2, "T1", "r(x)", "b.c:3", "f", locks=["m"], stack=[("f", "b.c:3")]),
                             event(3, "U1", "w(x)", "b.c:20", "g", locks=other, stack=[("g", "b.c:20")]),
                             event(5, "T1", "w(x)", "b.c:7", "f", locks=back, stack=[("f", "b.c:7")]))
            self.assertEqual([words for _, _, words in self.notes()[:2]], [f"T1: {words}" for words in wanted])

    def test_call_sites_on_the_way_from_the_block(self):
        self.open_events(
            event(2, "T1", "r(x)", "b.c:30", "get", locks=["m"],
                  stack=[("get", "b.c:30"), ("ask", "b.c:12"), ("f", "b.c:3"), ("main", "b.c:40")]),
            event(3, "U1", "w(x)", "b.c:20", "g", locks=["m"], stack=[("g", "b.c:20"), ("main", "b.c:39")]),
            event(5, "T1", "w(x)", "b.c:34", "set", locks=["m"], stack=[("set", "b.c:34"), ("f", "b.c:7")]))
        self.assertIn([12, "call", "T1: call of get"], self.notes())
        self.assertEqual(self.browser.run("return document.querySelector('[data-line=\"12\"]').className;"),
                         "marked call")
        self.assertEqual(self.count("[data-line='40'].marked, [data-line='39'].marked"), 0)  # outside of the block

    @unittest.skipUnless(planted.RUNTIME.exists(), "there is no runtime")
    def test_the_bugs_of_a_real_program_are_the_rows_and_their_lines_are_marked(self):
        """One row for each cause, in the order of the text, with the two lines that the cause is at."""
        for language, compiler, ending in (("c", "seriatim-cc", "c"), ("cxx", "seriatim-c++", "cc")):
            sources = sorted((planted.PLANTED / language).glob("*." + ending))
            for command in (["gcc", "-g", "-O1", "-c", planted.PLANTED / "gate.c", "-o", "gate.o"],
                            [BINARY.parent / compiler, "-g", "-O1", "-pthread", "-I", planted.PLANTED, *sources,
                             "gate.o", "-o", "program"]):
                subprocess.run(command, cwd=self.folder, check=True)
            subprocess.run([BINARY, "run", "--format", "json", "--log", "planted.json", "./program"], cwd=self.folder,
                           check=False, stdout=subprocess.DEVNULL)
            found = json.loads((self.folder / "planted.json").read_text())
            self.open_report(self.folder / "planted.json")
            causes = planted.causes(planted.PLANTED / language)
            names = self.browser.run("return state.groups.map((group) => group[0].name);")
            with self.subTest(language):
                self.assertEqual(names, [finding["function"] for finding in found["findings"]])
                self.assertEqual(sorted(names), sorted(causes))
            for name, lines in causes.items():
                self.browser.run("openFinding(state.groups.find((group) => group[0].name === arguments[0])[0]);", name)
                marked = self.browser.run("""
                    return ['left', 'back'].map((side) =>
                        [...document.querySelectorAll(`.source tr.line-note.turn.${side}`)].map((note) => {
                            let line = note;
                            while (!line.dataset.line) line = line.previousElementSibling;
                            const file = note.closest('figure').dataset.file;
                            return `${file.slice(file.lastIndexOf('/') + 1)}:${line.dataset.line}`;
                        }));""")
                with self.subTest(language, cause=name):
                    self.assertEqual([len(side) for side in marked], [1, 1])
                    if lines:
                        self.assertEqual([side[0] for side in marked], list(lines))

    def colours(self, *lines):
        return self.browser.run("return colourLines(arguments[0]).map((line) =>"
                                "line.filter(([kind]) => kind).map((part) => part.join(' ')));", list(lines))

    def test_colours(self):
        self.open_report(TRACES / "bank.std")
        for line, wanted in (
                ("int x = 0x1F + 1'000u; // a \"b\"",
                 ["keyword int", "number 0x1F", "number 1'000u", "comment // a \"b\""]),
                ("return s == \"a // b\\\" /*\" ? 'x' : '\\'';",
                 ["keyword return", "string \"a // b\\\" /*\"", "string 'x'", "string '\\''"]),
                ("#include <stdio.h> // why", ["directive #include <stdio.h>", "comment // why"]),
                ("  #  define N 3 /* x */ 4", ["directive   #  define", "number 3", "comment /* x */", "number 4"]),
                ("a.b1 = R\"x(a\" 1)x\" + 1.5e-3f + .5", ["string R\"x(a\" 1)x\"", "number 1.5e-3f", "number .5"]),
                ("interior(newer, x2, u8\"u\")", ["string u8\"u\""]),
                ("char *s = \"not ended", ["keyword char", "string \"not ended"]),
                ("/*/ still */ if", ["comment /*/ still */", "keyword if"])):
            with self.subTest(line):
                self.assertEqual(self.colours(line), [wanted])
        self.assertEqual(self.colours("x /* a", "if", "b */ if"),
                         [["comment /* a"], ["comment if"], ["comment b */", "keyword if"]])
        self.assertEqual(self.colours("the end of it */ int", "int"),
                         [["comment the end of it */", "keyword int"], ["keyword int"]])

    def test_java_has_words_of_its_own(self):
        self.open_report(TRACES / "bank.std")
        kinds = self.browser.run("return ['a/B.java', 'a/b.c', 'a/b.py'].map((path) => { const words = keywordsOf(path);"
                                 "return words && colourLines(['synchronized struct # x'], words)[0]"
                                 ".filter(([kind]) => kind).map((part) => part.join(' ')); });")
        self.assertEqual(kinds, [["keyword synchronized"], ["keyword struct"], None])

    def test_all_characters_of_a_line_are_there_and_other_languages_are_plain(self):
        text = "\tif (x<'a') /*c*/ y = \"\u00e4\\n\"; // \u4e2d"
        (self.folder / "a.c").write_text(text + "\n")
        (self.folder / "a.rs").write_text(text + "\n")
        for name, kinds in (("a.c", 3), ("a.rs", 0)):
            self.open_trace(re.sub(r"\|\d$", f"|{name}:1", CUT, flags=re.M), cwd=self.folder)
            self.assertEqual(self.text(".source .text"), text)
            self.assertEqual(len(set(self.browser.run("return [...document.querySelectorAll('[class^=code-]')]"
                                                      ".map((node) => node.className);"))), kinds)


class Actions(PageCase):
    """Buttons, and what is kept in the browser."""

    def setUp(self):
        super().setUp()
        (self.folder / "empty.html").write_text("<!DOCTYPE html><title>empty</title>")
        self.browser.open(self.folder / "empty.html")
        self.browser.run("localStorage.clear();")
        (self.folder / "a b.c").write_text("int x;\n" * 40)

    def open_here(self, *options):
        trace = re.sub(r"\|(\d)$", r"|a b.c:\1", CUT, flags=re.M)
        self.open_trace(trace, *options, cwd=self.folder)

    def links(self):
        return self.browser.run("return [...document.querySelectorAll('a.editor, .line-number a')]"
                                ".map((link) => link.getAttribute('href'));")

    def test_a_line_opens_in_an_editor(self):
        path = str(self.folder.resolve() / "a b.c").replace(" ", "%20")
        self.open_here()
        self.assertEqual(self.links(), [f"vscode://file{path}:{line}" for line in (2, 1, 2, 3, 4)])
        self.open_here("--editor-url", "x-edit://open?f={file}&l={line}&again={file}")
        self.assertEqual(self.links()[-1], f"x-edit://open?f={path}&l=4&again={path}")
        self.open_here("--editor-url", "none")
        self.assertEqual(self.links(), [])
        data = self.browser.run("return document.getElementById('source-data').textContent;")
        self.assertIn("a b.c", data)
        self.assertFalse(str(self.folder.resolve()) in data)

    def test_what_is_no_address_is_refused(self):
        for bad in ("javascript:alert('{file}')", "vscode://file", "{file}", "://{file}", "ed it://{file}"):
            made = run("check", "--editor-url", bad, TRACES / "bank.std")
            self.assertEqual(made.status, 2, bad)
            self.assertIn("option '--editor-url' needs an address with {file} in it", made.message)

    def test_the_command_that_replays_can_be_copied(self):
        self.open_report(built("lock_order.c"), "hunt", *UNHURRIED, "--until", "first", "--format", "html", cwd=self.folder)
        self.browser.run("document.execCommand = () => { window.copied = document.activeElement.value; };")
        self.browser.run("[...document.querySelectorAll('.copy')].find((b) => /replay/.test(b.textContent)).click();")
        command = self.browser.run("return window.copied;")
        self.assertRegex(command, r"^seriatim replay seriatim-hunt/\S+\.schedule$")
        self.assertTrue((self.folder / command.split()[-1]).exists())

    def reviewed(self):
        return self.texts(".row.reviewed .row-name")

    def test_reviewed_findings_are_remembered_and_can_be_filtered(self):
        data = result(*(cut(block=name, start=20 * index, loc=f"{name}.c:1")
                        for index, name in enumerate("fgh")))
        self.open_result(data)
        self.browser.press("j")
        self.browser.click("button.review")
        self.assertEqual(self.reviewed(), ["g"])
        self.assertEqual(self.text("button.review"), "Reviewed")
        self.open_result(data)  # another page of the same findings
        self.assertEqual(self.reviewed(), ["g"])
        self.set("#filter-review", "open")
        self.assertEqual(self.texts(".row-name"), ["f", "h"])
        self.set("#filter-review", "done")
        self.assertEqual(self.texts(".row-name"), ["g"])
        self.browser.click("button.review")
        self.assertEqual(self.texts(".row-name"), [])
        self.set("#filter-review", "")
        self.assertEqual(self.reviewed(), [])
        self.open_result(data)
        self.assertEqual(self.reviewed(), [])

    def test_all_blocks_of_a_finding_are_reviewed_with_it(self):
        self.open_result(result(*(cut(block="f", start=20 * index) for index in range(3))))
        self.browser.click("button.review")
        self.browser.click(".turns button:last-child")
        self.assertEqual(self.text("button.review"), "Reviewed")

    def test_what_is_reviewed_is_exported_as_suppressions_that_work(self):
        self.open_report(TRACES / "server.std")
        self.assertFalse(self.browser.run("return document.getElementById('exports').checkVisibility();"))
        number = self.browser.run("return state.groups.length;")
        for _ in range(number):
            self.browser.click("button.review")
            self.browser.press("j")
        self.browser.run("document.execCommand = () => { window.copied = document.activeElement.value; };")
        self.browser.click("#export-copy")
        copied = self.browser.run("return window.copied;")
        self.browser.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.folder))
        self.browser.click("#export-save")
        saved = self.folder / "seriatim.supp"
        while not saved.exists() or not saved.read_text():
            self.browser.wait_for_frames()
        self.assertEqual(saved.read_text(), copied)
        self.assertEqual(run("check", TRACES / "server.std").status, 1)
        self.assertEqual(run("check", "--suppressions", saved, TRACES / "server.std").status, 0)

    def test_without_storage_marks_last_as_long_as_the_page(self):
        self.open_result(result(cut()))
        self.browser.run("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }});"
                         "reviewedHere.clear();")
        self.browser.click("button.review")
        self.assertEqual(self.reviewed(), ["f"])


class Limit(PageCase):
    """However large a result is, the page has an end, and says what it leaves out."""

    def open_large(self, data):
        self.open_result(data)
        return (self.folder / "page.html").stat().st_size

    def test_findings_that_have_no_room(self):
        name = "n" * 3000
        def large(index):
            stack = [(f"{name}{index}{depth}", f"a.c:{depth}") for depth in range(10)]
            return cut(block=f"f{index}", start=20 * index, loc=f"m.c:{index + 1}",
                       out=event(20 * index + 3, "U1", "r(x)", "a.c:9", function="g", stack=stack))
        data = result(*(large(index) for index in range(900)))
        size = self.open_large(data)
        self.assertGreater(len(json.dumps(data)), 50 << 20)
        self.assertLess(size, 40 << 20)
        shown = self.browser.run("return state.total;")
        self.assertTrue(300 < shown < 900, shown)
        self.assertEqual(self.text("#count"), f"{shown} findings; {900 - shown} findings left out, since this page "
                                              "has a limit (--format json has all)")
        ranks = self.browser.run("return state.groups.map((group) => group[0].overview.rank);")
        self.assertEqual(ranks, list(range(1, shown + 1)))  # the most important ones

    def test_of_each_finding_a_few_blocks(self):
        self.open_large(result(*(cut(block=name, start=200 * index + at, loc=f"{name}.c:1")
                                 for index in range(20) for at, name in ((0, "f"), (100, "g")))))
        self.assertEqual(self.text("#count"), "2 findings, 16 blocks")
        self.assertEqual([text.split("\u2009")[1] for text in self.texts(".row-times")], ["20", "20"])
        self.assertIn("24 blocks; --format json has all", self.texts("#trace dd"))

    def test_predictions_too(self):
        self.open_large(prediction(*(foreseen(start=10 * index) for index in range(20)),
                                   foreseen("g", start=1000, verdict="atomic")))
        self.assertEqual(self.text("#count"), "1 finding, 8 blocks")
        self.assertEqual(self.text(".row-times").split("\u2009")[1], "20")
        self.assertIn("12 blocks; --format json has all", self.texts("#trace dd"))

    def test_a_path_without_end(self):
        self.open_large(result(cut(edges=5000)))
        self.browser.click(".picture button")
        self.assertEqual(self.count("[data-edge]"), 1000)
        self.assertEqual(self.text(".picture .note"), "4,000 more dependences left out of this page; JSON has all.")
        self.assertIn("4,000 dependences; --format json has all", self.texts("#trace dd"))

    def test_json_has_all(self):
        data = result(*(cut(start=20 * index) for index in range(20)), cut("g", start=1000, edges=2000))
        path = self.folder / "all.json"
        path.write_text(json.dumps(data))
        found = run("report", "--format", "json", path).json
        self.assertEqual(len(found["violations"]), 21)
        self.assertEqual(len(found["violations"][-1]["path"]), 2000)
        self.assertNotIn("left_out_of_page", found)


class Listing(PageCase):
    def open_many(self, number=60):
        self.open_result(result(*(
            cut(block=f"f{index}", thread=f"T{index % 3}", start=20 * index,
                loc=f"dir/m{index % 5}.c:{index + 1}", kind="lock" if index % 2 else "conflict")
            for index in range(number))))

    def names(self):
        """The first rows, from the top."""
        return self.texts(".row .row-name")

    def test_lists_all_and_shows_the_first(self):
        self.open_many()
        self.assertEqual(self.text("#count"), "60 findings")
        self.assertEqual(self.names()[:3], ["f0", "f10", "f12"])  # what was written before what was locked
        self.assertIn("f0 was not atomic", self.title())
        self.assertEqual(self.count(".row[aria-selected=true]"), 1)

    def test_search_is_for_all_words_in_any_place(self):
        self.open_many()
        self.set("#search", "M3.C f1")
        self.assertEqual(self.text("#count"), "2 of 60 findings")
        self.assertEqual(self.names(), ["f18", "f13"])

    def test_search_that_finds_nothing(self):
        self.open_many()
        self.set("#search", "no such thing")
        self.assertEqual(self.text("#count"), "0 of 60 findings")
        self.assertEqual(self.names(), [])
        self.assertEqual(self.title(), "No finding matches the filters")

    def test_filters_are_folded_until_somebody_wants_them(self):
        self.open_result(result(cut(block="f"), cut(block="g", start=20)))
        self.assertFalse(self.browser.run("return document.getElementById('more').open;"))
        self.assertFalse(self.browser.run("return document.getElementById('sort').checkVisibility();"))
        self.browser.click("#more summary")
        self.assertTrue(self.browser.run("return document.getElementById('sort').checkVisibility();"))

    def test_rows_show_the_end_of_a_long_name(self):
        name = "leveldb::(anonymous namespace)::TableCache::FindTable"
        self.open_result(result(cut(block=name)))
        shown = self.text(".row-name")
        self.assertTrue(shown.startswith("\u2026") and shown.endswith("TableCache::FindTable"), shown)
        self.assertEqual(self.browser.run("return document.querySelector('.row-name').title;"), name)

    def test_no_row_hides_the_end_of_its_name(self):
        names = ["short", "leveldb::(anonymous namespace)::TableCache::FindTable", "store::Cache::put_if_absent"]
        self.open_result(result(*(cut(block=name, start=100 * index + 20 * again, loc=f"long_name_of_a_file_{index}.c:1")
                                  for index, name in enumerate(names) for again in range(3))))
        for width in (1400, 1000, 360):
            self.browser.resize(width, 800)
            clipped = self.browser.run("return [...document.querySelectorAll('.row-name, .row-times')]"
                                       ".filter((node) => node.scrollWidth > node.clientWidth).length;")
            self.assertEqual(clipped, 0, width)

    def test_a_suppression_can_be_copied(self):
        data = result(cut(block="f"))
        self.open_result(data)
        line = self.browser.run("return state.findings[0].story.suppression;")
        self.assertTrue(line.startswith("suppress function f "))
        self.browser.run("document.execCommand = (how) => { window.copied = [how, document.activeElement.value]; };")
        self.browser.click(".copies .copy")
        self.assertEqual(self.browser.run("return window.copied;"), ["copy", line])
        self.assertEqual(self.text(".copies .copy"), "Copied")

    def test_filters_for_function_file_thread_and_kind(self):
        self.open_many()
        for field, value, wanted in (
                ("function", "f7", lambda i: i == 7), ("file", "dir/m2.c", lambda i: i % 5 == 2),
                ("thread", "T1", lambda i: i % 3 == 1), ("kind", "lock", lambda i: i % 2 == 1)):
            with self.subTest(field):
                self.set(f"#filter-{field}", value)
                self.assertEqual(self.text("#count"),
                                 f"{sum(map(wanted, range(60)))} of 60 findings")
                self.assertTrue(all(wanted(int(name[1:])) for name in self.names()))
                self.set(f"#filter-{field}", "")
        self.assertEqual(self.text("#count"), "60 findings")

    def test_known_and_suppressed_findings_come_last_and_say_why(self):
        blocks = {"known": 0, "new": 10, "suppressed": 20}
        data = result(*(cut(block=name, start=start) for name, start in blocks.items()))
        for violation in data["violations"]:
            violation["state"] = violation["block"]
        data["violations"][2]["suppressed_by"] = 0
        data["states"] = {"new": 1, "known": 1, "suppressed": 1, "unjudged": 0}
        data["suppressions"] = [{"file": "s", "line": 7, "reason": HOSTILE, "matched": 1}]
        self.open_result(data)
        self.assertEqual(self.names(), ["new", "known", "suppressed"])
        self.assertEqual(self.texts(".row-where"), ["a.c:1", "known, a.c:1", "suppressed, a.c:1"])
        self.assertEqual(self.count(".state"), 0)
        for state, words in (("known", "known from the baseline"),
                             ("suppressed", f"suppressed: {HOSTILE} s:7")):
            self.set("#filter-kind", state)
            self.assertEqual(self.names(), [state])
            self.assertEqual(self.text(".state"), words)

    def test_orders(self):
        data = result(cut(block="b", thread="T1", start=0, loc="z.c:1"),
                      cut(block="c", thread="T3", start=20, loc="x.c:1"),
                      cut(block="a", thread="T2", start=40, loc="y.c:1"))
        data["blocks"] = [{"name": name, "executed": executed, "violated": 1}
                          for name, executed in (("a", 7), ("b", 5), ("c", 9))]
        self.open_result(data)
        for order, names in (("importance", "cab"), ("event", "bca"), ("name", "abc"),
                             ("file", "cab"), ("thread", "bac")):
            self.set("#sort", order)
            self.assertEqual("".join(self.names()), names, order)

    def test_one_cause_is_one_row_until_asked_otherwise(self):
        data = result(*(cut(block="f", start=20 * index, loc="a.c:1") for index in range(7)))
        self.open_result(data)
        self.assertEqual(self.text("#count"), "1 finding, 7 blocks")
        self.assertEqual(self.count(".row"), 1)
        self.assertIn("1 of 7", self.text(".turns"))
        self.browser.click(".turns button:last-child")
        self.assertIn("2 of 7", self.text(".turns"))
        self.browser.click("#more summary")
        self.browser.click("#merge")
        self.assertEqual(self.text("#count"), "7 findings")
        self.assertEqual(self.count(".row"), 7)

    def test_says_how_many_are_not_listed(self):
        data = result(cut(block="f"))
        data["blocks"] = [{"name": "f", "executed": 2000, "violated": 1234}]
        self.open_result(data)
        self.assertEqual(self.text("#count"),
                         "1 finding; 1,233 more blocks are not in this report (--limit 0 lists all)")

    def test_the_address_leads_to_a_finding(self):
        data = [cut(block=f"f{index}", start=20 * index, loc=f"a.c:{index + 1}") for index in range(9)]
        self.open_result(result(*data), fragment="#finding-5")
        self.assertIn("f4 was not atomic", self.title())
        self.browser.press("j")
        self.browser.wait("location.hash === '#finding-6'")

    def test_a_key_that_is_held_down_is_followed(self):
        self.open_many()
        self.browser.run("document.getElementById('list').focus();")
        self.browser.press(*["ArrowDown", "ArrowUp"] * 200)  # complaints would be seen at the end
        self.browser.press("ArrowDown")
        self.assertIn("f10 was not atomic", self.title())


class TenThousand(PageCase):
    """As many findings as anybody will look at. Nothing is timed: what matters is that the document
    stays small, whatever is shown."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        data = result(*(cut(block=f"f{index}", start=20 * index, loc=f"m{index % 90}.c:{index + 1}")
                        for index in range(10000)))
        path = cls.folder / "many.json"
        path.write_text(json.dumps(data))
        made = run("report", "-o", cls.folder / "many.html", path)
        assert made.status == 1, made.message

    def setUp(self):
        super().setUp()
        self.browser.open(self.folder / "many.html")

    def assert_small(self):
        self.assertLess(self.count(".row"), 60)
        self.assertLess(self.count("*"), 2000)

    def test_only_what_is_in_sight_is_in_the_document(self):
        self.assertEqual(self.text("#count"), "10,000 findings")
        self.assert_small()
        self.assertEqual(self.browser.run(
            "return document.getElementById('rows').getBoundingClientRect().height;"), 620000)

    def test_scrolling_shows_the_rows_that_are_there(self):
        self.browser.run("document.getElementById('list').scrollTop = 310000;")
        self.browser.wait("document.getElementById('row-5000')")
        self.assertEqual(self.text("#row-5000 .row-name"), sorted(f"f{i}" for i in range(10000))[5000])
        self.assert_small()

    def test_the_last_one_is_one_key_away(self):
        self.browser.run("document.getElementById('list').focus();")
        self.browser.press("End")
        self.assertIn("f9999 was not atomic", self.title())
        self.assertTrue(self.browser.run("""
            const row = document.getElementById('row-9999').getBoundingClientRect();
            const list = document.getElementById('list').getBoundingClientRect();
            return row.top >= list.top - 1 && row.bottom <= list.bottom + 1 &&
                list.bottom <= innerHeight;"""))
        self.assert_small()

    def count_work(self, script):
        """What a script makes of the document: nodes added below the list, and drawings of the finding."""
        self.browser.run("""
            window.work = {rows: 0, drawn: 0};
            window.watcher = new MutationObserver((changes) => {
                for (const change of changes) {
                    if (change.target.id === 'rows') window.work.rows += change.addedNodes.length;
                    if (change.target.id === 'finding') window.work.drawn++;
                }
            });
            window.watcher.observe(document.body, {childList: true, subtree: true});""" + script)
        self.browser.wait_for_frames()
        return self.browser.run("window.watcher.disconnect(); return window.work;")

    def test_going_through_the_list_costs_a_row_each_and_a_drawing_a_frame(self):
        """200 presses before the browser gets to draw: each brings one row in sight, and one finding is drawn."""
        press = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}));"
        down = "for (let i = 0; i < 200; i++) " + press % "j"
        work = self.count_work(down)
        self.assertEqual(self.browser.run("return state.group;"), 200)
        self.assertEqual(work["drawn"], 1)
        self.assertLessEqual(work["rows"], 200 + 2 * 6)
        self.assertIn(f"{sorted(f'f{i}' for i in range(10000))[200]} was not atomic", self.title())
        self.assertLessEqual(self.count_work("for (let i = 0; i < 5; i++) " + press % "k")["rows"], 5)
        self.assert_small()

    def test_a_finding_looks_at_no_other_to_be_drawn(self):
        """The work does not grow with the list: of 10,000 findings few are read."""
        self.browser.run("""
            window.reads = 0;
            state.findings = new Proxy(state.findings, {get(target, key) { window.reads++; return target[key]; }});
            state.groups = new Proxy(state.groups, {get(target, key) { window.reads++; return target[key]; }});
            list.groups = state.groups;""")
        self.browser.press("j")
        self.assertLess(self.browser.run("return window.reads;"), 200)

    def test_one_in_ten_thousand_is_found(self):
        self.set("#search", "f7777")
        self.assertEqual(self.text("#count"), "1 of 10,000 findings")
        self.assertIn("f7777 was not atomic", self.title())
        self.assert_small()

    def test_the_plot_of_blocks_grows_when_asked(self):
        self.assertEqual(self.count(".blocks tbody tr"), 25)
        self.browser.click("#blocks > button")
        self.assertEqual(self.count(".blocks tbody tr"), 525)


class Keyboard(PageCase):
    def setUp(self):
        super().setUp()
        self.open_report(TRACES / "server.std")

    def chosen(self):
        return self.browser.run("return document.querySelector('.row[aria-selected=true]').id;")

    def test_search_open_and_back_without_a_mouse(self):
        self.browser.press("/")
        self.assertEqual(self.focused(), "search")
        self.browser.type("lookup")
        self.assertRegex(self.text("#count"), "^1 of 3 findings")
        self.browser.press("Enter")
        self.assertEqual(self.focused(), "list")
        self.browser.press("Enter")
        self.assertEqual(self.focused(), "finding-title")
        self.assertIn("lookup was not atomic", self.title())
        self.browser.press("Escape")
        self.assertEqual(self.focused(), "list")
        self.browser.press("/", "Escape")
        self.assertRegex(self.text("#count"), "^3 findings")

    def test_j_and_k_go_through_the_list_from_anywhere(self):
        self.browser.run("document.body.focus();")
        self.browser.press("j", "j")
        self.assertEqual(self.chosen(), "row-2")
        self.browser.press("k")
        self.assertEqual(self.chosen(), "row-1")

    def test_letters_in_a_field_are_letters(self):
        self.browser.press("/")
        self.browser.type("jk/")
        self.assertEqual(self.browser.run("return document.getElementById('search').value;"), "jk/")

    def test_arrows_in_the_list(self):
        self.browser.run("document.getElementById('list').focus();")
        first = self.title()
        self.browser.press("ArrowDown")
        self.assertEqual(self.chosen(), "row-1")
        self.assertNotEqual(self.title(), first)
        self.assertEqual(self.browser.run("return document.getElementById('list')"
                                          ".getAttribute('aria-activedescendant');"), "row-1")
        self.browser.press("Home")
        self.assertEqual(self.title(), first)

    def test_everything_can_be_reached_by_tab_and_shows_it(self):
        """All that can be focused is reached, and each has an outline or a border of its own."""
        self.browser.run("document.activeElement.blur(); window.scrollTo(0, 0);"
                         "document.getElementById('more').open = true;")
        reached = set()
        for _ in range(60):
            self.browser.press("Tab")
            reached.add(self.browser.run("const n = document.activeElement;"
                                         "return n.id || n.getAttribute('class') || n.tagName;"))
            width = self.browser.run("""
                const n = document.activeElement.querySelector('.hit') || document.activeElement;
                const style = getComputedStyle(n);
                return parseFloat(style.outlineWidth) + (style.stroke === 'none' ? 0 : 1);""")
            self.assertGreater(width, 0)
        self.assertLessEqual({"search", "filter-function", "filter-file", "filter-thread",
                              "filter-kind", "sort", "merge", "list"}, reached)
        self.assertTrue({name for name in reached if name.startswith("event")})


class Looks(PageCase):
    def test_landmarks_and_names_for_a_screen_reader(self):
        self.open_report(TRACES / "bank.std")
        tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        roles = {}
        for node in tree:
            if not node.get("ignored"):
                roles.setdefault(node["role"]["value"], []).append(
                    node.get("name", {}).get("value", ""))
        for role in ("banner", "main", "navigation", "search", "listbox", "option", "status"):
            self.assertIn(role, roles)
        self.assertEqual(set(roles["navigation"]), {"Sections", "Findings"})
        self.assertLessEqual({"Blocks", "Trace"}, set(roles["region"]))
        for role in ("button", "searchbox", "combobox", "listbox", "checkbox"):
            self.assertNotIn("", roles.get(role, []), role)
        self.assertTrue([name for name in roles["button"]
                         if name == "event 19: teller released lock checking.lock, bank.c:24"])
        self.assertEqual(self.browser.run("return document.documentElement.lang;"), "en")
        levels = self.browser.run("return [...document.querySelectorAll('h1, h2, h3')]"
                                  ".map(h => Number(h.tagName[1]));")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])))

    def contrast(self, selector):
        """Of a text with what is behind it, as WCAG defines it."""
        ink, paper = self.browser.run("""
            let node = document.querySelector(arguments[0]);
            const style = getComputedStyle(node);
            const ink = node instanceof SVGElement ? style.fill : style.color;
            while (/, 0\\)$/.test(getComputedStyle(node).backgroundColor)) node = node.parentElement;
            return [ink, getComputedStyle(node).backgroundColor];""", selector)

        def luminance(color):
            parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
            parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        low, high = sorted((luminance(ink), luminance(paper)))
        return (high + 0.05) / (low + 0.05)

    def test_sources_can_be_read_in_light_and_dark(self):
        (self.folder / "c.c").write_text("#define N 3\n// comment\nint main(void) {\n    return puts(\"x\");\n}\n")
        trace = "".join(re.findall(".*\n", CUT))
        self.open_trace(re.sub(r"\|(\d)$", r"|c.c:\1", trace, flags=re.M), cwd=self.folder)
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            for kind in ("comment", "string", "number", "keyword", "directive"):
                for place in ("", "left", "back", "between", "call"):
                    self.browser.run("for (const row of document.querySelectorAll('.source tr'))"
                                     "row.className = arguments[0];", f"marked {place}" if place else "")
                    self.assertGreaterEqual(self.contrast(f".source .code-{kind}"), 4.5, (scheme, kind, place))
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            for place in ("left", "back", "between", "call"):
                self.browser.run("const note = document.querySelectorAll('.source tr')[1];"
                                 "note.className = arguments[0];"
                                 "note.querySelector('.text').className = 'said';"
                                 "const said = note.querySelector('.said'); said.className = 'said';",
                                 f"line-note turn {place}")
                self.assertGreaterEqual(self.contrast(".source .line-note .said"), 4.5, (scheme, place))
                self.browser.run("const said = document.querySelector('.source .said'); said.className = 'text';")

    def test_numbers_of_events_are_seen_whatever_their_length(self):
        for start in (0, 123456, 9876543210123):
            self.open_result(result(cut(start=start)))
            outside = self.browser.run("""
                const picture = document.querySelector('.lanes').getBoundingClientRect();
                return [...document.querySelectorAll('.lanes .number text')]
                    .filter((text) => text.getBoundingClientRect().left < picture.left).length;""")
            self.assertEqual(outside, 0, start)
            crossed = self.browser.run("""
                const lane = document.querySelector('.lane line').getBoundingClientRect();
                return [...document.querySelectorAll('.lanes .number text')]
                    .filter((text) => text.getBoundingClientRect().right > lane.left).length;""")
            self.assertEqual(crossed, 0, start)

    def test_names_of_locks_and_threads_wrap(self):
        lock, thread = "TableCache::shards_[3].background_mutex_", "compaction-worker-of-shard-3"
        violation = cut(kind="lock", thread=thread)
        for edge in violation["path"]:
            edge["on"] = lock
            for side in ("from", "to"):
                edge[side]["op"] = re.sub(r"\(.*", f"({lock})", edge[side]["op"])
        self.open_result(result(violation))
        words = self.browser.run("return [...document.querySelectorAll('.lanes .event')].map((node) =>"
                                 "[...node.querySelectorAll('.op')].map((line) => line.textContent).join(''));")
        self.assertEqual(words, [f"begin(f)", f"rel({lock})", f"acq({lock})", f"rel({lock})", f"acq({lock})", "end(f)"])
        self.assertIn(thread, [text.replace(f"thread {thread}", "") for text in self.texts(".lane > text")])
        self.assertEqual(self.browser.run("""
            const boxes = [...document.querySelectorAll('.lanes .event text, .lanes .edge-label text')]
                .filter((text) => text.textContent).map((text) => text.getBoundingClientRect());
            const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
                a.top < b.bottom - 2 && b.top < a.bottom - 2;
            return boxes.filter((a, i) => boxes.some((b, k) => k > i && over(a, b))).length;"""), 0)

    def test_a_phone_shows_the_list_and_the_finding_but_no_filters(self):
        self.open_report(TRACES / "server.std")
        self.browser.resize(390, 844)
        self.browser.open(self.folder / "page.html")
        seen = self.browser.run("""
            const seen = (node) => node.checkVisibility() && node.getBoundingClientRect().bottom < innerHeight;
            return ['#row-0', '#row-1', '#finding-title', '#search', '#sort'].map((name) =>
                seen(document.querySelector(name)));""")
        self.assertEqual(seen, [True, True, True, False, False])
        self.browser.click("#more summary")
        self.assertTrue(self.browser.run("return document.getElementById('search').checkVisibility();"))

    def test_light_and_dark_can_both_be_read(self):
        self.open_report(TRACES / "bank.std")
        papers = []
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            papers.append(self.browser.run(
                "return getComputedStyle(document.body).backgroundColor;"))
            for selector in ("#finding-title", ".facts", ".brand", ".row-who", ".follows", ".missing",
                             ".lanes .op", ".lanes .loc", ".lanes .edge-label text", "#count", ".keys",
                             ".blocks button", "#trace dt"):
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))
        self.assertNotEqual(*papers)

    def test_a_narrow_window_needs_no_scrolling_sideways(self):
        self.open_report(TRACES / "server.std")
        for width in (360, 700, 1000, 1600):
            self.browser.resize(width, 800)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth;"),
                                 width)

    def test_long_names_break_or_are_cut(self):
        name = "very::" * 40 + "<" + "x" * 2000 + ">"
        place = event(3, "y" * 500, f"acq({'z' * 900})", f"/{'p' * 200}/{'q' * 700}.c:7", function=name,
                      stack=[(name, name)] * 9, locks=[name])
        self.open_result(result(cut(block=name, thread="t" * 400, out=place), file="f" * 900))
        for width in (360, 1400):
            self.browser.resize(width, 800)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth;"),
                                 width)

    def test_on_paper_the_finding_is_complete_and_the_list_is_gone(self):
        place = event(3, "T2", "r(x)", "a.c:9", function="get",
                      stack=[("get", "a.c:9"), ("serve", "b.c:4")])
        self.open_result(result(cut(out=place)))
        self.browser.prefer("dark", media="print")
        self.browser.run("window.dispatchEvent(new Event('beforeprint'));")
        shown = "return document.querySelector(arguments[0]).getClientRects().length > 0;"
        self.assertFalse(self.browser.run(shown, "#side"))
        for selector in ("#finding-title", ".lanes", "[data-step='3'] .stack li", ".blocks", "#trace dl"):
            self.assertTrue(self.browser.run(shown, selector), selector)
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor;"),
                         "rgb(255, 255, 255)")
        self.browser.run("window.dispatchEvent(new Event('afterprint'));")
        self.assertFalse(self.browser.run("return document.querySelector('details').open;"))
        self.assertEqual(self.browser.print()[:5], b"%PDF-")


class Hostile(PageCase):
    """Names, paths and sources come from anywhere. None of them may become anything but text."""

    def assert_harmless(self):
        self.assertEqual(self.count("img, iframe, object, embed, link, a[href^=javascript]"), 0)
        self.assertEqual(self.count("script"), 3)
        self.assertNotEqual(self.browser.run("return document.title;"), "owned")

    def test_a_function_thread_lock_and_file_named_like_markup(self):
        place = event(3, HOSTILE, f"acq({HOSTILE})", f"{HOSTILE}:7", function=HOSTILE,
                      locks=[HOSTILE, HOSTILE + "!"], stack=[(HOSTILE, HOSTILE), (HOSTILE, HOSTILE)])
        data = result(cut(block=HOSTILE, thread="<b>T1", out=place, loc=f"{HOSTILE}:1"),
                      file=HOSTILE)
        data["engine"] = HOSTILE
        self.open_result(data)
        self.assertIn(HOSTILE, self.title())
        shown = self.text(".row-name")
        self.assertEqual(shown, "\u2026" + HOSTILE[1 - len(shown):])
        self.assertEqual(self.browser.run("return document.querySelector('.row-name').title;"), HOSTILE)
        self.assertEqual(self.text("[data-step='3'] .locks"), f"holding {HOSTILE}!")
        self.assertIn(HOSTILE, self.texts("#trace dd"))
        self.set("#search", HOSTILE)
        self.assertEqual(self.count(".row"), 1)
        self.assert_harmless()

    def test_a_source_full_of_markup(self):
        lines = [HOSTILE, "<!--<script>", "\u2028]]>&lt;script&gt;", "\\u003c/script>"]
        (self.folder / "evil.c").write_text("\n".join(lines) + "\n")
        self.open_trace(re.sub(r"\|(\d)$", r"|evil.c:\1", CUT, flags=re.M), cwd=self.folder)
        self.assertEqual(self.texts(".source .text"), lines)
        self.assert_harmless()

    def test_names_that_are_members_of_every_object(self):
        names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
        self.open_result(result(*(cut(block=name, thread=name, start=20 * index, loc=f"{name}:3")
                                  for index, name in enumerate(names))))
        self.assertEqual(self.text("#count"), "4 findings")
        for name in names:
            self.set("#filter-function", name)
            self.assertEqual(self.text("#count"), "1 of 4 findings")
            self.assertIn(name, self.title())

    def test_no_other_script_may_run_and_nothing_may_be_loaded(self):
        self.open_report(TRACES / "bank.std")
        self.browser.run("""
            const script = document.createElement('script');
            script.textContent = "document.title = 'owned'";
            document.body.append(script);
            const image = document.createElement('img');
            image.src = 'https://example.invalid/x.png';
            document.body.append(image);
            const handler = document.createElement('div');
            handler.setAttribute('onclick', "document.title = 'owned'");
            document.body.append(handler);
            handler.click();""")
        complaints = self.browser.wait_for_complaints(3)
        self.assertEqual(len([text for text in complaints if "Content Security Policy" in text]), 3,
                         complaints)
        self.assertNotEqual(self.browser.run("return document.title;"), "owned")
        self.assertEqual(self.browser.wait_for_blocked(), ["csp"])


class Example(PageCase):
    def test_the_picture_in_the_readme_is_there(self):
        readme = (ROOT / "README.md").read_text()
        [path] = re.findall(r"!\[[^\]]+\]\((docs/[^)]+\.png)\)", readme)
        picture = (ROOT / path).read_bytes()
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertLess(len(picture), 300000)


if __name__ == "__main__":
    unittest.main()
