"""seriatim replay: a schedule of hunt leads to the same run again, also in another build."""

import json
import re
import shutil
import unittest

import programs
from hunting import Hunting, build

REPORT = re.compile(r'"(time_seconds|peak_state_bytes)": [^,\n]*')


class Replay(Hunting):
    def schedule(self, name):
        """A program, and a schedule of its first finding."""
        program = self.program(name)
        found = self.found(program, "--until", "first")
        return program, self.folder / (found["violations"] + found["failures"])[0]["schedule"]

    def test_ten_replays_are_the_same_in_every_respect(self):
        for name in ("bank_audit.c", "dining.c"):
            with self.subTest(name=name):
                _, schedule = self.schedule(name)
                seen = set()
                for _ in range(10):
                    result = self.replay(schedule)
                    report = REPORT.sub("", (self.folder / "replayed.json").read_text())
                    seen.add((result.status, result.out, result.err, report))
                self.assertEqual(len(seen), 1)
                self.assertEqual(seen.pop()[0], 1)

    def test_the_report_is_that_of_run(self):
        _, schedule = self.schedule("bank_audit.c")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.message, result.status), ("the audit found 190\n", "", 1))
        report = self.replayed()
        self.assertEqual(report["schema"], "seriatim-run/1")
        self.assertEqual([cut["block"] for cut in report["violations"]], ["transfer"])
        self.assertEqual(report["violations"][0]["outcome"], "status")

    def test_it_works_from_anywhere(self):
        _, schedule = self.schedule("bank_audit.c")
        folder = self.folder / "elsewhere"
        folder.mkdir()
        result = self.run_here("replay", "--quiet", schedule)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))
        program = shutil.copy(self.folder / "bank_audit", folder / "bank_audit")
        result = self.run_here("replay", "--quiet", schedule, "--", program)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))

    def test_minimising_keeps_what_is_small(self):
        _, schedule = self.schedule("bank_audit.c")
        before = schedule.read_text()
        result = self.run_here("replay", "--minimise", schedule)
        self.assertEqual(result.text, f"{schedule}: 1 of 1 deviations are left\n")
        self.assertEqual(schedule.read_text(), before)

    def test_another_build_is_found_by_function_and_line(self):
        program, schedule = self.schedule("bank_audit.c")
        build(programs.HUNTED / "bank_audit.c", program, "-O0")
        result = self.replay(schedule)
        self.assertEqual((result.text, result.status), ("the audit found 190\n", 1))
        self.assertIn("was built anew since the schedule was made (bank_audit): the places of the schedule were found "
                      "by function, line and count", result.message)
        self.assertEqual([cut["block"] for cut in self.replayed()["violations"]], ["transfer"])

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_a_debugger_stops_at_the_cut(self):
        _, schedule = self.schedule("bank_audit.c")
        result = self.run_here("replay", "--gdb", schedule,
                               input="up 5\ninfo threads\nbacktrace\nkill\nquit\n")
        self.assertIn("__seriatim_on_cut", result.text)
        self.assertRegex(result.text, r"transfer \(amount=\w+\)|in transfer ")


class Trouble(Hunting):
    def setUp(self):
        super().setUp()
        self.bank = self.program("bank_audit.c")
        found = self.found(self.bank, "--until", "first")
        self.schedule = self.folder / found["violations"][0]["schedule"]
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

    def test_files_that_are_not_there(self):
        self.assert_trouble(self.run_here("replay", "missing"), "missing: cannot read: No such file or directory")
        path = self.changed(folder="/nowhere")
        self.assert_trouble_like(self.run_here("replay", path), r"\S+: is for a program in /nowhere, which cannot be "
                                 r"entered .*name the program behind the schedule.*")


if __name__ == "__main__":
    unittest.main()
