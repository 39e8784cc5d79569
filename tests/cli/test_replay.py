"""seriatim replay: a schedule of hunt leads to the same run again, also in another build."""

import json
import pathlib
import re
import shutil
import unittest

import programs
from hunting import ADDS_UP, Hunting, build

# A lost update that shows in what is printed only.
SUM = """
#include <pthread.h>
#include <stdio.h>
#ifndef WORD
#define WORD sum
#endif
#ifndef SUM
#define SUM total + more
#endif
#define TEXT(word) #word
#define TEXT_OF(word) TEXT(word)
""" + ADDS_UP + """#ifdef NOISE
    fputs("noise\\n", stderr);
#endif
    printf(TEXT_OF(WORD) " %d\\n", SUM);
    return 0;
}
"""

REPORT = re.compile(r'"(time_seconds|peak_state_bytes)": [^,\n]*')


class WithSchedule(Hunting):
    kept = {}  # by the name of the program: hunting for the same again would find the same

    def schedule_of(self, name):
        """A program, and a schedule of its first finding."""
        program = self.program(name)
        if name not in self.kept:
            found = self.found(program, "--until", "first")
            path = self.folder / (found["violations"] + found["failures"])[0]["schedule"]
            self.kept[name] = str(self.folder), path.name, path.read_text()
            return program, path
        folder, file, text = self.kept[name]
        return program, self.write(file, text.replace(folder, str(self.folder)))


class Replay(WithSchedule):
    def test_ten_replays_are_the_same_in_every_respect(self):
        for name in ("bank_audit.c", "dining.c"):
            with self.subTest(name=name):
                _, schedule = self.schedule_of(name)
                seen = set()
                for _ in range(10):
                    result = self.replay(schedule)
                    report = REPORT.sub("", (self.folder / "replayed.json").read_text())
                    seen.add((result.status, result.out, result.err, report))
                self.assertEqual(len(seen), 1)
                self.assertEqual(seen.pop()[0], 1)

    def test_the_report_is_that_of_run(self):
        _, schedule = self.schedule_of("bank_audit.c")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.message, result.status), ("the audit found 190\n", "", 1))
        report = self.replayed()
        self.assertEqual(report["schema"], "seriatim-run/1")
        self.assertEqual([cut["block"] for cut in report["violations"]], ["transfer"])
        self.assertEqual(report["violations"][0]["outcome"], "status")

    def test_it_works_from_anywhere(self):
        _, schedule = self.schedule_of("bank_audit.c")
        folder = self.folder / "elsewhere"
        folder.mkdir()
        result = self.run_here("replay", "--quiet", schedule)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))
        program = shutil.copy(self.folder / "bank_audit", folder / "bank_audit")
        result = self.run_here("replay", "--quiet", schedule, "--", program)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))

    def test_minimising_keeps_what_is_small(self):
        _, schedule = self.schedule_of("bank_audit.c")
        before = schedule.read_text()
        result = self.run_here("replay", "--minimise", schedule)
        self.assertEqual(result.text, f"{schedule}: 1 of 1 deviations are left\n")
        self.assertEqual(schedule.read_text(), before)

    def test_another_build_is_found_by_function_and_line(self):
        program, schedule = self.schedule_of("bank_audit.c")
        build(programs.HUNTED / "bank_audit.c", program, "-O0")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))
        self.assertIn("was built anew since the schedule was made (bank_audit): the places of the schedule were found "
                      "by function, line and count", result.message)
        self.assertEqual([cut["block"] for cut in self.replayed()["violations"]], ["transfer"])

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_a_debugger_stops_at_the_cut(self):
        _, schedule = self.schedule_of("bank_audit.c")
        result = self.run_here("replay", "--gdb", schedule,
                               input="up 5\ninfo threads\nbacktrace\nkill\nquit\n")
        self.assertIn("__seriatim_on_cut", result.text)
        self.assertRegex(result.text, r"transfer \(amount=\w+\)|in transfer ")

    def printing(self, *flags, **more):
        """A program that prints a wrong sum, a schedule that shows it, and what hunt reports."""
        program = self.source(SUM, *flags)
        result = self.hunt(program, "--runs", "20", **more)
        self.assertEqual((result.message, result.status), ("", 1))
        cut, = [cut for cut in result.json["violations"] if cut["block"] == "add"]
        self.assertEqual(cut["outcome"], "output")
        return program, self.folder / cut["schedule"], cut

    def test_input_is_replayed_from_a_copy(self):
        path = self.write("input", "40\n")
        with open(path, encoding="utf-8") as file:
            _, schedule, cut = self.printing(input=None, stdin=file)
        self.assertEqual((cut["printed"], cut["expected"]), ("sum 41", "sum 42"))
        path.unlink()
        for _ in range(2):
            result = self.replay(schedule)
            self.assertEqual((result.text, result.message, result.status), ("sum 41\n", "", 1))
        copy = json.loads(schedule.read_text())["input"]
        pathlib.Path(copy).unlink()
        self.assert_trouble(self.replay(schedule), f"{schedule}: the program read {copy}, which cannot be read any more: "
                                                   "No such file or directory")

    def test_lines_that_differ_are_those_of_this_run(self):
        _, schedule, cut = self.printing()
        data = json.loads(schedule.read_text())
        saved = data["expected"]
        self.assertEqual((saved["printed"], saved["usual"]), (cut["printed"], cut["expected"]))
        saved.update(printed="a saved line", usual="another")
        schedule.write_text(json.dumps(data))
        for flags, printed, usual in (((), "sum 1", "sum 2"), (("-DWORD=total",), "total 1", "total 2")):
            with self.subTest(flags=flags):
                self.source(SUM, *flags)
                result = self.replay(schedule)
                self.assertEqual((result.text, result.status), (f"{printed}\n", 1))
                cut, = [cut for cut in self.replayed()["violations"] if cut["block"] == "add"]
                self.assertEqual((cut["outcome"], cut["printed"], cut["expected"]), ("output", printed, usual))
        # It prints the same whatever the sum is: the block is cut all the same.
        self.source(SUM, "-DSUM=7")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.status), ("sum 7\n", 1))
        self.assertIn("something else came of it than when it was found", result.message)
        cut, = [cut for cut in self.replayed()["violations"] if cut["block"] == "add"]
        self.assertEqual((cut["outcome"], cut["printed"], cut["expected"]), ("same", None, None))

    def test_what_it_prints_goes_where_it_belongs(self):
        _, schedule, _ = self.printing("-DNOISE")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.message, result.status), ("sum 1\n", "noise\n", 1))


