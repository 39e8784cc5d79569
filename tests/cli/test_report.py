"""`seriatim report`, and --format html as far as it can be tested without a browser (tests/web has
one)."""

import base64
import copy
import hashlib
import json
import os
import random
import re
import unittest

from random_traces import random_trace
from results import cut, event, result
from seriatim import CLEAN, CROSS, CUT, TRACES, Case, run, some

ENGINES = ("witness", "regiontrack", "aerodrome", "velodrome", "doublechecker")


def page_data(page, name):
    """What a page holds in the script element of that id."""
    [text] = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)
    return json.loads(text)


class SavedResults(Case):
    def save(self, data, name="r.json"):
        return self.write(name, data if isinstance(data, (bytes, str)) else json.dumps(data))

    def assert_nothing_is_lost(self, trace, *options):
        checked = self.run_here("check", "--format", "json", *options, trace)
        self.save(checked.out)
        again = self.run_here("report", "--format", "json", "r.json")
        self.assertEqual(again.text, checked.text)
        self.assertEqual(again.status, checked.status)
        words = self.run_here("check", *options, trace)
        if "all" not in options:  # which shows the time
            self.assertEqual(self.run_here("report", "--format", "text", "r.json").text, words.text)

    def test_a_finding_lists_the_ways_in_which_it_was_cut(self):
        once = "T1|begin(f)|1\nT1|r(x)|2\nT2|w(x)|{}\nT1|w(x)|4\nT1|end(f)|5\n"
        self.write("t.std", once.format(3) + once.format(8) + once.format(8))
        self.assert_nothing_is_lost("t.std")
        [finding] = json.loads((self.folder / "r.json").read_text())["findings"]
        self.assertEqual(finding["variants"], [{"what": "x", "by": "", "at": "8", "count": 2},
                                               {"what": "x", "by": "", "at": "3", "count": 1}])
        self.assertNotIn("variants_left_out", finding)
        self.write("t.std", "".join(once.format(10 + line) for line in range(13)))
        self.assert_nothing_is_lost("t.std")
        [finding] = json.loads((self.folder / "r.json").read_text())["findings"]
        self.assertEqual([variant["at"] for variant in finding["variants"]], [str(10 + i) for i in range(10)])
        self.assertEqual(finding["variants_left_out"], 3)
        self.write("t.std", once.format(3) * 2)
        [finding] = json.loads(self.run_here("check", "--format", "json", "t.std").text)["findings"]
        self.assertNotIn("variants", finding)

    def test_nothing_is_lost_on_the_way_through_json(self):
        for turn, trace in enumerate(sorted(TRACES.glob("*.std"))):
            for engine in some((*ENGINES, "all"), turn):
                with self.subTest(trace=trace.name, engine=engine):
                    self.assert_nothing_is_lost(trace, "--engine", engine)

    def test_nor_with_other_options(self):
        self.assert_nothing_is_lost(TRACES / "server.std", "--limit", "2")
        self.assert_nothing_is_lost(TRACES / "server.std", "--first")
        self.write("bad.std", "T1|rel(m)|1\nT1|rel(m)|2\n" + CUT)
        checked = self.run_here("check", "--repair", "--format", "json", "bad.std")
        self.save(checked.out)
        self.assertEqual(self.run_here("report", "--format", "json", "r.json").out, checked.out)

    def test_nor_in_random_traces(self):
        for seed in range(40):
            self.write("t.std", random_trace(random.Random(seed)))
            with self.subTest(seed=seed):
                self.assert_nothing_is_lost("t.std", "--limit", "0")

    def test_stacks_and_locks_stay_and_the_same_line_is_the_same_place(self):
        def place(caller):
            return event(3, "T2", "r(x)", "a.c:9", function="get", locks=["m", "n"],
                         stack=[("get", "a.c:9"), (caller, "b.c:4")])
        data = result(cut(out=place("one")), cut(start=20, out=dict(place("two"), event=23)))
        data["schema"] = "seriatim-run/1"
        for violation in data["violations"]:
            for place in [violation["proof"], *violation["closing"].values()]:
                if isinstance(place, dict):
                    place.setdefault("function", "")
                    place.setdefault("stack", [])
                    place.setdefault("locks", [])
        self.save(data)
        again = self.run_here("report", "--format", "json", "r.json").json
        self.assertEqual([v["path"][0]["to"]["stack"][1]["function"] for v in again["violations"]],
                         ["one", "two"])
        self.assertEqual(again["violations"][0]["path"][0]["to"]["locks"], ["m", "n"])
        self.assertIn("The same happened 2 times in the same place.",
                      self.run_here("report", "--format", "text", "r.json").text)

    def test_without_the_last_dependence_there_is_no_hint(self):
        data = self.run_here("check", "--format", "json", TRACES / "bank.std").json
        self.write("with.json", json.dumps(data))
        del data["violations"][0]["closing"], data["violations"][0]["cut_by"]
        self.write("without.json", json.dumps(data))
        for name, hints in (("with.json", True), ("without.json", False)):
            answer = self.run_here("report", "--format", "text", name)
            self.assertEqual((answer.status, "Hint:" in answer.text), (1, hints))

    def test_lines_of_sources_that_are_newer_than_what_ran_are_not_shown(self):
        self.write("a.c", "int x;\n")
        for built, text, parts in ((1, "a.c is newer than what ran", []),
                                   (1 << 40, "int x;", [{"first": 1, "lines": ["int x;"]}])):
            data = result(cut())
            data["trace"]["built"] = built
            self.save(data)
            self.assertIn(text, self.run_here("report", "--format", "text", "r.json").text)
            [file] = page_data(self.run_here("report", "r.json").text, "source-data")["files"]
            self.assertEqual((file["path"], file["parts"]), ("a.c", parts))
            self.assertEqual(file.get("newer", False), built == 1)

    def test_fields_that_are_new_to_us_do_no_harm(self):
        data = result(cut())
        data["new"] = data["violations"][0]["new"] = data["trace"]["new"] = {"x": [1, {}]}
        self.save(data)
        self.assertEqual(self.run_here("report", "--format", "text", "r.json").status, 1)

    def test_older_results_have_fewer_fields(self):
        data = result(cut())
        for name in ("outermost_only", "blames_closers", "repairs", "stopped", "time_seconds",
                     "peak_state_bytes"):
            del data[name]
        del data["trace"]["deepest"], data["trace"]["channels"], data["blocks"][0]["depth"]
        del data["violations"][0]["cut_by"]
        self.save(data)
        self.assertEqual(self.run_here("report", "r.json").status, 1)

    def test_status(self):
        for trace, status in ((CUT, 1), (CLEAN, 0), (CROSS, 1)):
            self.write("t.std", trace)
            self.save(self.run_here("check", "--format", "json", "t.std").out)
            for operand in ("r.json", "t.std"):
                self.assertEqual(self.run_here("report", operand).status, status)
        undecided = dict(result(), serializable=None, gave_up="out of patience")
        self.save(undecided)
        self.assertEqual(self.run_here("report", "--format", "text", "r.json").status, 2)

    def test_from_standard_input_and_to_a_file(self):
        data = json.dumps(result(cut())).encode()
        there = self.run_here("report", "-", "-o", "page.html", input=data)
        self.assertEqual((there.status, there.out, there.err), (1, b"", b""))
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertEqual(page_data(page, "report-data")["violation_count"], 1)

    def test_a_trace_is_checked_first(self):
        self.write("t.std", CUT)
        page = self.run_here("report", "t.std")
        self.assertEqual(page.status, 1)
        self.assertEqual(page_data(page.text, "report-data")["violations"],
                         self.run_here("check", "--format", "json", "t.std").json["violations"])
        text = self.run_here("report", "--format", "text", "t.std")
        self.assertEqual(text.out, self.run_here("check", "t.std").out)

    def test_a_trace_cannot_come_through_a_pipe(self):
        self.assert_trouble(self.run_here("report", "-", input=CUT),
                            "standard input: is not a result of check, run, hunt or predict; for a trace from a "
                            "pipe use 'seriatim check --format html -'")

    def test_the_result_is_not_written_over(self):
        data = json.dumps(result(cut()))
        self.save(data)
        self.assertEqual(self.run_here("report", "r.json", "-o", "r.json").status, 2)
        self.assertEqual((self.folder / "r.json").read_text(), data)


