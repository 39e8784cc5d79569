"""Each table in docs/papers.md is drawn by the command that stands there."""

import re
import shlex
import shutil
import subprocess
import unittest

from seriatim import ROOT, RUNTIME, TRACES, Case

PAGE = ROOT / "docs" / "papers.md"
SOME = ("bank", "vector-atomic", "alpha1", "alpha3")


def commands():
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and "`seriatim " in line]
    return [command for row in rows for command in re.findall(r"`seriatim ([^`]*)`", row)]


class Page(Case):
    def setUp(self):
        super().setUp()
        self.traces = [str(TRACES / f"{name}.std") for name in SOME]

    def words(self, command):
        for word in shlex.split(command):
            yield from (self.traces if word == "*.std" else [str(TRACES / "alpha3.std")] if word == "TRACE" else [word])

    def test_there_is_a_command_for_each_table(self):
        """The tables of the five papers, by their names on the page."""
        text = PAGE.read_text()
        for table in ("Tables 1 and 2", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Table 7", "Table I",
                      "Figures 8 and 9", "Figure 10", "Figures 8, 9 and 10"):
            self.assertRegex(text, rf"(?m)^\| [^|]*{table}\b")

    def test_on_traces(self):
        tried = [command for command in commands() if "--online" not in command]
        self.assertGreater(len(tried), 15)
        for command in tried:
            result = self.run_here(*self.words(command))
            self.assertEqual((result.status, result.message), (0, ""), command)
            self.assertGreater(len(result.text.splitlines()), 1, command)

    @unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "needs the runtime and gcc")
    def test_on_a_running_program(self):
        tried = [command for command in commands() if "--online" in command]
        self.assertEqual(len(tried), 3)
        program, plain = str(self.write("program", "")), str(self.write("plain", ""))
        source = str(ROOT / "examples" / "bank.c")
        for path, flags in ((program, ["-fsanitize=thread"]), (plain, [])):
            subprocess.run(["gcc", "-g", "-O1", *flags, source, "-o", path, "-pthread"], check=True)
        for command in tried:
            here = command.replace("./program", program).replace("./plain", plain).replace("--runs 10", "--runs 1")
            result = self.run_here(*shlex.split(here), env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
            self.assertEqual(result.status, 0, result.message)
            self.assertRegex(result.text, r"regiontrack|rt-trace")


if __name__ == "__main__":
    unittest.main()