class Trouble(WithSchedule):
    def setUp(self):
        super().setUp()
        self.bank, self.schedule = self.schedule_of("bank_audit.c")
        self.data = json.loads(self.schedule.read_text())

    def changed(self, **changes):
        self.data.update(changes)
        return self.write("changed.schedule", json.dumps(self.data))

    def test_a_schedule_that_cannot_be_followed(self):
        for change in ({"clock": 1000}, {"next": "main.7"}):
            stop = {**self.data["deviations"][0], **change}
            result = self.run_here("replay", "-o", "report", self.changed(deviations=[stop]))
            self.assertEqual(result.status, 3)
            self.assertRegex(result.message, r"\Aseriatim: warning: \S+ diverged from the schedule at deviation 1 of 1, in "
                                             r"transfer at \S+: it depends on more than its threads, or is another "
                                             r"build\n\Z")

    def test_another_program(self):
        result = self.run_here("replay", self.schedule, "--", "/bin/true")
        self.assert_trouble(result, f"/bin/true: is another program than {self.bank}, which the schedule is for")

    def test_damaged_schedules(self):
        for changes, message in (
                ({"schema": "seriatim-schedule/9"}, "is a schedule of another version of seriatim (seriatim-schedule/9, "
                 "and this one reads seriatim-schedule/1); hunt again"),
                ({"schema": "something"}, "is no schedule that hunt has written (seriatim-schedule/1)"),
                ({"schema": "seriatim-schedule/1", "program": []}, "names no program")):
            self.assert_trouble(self.run_here("replay", self.changed(**changes)), f"{self.folder}/changed.schedule:1: "
                                + message)
        stop = self.data["deviations"][0]
        program = json.loads(self.schedule.read_text())["program"]
        for change, message in (({"kind": "odd"}, r"deviations\[0\]\.kind must be preempt, blocked, wake, time, "
                                                  r"signal or arrival"),
                                ({"thread": "T1"}, r"deviations\[0\]\.thread must name a thread, as main\.0\.2 does"),
                                ({"clock": -1}, r"deviations\[0\]\.clock must not be negative"),
                                ({"site": "xyz"}, r"deviations\[0\]\.site must be a hexadecimal number")):
            with self.subTest(change=change):
                path = self.changed(program=program, deviations=[{**stop, **change}])
                self.assert_trouble_like(self.run_here("replay", path), rf"\S+changed\.schedule:1: {message}")
        text = self.schedule.read_text()
        for end in (0, 1, len(text) // 3, len(text) - 5):
            with self.subTest(end=end):
                path = self.write("cut.schedule", text[:end])
                self.assert_trouble_like(self.run_here("replay", path), r"\S+cut\.schedule\S*: .+")

    def test_files_that_are_no_schedules(self):
        for content in (b"\0\xff\x80 no text", b"\x7fELF", b"[" * 100000, b"[1]", b"7", b"null", b"T1|begin(a)|1\n", b"{}",
                        b'{"schema": "seriatim-schedule/1"}', b'{"schema": 1}'):
            with self.subTest(content=content[:40]):
                path = self.write("garbage", content)
                self.assert_trouble_like(self.run_here("replay", path), r"\S+/garbage:1: .+")
        self.assert_trouble(self.run_here("replay", self.folder), f"{self.folder}: cannot read: Is a directory")

    def test_a_program_that_cannot_be_run(self):
        pathlib.Path(self.bank).chmod(0o644)
        self.assert_trouble(self.run_here("replay", self.schedule), f"{self.bank}: cannot run: Permission denied")
        pathlib.Path(self.bank).unlink()
        self.assert_trouble_like(self.run_here("replay", self.schedule), rf"{self.bank}: .*No such file or directory")

    def test_files_that_are_not_there(self):
        self.assert_trouble(self.run_here("replay", "missing"), "missing: cannot read: No such file or directory")
        path = self.changed(folder="/nowhere")
        self.assert_trouble_like(self.run_here("replay", path), r"\S+: is for a program in /nowhere, which cannot be "
                                 r"entered .*name the program behind the schedule.*")


if __name__ == "__main__":
    unittest.main()