class BadResults(Case):
    def report(self, data):
        self.write("r.json", data if isinstance(data, (bytes, str)) else json.dumps(data, indent=1))
        return self.run_here("report", "r.json")

    def test_what_is_no_json(self):
        for text, line in (('{"schema": ', 1), ('{"a": 1,\n\n]', 3), ('{"a": 1}\n{', 2),
                           ('{"a": 01}', 1), ('{"a": "\\ud800"}', 1), ('{"a": "\x01"}', 1),
                           ('{"a": "x\\u0000"}', 1), ('{"a": 99999999999999999999}', 1),
                           ('{"a": ' + "[" * 100000, 1)):
            self.assert_trouble_like(self.report(text), rf"r\.json:{line}: is not well-formed JSON: .+")
        self.assert_trouble_like(self.report(b'{"a": "\xff"}'), r"r\.json:1: is not well-formed .+")
        self.assert_trouble_like(self.report('{"a": 1,\n"a": 2}'), r"r\.json:2: .*same key twice.*")

    def test_what_is_no_result(self):
        self.assert_trouble(self.report('\n{"schema":\n"seriatim-stats/1"}'),
                            "r.json:3: schema must be that of a result of check, run, hunt or predict "
                            "(seriatim-check/1, seriatim-run/1, seriatim-hunt/1 or seriatim-predict/1), and is 'seriatim-stats/1'")
        self.assert_trouble(self.report("{}"), "r.json:1: schema must be a text")

    def test_the_line_of_what_is_wrong(self):
        data = result(cut(), cut(block='an "odd" [name', start=20))
        data["violations"][1]["path"][0]["from"]["event"] = "nine"
        text = json.dumps(data, indent=1)
        line = text[:text.index('"nine"')].count("\n") + 1
        self.assert_trouble(self.report(text), f"r.json:{line}: violations[1].path[0].from.event must "
                            "be a whole number")

    def test_values_that_cannot_be(self):
        def broken(*path_and_value):
            data = result(cut())
            *path, last, value = path_and_value
            place = data
            for step in path:
                place = place[step]
            place[last] = value
            return self.report(data)
        for path, words in (
                (("violations", 0, "begin", 0), r"violations\[0\]\.begin must not be 0"),
                (("violations", 0, "begin", -1), r"violations\[0\]\.begin must not be negative"),
                (("violations", 0, "begin", 50), r"violations\[0\] begins after the event .+"),
                (("violations", 0, "end", 3), r"violations\[0\] ends before the event .+"),
                (("violations", 0, "path", 0, "kind", "magic"), r".+\.kind must be conflict, .+"),
                (("violations", 0, "proof", "op", "jump(x)"), r".+\.op must be an operation .+"),
                (("violations", 0, "proof", "op", "r"), r".+\.op must be an operation .+"),
                (("violations", 0, "proof", "op", "r()"), r".+\.op must be an operation .+"),
                (("violations", 0, 7), r"violations\[0\] must be an object"),
                (("blocks", []), r"violations\[0\] is not counted as violated among the blocks"),
                (("blocks", 0, "violated", 0), r"violations\[0\] is not counted as violated .+"),
                (("violation_count", None), r"blocks\[0\] counts violations, which .+"),
                (("repairs", [{"kind": "love"}]), r"repairs\[0\] is a repair of an unknown kind"),
                (("engines", []), r"engines must not be empty"),
                (("time_seconds", -1), r"time_seconds must be a number that is not negative"),
                (("trace", None), r"trace must be an object")):
            self.assert_trouble_like(broken(*path), r"r\.json:\d+: " + words)

    def nodes(self, data, path=()):
        yield path
        items = data.items() if isinstance(data, dict) else \
            enumerate(data) if isinstance(data, list) else ()
        for key, value in items:
            yield from self.nodes(value, (*path, key))

    def test_any_value_in_any_place_is_refused_or_taken(self):
        """Never a crash, never more than one line, and always with a location."""
        place = event(3, "T2", "r(x)", "a.c:9", function="g", stack=[("g", "a.c:9")], locks=["m"])
        cycle = self.run_cross()
        values = (None, -1, "x", [], {}, [[]], 1.5, 2**62)
        for data in (result(cut(out=place)), cycle):
            for index, path in enumerate(self.nodes(data)):
                # Two of them for each place; with sanitizers one for half of the places. The fuzzer tries the rest.
                for value in some((values[index % 8], values[(index + 3) % 8]), index):
                    changed = copy.deepcopy(data)
                    holder = changed
                    for step in path[:-1]:
                        holder = holder[step]
                    if path:
                        holder[path[-1]] = value
                    with self.subTest(path=path, value=value):
                        answer = self.report(changed)
                        self.assertIn(answer.status, (0, 1, 2))
                        if answer.status == 2 and changed.get("serializable") is not None:
                            self.assertRegex(answer.message, r"\Aseriatim: r\.json:\d+: [^\n]+\n\Z")

    def run_cross(self):
        self.write("t.std", CROSS)
        return self.run_here("check", "--format", "json", "t.std").json

    def test_a_result_that_was_cut_off_anywhere(self):
        text = json.dumps(result(cut()))
        for length in range(2, len(text), 7):
            self.assertEqual(self.report(text[:length]).status, 2)

    def test_missing_files_and_directories(self):
        self.assert_trouble(self.run_here("report", "no.json"),
                            "no.json: cannot open: No such file or directory")
        self.assertEqual(self.run_here("report", ".").status, 2)
        self.assertEqual(self.report("").status, 2)


