"""<seriatim/drive.h>: a test driver for an API, with examples/drive.c and its repaired twin."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from seriatim import ROOT, RUNTIME, Case, once, run

APPEND = {"append", "list_append"}  # one may be inlined into the other
PAIRS = ["add add", "add take", "add append", "--crossed add append", "take take", "take append",
         "--crossed take append", "--crossed append add", "--crossed append take", "append append"]


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "needs the runtime and gcc")
class Drive(Case):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-test-drive-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        for name, flags in (("drive", []), ("fixed", ["-DFIXED"])):
            subprocess.run(["gcc", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=thread", "-pthread",
                            f"-I{ROOT}/include", *flags, ROOT / "examples" / "drive.c", "-o", folder / name], check=True)
        cls.drive, cls.fixed = str(folder / "drive"), str(folder / "fixed")

    def watched(self, *words):
        return self.run_here(*words, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})


class Words(Drive):
    def by_itself(self, *words):
        """Under seriatim, which a program that is built for it needs for its libraries."""
        return self.watched("run", "-q", "-o", "report", "--", self.drive, *words)

    def test_the_pairs(self):
        result = self.by_itself("--list")
        self.assertEqual(result.text.splitlines(), PAIRS)

    def test_wrong_words(self):
        for words, message in ((["add"], "usage: "), (["--any"], "usage: "), (["add", "nonesuch"], "no method 'nonesuch'"),
                               (["--crossed", "add"], "usage: ")):
            result = self.by_itself(*words)
            self.assertEqual(result.status, 2, words)
            self.assertIn(message, result.message)

    def test_it_is_cxx_too(self):
        source = self.write("d.cc", '#include <seriatim/drive.h>\nstatic void *make() { static int x; return &x; }\n'
                                    'static void call(void *, void *, unsigned) {}\n'
                                    'static const seriatim_method methods[] = {{"call", call, 0}};\n'
                                    'static const seriatim_api api = {make, nullptr, nullptr, methods, 1};\n'
                                    'int main(int argc, char **argv) { return seriatim_drive(&api, argc, argv); }\n')
        subprocess.run(["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", source, "-o",
                        self.folder / "d", "-pthread"], check=True)
        self.assertEqual(subprocess.run([self.folder / "d"], check=False).returncode, 0)


class Hunted(Drive):
    def hunt(self, program, *words):
        return self.watched("hunt", "--format=json", "--runs=12", "--", program, *words)

    @once("the hunt itself is tested elsewhere")
    def test_the_bug_is_found_and_the_repaired_twin_is_silent(self):
        words = ["--crossed", "append", "take"]
        result = self.hunt(self.drive, *words)
        self.assertEqual(result.status, 1, result.message)
        self.assertTrue({block["name"] for block in result.json["blocks"] if block["violated"]} & APPEND)
        self.assertEqual(len(result.json["failures"]), 1)  # a list has a number that was taken away
        result = self.hunt(self.fixed, *words)
        self.assertEqual((result.status, result.json["failures"]), (0, []), result.message)

    @once("the hunt itself is tested elsewhere")
    def test_random_calls(self):
        self.assertEqual(self.hunt(self.drive, "--random", "1", "3", "4").status, 1)
        self.assertEqual(self.hunt(self.fixed, "--random", "1", "3", "4").status, 0)

    def test_all_pairs_of_the_repaired_twin_can_be_predicted(self):
        trace = self.folder / "t.stt"
        self.watched("record", "-q", "-o", trace, "--", self.fixed)
        verdicts = run("predict", "--format=json", trace).json["verdicts"]
        self.assertEqual((verdicts["violation"], verdicts["potential"]), (0, 0))
        self.watched("record", "-q", "-o", trace, "--", self.drive)
        blocks = run("predict", "--format=json", "--limit=0", trace).json["blocks"]
        self.assertTrue({block["block"] for block in blocks if block["verdict"] in ("potential", "violation")} & APPEND)


if __name__ == "__main__":
    unittest.main()
