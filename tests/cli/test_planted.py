"""Programs with several planted bugs: as many findings as causes.

tests/planted has two of them, in C and in C++, of several files each. Comments in them say which
bugs there are: the function that should be one step, and the lines where it lets go and where it
comes back. Each bug strikes at least once in each run; other threads ask for the same things
meanwhile, and what they meet is chance. Whatever happens, the findings must be the bugs.

    SERIATIM_PLANTED_RUNS=20    so many runs of each program, not 2
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from seriatim import BINARY, ROOT, environment

PLANTED = ROOT / "tests" / "planted"
RUNTIME = BINARY.parent / "runtime" / "libseriatim_rt.so"
RUNS = int(os.environ.get("SERIATIM_PLANTED_RUNS", "2"))


def causes(folder):
    """The lines, as file:number, where each function of a CAUSE comment lets go and comes back; None
    where any are right."""
    marks, wanted = {}, []
    for path in sorted(folder.iterdir()):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            cause = re.search(r"// CAUSE (\S+)(?: @(\w+) @(\w+))?$", line)
            if cause:
                wanted.append((path.name, *cause.groups()))
                continue
            for mark in re.findall(r"// @(\w+)", line):
                marks[path.name, mark] = f"{path.name}:{number}"
    return {function: left and (marks[file, left], marks[file, back])
            for file, function, left, back in wanted}


def file_and_line(location):
    return location.rsplit("/", 1)[-1]


def findings(result):
    """The fingerprint of each finding, and its cause."""
    found = {}
    for violation in result["violations"]:
        cause = violation["cause"]
        if violation["story"]["count"]:
            assert violation["fingerprint"] not in found
            found[violation["fingerprint"]] = (cause["function"], file_and_line(cause["left"]),
                                               file_and_line(cause["back"]))
    return found


@unittest.skipUnless(RUNTIME.exists(), "there is no runtime")
class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-planted-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *words, statuses=(0,)):
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, statuses, done.stdout + done.stderr)
        return done.stdout

    def build(self, language, source=PLANTED, name="program"):
        compiler, ending, options = (("seriatim-cc", "c", []) if language == "c" else
                                     ("seriatim-c++", "cc", ["-std=c++17"]))
        self.command("gcc", "-g", "-O1", "-c", source / "gate.c", "-o", "gate.o")
        self.command(BINARY.parent / compiler, "-g", "-O1", "-pthread", *options, "-I", source,
                     *sorted((source / language).glob("*." + ending)), "gate.o", "-o", name)

    def run_it(self, name="program", *options, statuses=(66,)):
        self.command(BINARY, "run", "--format", "json", "--log", "result.json", *options,
                     f"./{name}", statuses=statuses)
        return json.loads((self.folder / "result.json").read_text())

    def check_findings(self, found, wanted):
        """What was planted, and nothing else, each once."""
        self.assertEqual(sorted(function for function, *_ in found.values()), sorted(wanted))
        for function, *lines in found.values():
            self.assertEqual(tuple(lines), wanted[function] or tuple(lines))

    def check_program(self, language):
        self.build(language)
        wanted, prints = causes(PLANTED / language), {}
        for _ in range(RUNS):
            found = findings(self.run_it())
            self.check_findings(found, wanted)
            for fingerprint, (function, *_) in found.items():
                self.assertEqual(prints.setdefault(function, fingerprint), fingerprint)

    def test_the_program_in_c_has_as_many_findings_as_bugs(self):
        self.check_program("c")

    def test_the_program_in_c_plus_plus_has_as_many_findings_as_bugs(self):
        self.check_program("cxx")

    def test_a_recording_has_the_same_findings(self):
        self.build("c")
        self.command(BINARY, "record", "-o", "t.stt", "./program")
        text = self.command(BINARY, "check", "--format", "json", "t.stt", statuses=(1,))
        recorded = findings(json.loads(text))
        self.check_findings(recorded, causes(PLANTED / "c"))
        self.assertEqual(set(recorded), set(findings(self.run_it())))

    def edited(self, edit):
        """A copy of the sources, with each of the files in C edited."""
        source = self.folder / "edited"
        shutil.copytree(PLANTED, source)
        for path in (source / "c").iterdir():
            path.write_text(edit(path.read_text()))
        return source

    def check_edit(self, edit):
        self.build("c")
        before = set(findings(self.run_it()))
        self.build("c", self.edited(edit), "edited-program")
        after = set(findings(self.run_it("edited-program")))
        self.assertEqual(before, after)

    def test_lines_above_and_inside_change_no_fingerprint(self):
        self.check_edit(lambda text: "/* A\n * comment. */\n" +
                        re.sub(r"^(    gap\()", r"    /* Others\n     * may come. */\n\1", text,
                               flags=re.M))

    def test_another_name_of_a_function_that_is_called_changes_no_fingerprint(self):
        self.check_edit(lambda text: re.sub(r"\b(withdraw|find_free|read_sum|size_of)\b", r"my_\1",
                                            text))

    def test_a_baseline_of_three_runs_holds(self):
        self.build("c")
        for name in ("a", "b", "c"):
            self.run_it()
            shutil.copy(self.folder / "result.json", self.folder / f"{name}.json")
        said = self.command(BINARY, "baseline", "update", "known.json", "a.json", "b.json", "c.json")
        self.assertEqual(said, "known.json has 11 findings\n")
        for _ in range(RUNS):
            self.run_it("program", "--baseline", "known.json", statuses=(0,))
            self.run_it("program", "--baseline", "a.json", "--baseline", "b.json", statuses=(0,))

    def test_several_results_are_one(self):
        self.build("c")
        counts = {}
        for name in ("a", "b"):
            for finding in self.run_it()["findings"]:
                counts[finding["fingerprint"]] = (counts.get(finding["fingerprint"], 0) +
                                                  finding["count"])
            shutil.copy(self.folder / "result.json", self.folder / f"{name}.json")
        merged = json.loads(self.command(BINARY, "report", "--format", "json", "a.json", "b.json",
                                         statuses=(1,)))
        self.assertEqual({f["fingerprint"]: f["count"] for f in merged["findings"]}, counts)

    def test_a_saved_result_has_the_same_findings_in_the_same_order(self):
        """Also where the block came back to another variable of the same name: nodes of a tree."""
        self.build("cxx")
        for _ in range(RUNS):
            seen = self.run_it()
            saved = json.loads(self.command(BINARY, "report", "--format", "json", "result.json", statuses=(1,)))
            self.assertEqual(saved["findings"], seen["findings"])
            self.assertEqual([each.get("namesake") for each in saved["violations"]],
                             [each.get("namesake") for each in seen["violations"]])

    def test_findings_have_ranks_and_reasons(self):
        self.build("c")
        result = self.run_it()
        self.assertEqual([f["rank"] for f in result["findings"]], list(range(1, len(result["findings"]) + 1)))
        for finding in result["findings"]:
            violation = result["violations"][finding["violation"]]
            self.assertEqual(violation["fingerprint"], finding["fingerprint"])
            self.assertIn("cut ", finding["why_here"])
            self.assertIs(finding["by_design"], False)

    def test_paths_start_at_the_root_of_the_repository(self):
        (self.folder / ".git").mkdir()
        shutil.copytree(PLANTED, self.folder / "planted")
        self.build("c", self.folder / "planted")
        self.run_it()
        text = self.command(BINARY, "report", "--print-suppressions", "result.json", statuses=(1,))
        self.assertIn(" file planted/c/queue.c ", text)
        (self.folder / "s").write_text(text)
        self.command(BINARY, "report", "--suppressions", "s", "--format", "json", "result.json")
        sarif = json.loads(self.command(BINARY, "report", "--format", "sarif", "result.json",
                                        statuses=(1,)))
        places = [result["locations"][0]["physicalLocation"]["artifactLocation"]
                  for result in sarif["runs"][0]["results"]]
        self.assertEqual({place["uriBaseId"] for place in places}, {"SRCROOT"})
        self.assertTrue(all(place["uri"].startswith("planted/c/") for place in places))


if __name__ == "__main__":
    unittest.main()