class Pages(Case):
    def page(self, trace, *options):
        self.write("t.std", trace)
        made = self.run_here("check", "--format", "html", *options, "t.std")
        self.assertEqual(made.status, 1, made.message)
        return made.text

    def sources(self, *locations):
        """The excerpts beside a block whose events are at these places."""
        trace = CUT
        for number, location in enumerate(locations, 1):
            trace = trace.replace(f"|{number}\n", f"|{location}\n")
        return {file["path"]: file["parts"] for file in
                page_data(self.page(trace), "source-data")["files"]}

    def test_the_data_is_the_json(self):
        page = page_data(self.page(CUT, "--engine", "regiontrack"), "report-data")
        there = self.run_here("check", "--format", "json", "--engine", "regiontrack", "t.std").json
        for name in ("time_seconds", "peak_state_bytes"):
            del page[name], there[name]
        self.assertEqual(page, there)

    def test_the_policy_allows_this_script_and_style_and_nothing_else(self):
        page = self.page(CUT)
        [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        self.assertEqual(rules.pop("default-src"), "'none'")
        for name, tag in (("style-src", "style"), ("script-src", "script")):
            [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertEqual(rules.pop(name), f"'sha256-{digest}'")
        self.assertEqual(rules, {"base-uri": "'none'", "form-action": "'none'"})

    def test_the_page_needs_no_other_file(self):
        page = self.page(CUT)
        self.assertEqual(re.findall(r"<link|\ssrc=|@import|url\((?!#)", page), [])
        self.assertEqual(set(re.findall(r"https?://[^\"']+", page)), {"http://www.w3.org/2000/svg"})

    def test_markup_in_names_is_escaped(self):
        page = self.page(CUT.replace("(a)", "(</script><!--&\u2028)"))
        self.assertIn('"block": "\\u003c/script\\u003e\\u003c!--\\u0026\\u2028"', page)
        self.assertEqual(page.count("</script"), 3)

    def test_lines_around_each_place(self):
        self.write("a.c", "".join(f"{number}\r\n" for number in range(1, 61)))
        [first, second] = self.sources("a.c:3", "a.c:5:17", "a.c:30")["a.c"]
        self.assertEqual((first["first"], first["lines"]),
                         (1, [str(number) for number in range(1, 11)]))
        self.assertEqual((second["first"], len(second["lines"])), (25, 11))

    def test_places_that_are_in_no_file(self):
        self.write("a.c", "x\n")
        self.assertEqual(self.sources("a.c:9999999999999", "a.c:0", "a.c:", ":1"), {})
        self.assertEqual(self.sources("a.c:999"), {"a.c": []})

    def test_files_that_are_no_text_are_left_out(self):
        (self.folder / "folder.c").mkdir()
        os.mkfifo(self.folder / "pipe.c")
        (self.folder / "zero.c").symlink_to("/dev/zero")
        self.write("binary.c", b"a\0b\n")
        self.write("empty.c", b"")
        with open(self.folder / "huge.c", "wb") as file:
            file.write(b"x\n" * (9 << 20))
        for name in ("folder", "pipe", "zero", "binary", "empty", "huge", "gone"):
            self.assertEqual(self.sources(f"{name}.c:1"), {}, name)

    def test_only_files_with_the_name_of_a_source_are_opened(self):
        for name in ("secret", "passwd.txt", "c", "a.c/key", ".c.bak"):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("secret\n")
            self.assertEqual(self.sources(f"{name}:1"), {}, name)

    def test_long_lines_are_cut_and_bytes_that_are_no_text_replaced(self):
        self.write("a.c", b"\xff" + b"x" * 5000 + b"\nno newline")
        [part] = self.sources("a.c:1")["a.c"]
        self.assertEqual(part["lines"], ["\ufffd" + "x" * 499, "no newline"])


if __name__ == "__main__":
    unittest.main()
