"""What the documentation shows is what the program does."""
import os
import re
import subprocess
import tempfile
import unittest

from hunting import UNHURRIED
from seriatim import BINARY, ROOT, RUNTIME, environment, run

TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


def check(*arguments):
    return subprocess.run([BINARY, "check", *arguments], cwd=ROOT, capture_output=True, text=True)


def code_blocks(path):
    return re.findall(r"^```\w*\n(.*?)^```$", path.read_text(), re.M | re.S)


class Documentation(unittest.TestCase):
    maxDiff = None

    def test_the_report_in_the_readme_is_the_real_one(self):
        build = "build/seriatim-cc -g -O2 examples/bank.c -o build/bank -pthread"
        hunt = "build/seriatim hunt --until first --keep build build/bank"
        [shown] = [block for block in code_blocks(ROOT / "README.md")
                   if block.startswith(f"$ {build}\n$ build/bank\n")]
        _, _, shown = shown.partition(f"$ {hunt}\n")
        runtime = BINARY.parent / "runtime"  # of a build without sanitizers, if this one has none
        runtime = runtime if runtime.exists() else ROOT / "build" / "runtime"
        variables = environment(SERIATIM_RUNTIME_DIR=str(runtime))
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "build"))
            os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
            subprocess.run([BINARY.parent / "seriatim-cc", *build.split()[1:]], cwd=folder,
                           env=variables, check=True)
            result = subprocess.run([BINARY, *hunt.split()[1:]], cwd=folder, env=variables,
                                    capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(shown, result.stdout + result.stderr)

    def test_the_specifications_about_specifications_are_real(self):
        command = "$ seriatim infer bank.std\n"
        blocks = code_blocks(ROOT / "docs/specification.md")
        [shown] = [block for block in blocks if block.startswith(command)]
        inferred = subprocess.run([BINARY, "infer", "bank.std"], cwd=ROOT / "tests/traces",
                                  capture_output=True, text=True)
        self.assertEqual(shown[len(command):], inferred.stdout)
        written = [block for block in blocks if re.search("^(atomic|ignore) ", block, re.M)]
        self.assertEqual(len(written), 2)
        for spec in written:
            result = subprocess.run([BINARY, "check", "--spec=-", "tests/traces/bank-fixed.std"],
                                    cwd=ROOT, input=spec.replace(command, ""),
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_links_to_files_lead_somewhere(self):
        for path in TEXTS:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
                if "://" not in target:
                    with self.subTest(text=path.name, link=target):
                        self.assertTrue((path.parent / target).exists())

    def test_paths_in_the_texts_exist(self):
        # A path names a file or a folder; `NAME`, `PAGE` and `*` stand for some of them.
        folders = "src|tests|docs|bench|scripts|examples|include|cmake|integrations"
        pattern = rf"(?<![\w./-])((?:{folders})/[\w./*-]*[\w*/])"
        count = 0
        for path in [*TEXTS, ROOT / "tests/programs/README.md"]:
            for name in set(re.findall(pattern, path.read_text())):
                some = re.sub(r"\b(NAME|PAGE)\b|(?<=_)NAME\b", "*", name)
                with self.subTest(text=path.name, path=name):
                    self.assertTrue(any(ROOT.glob(some.rstrip("/"))))
                count += 1
        self.assertGreater(count, 50)

    def test_the_program_about_annotations_is_cut_where_the_text_says(self):
        [source] = [block for block in code_blocks(ROOT / "docs/annotations.md") if "int main" in block]
        if not RUNTIME.exists():
            self.skipTest("there is no runtime in this build")
        variables = environment(SERIATIM_RUNTIME_DIR=str(RUNTIME))
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.run([BINARY, "cc", f"-I{ROOT / 'include'}", "-g", "-O1", "-Wall", "-Werror", "-x",
                                    "c", "-", "-o", "shop", "-pthread"], cwd=folder, env=variables,
                                   input=source, text=True, capture_output=True)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            hunt = subprocess.run([BINARY, "hunt", *UNHURRIED, "--until", "first", "--runs", "50", "./shop"], cwd=folder,
                                  env=variables, capture_output=True, text=True)
        self.assertIn("order was not atomic", hunt.stdout + hunt.stderr)

    def check_trace(self, trace):
        with tempfile.NamedTemporaryFile("w", suffix=".std") as file:
            file.write(trace)
            file.flush()
            return check("--engine", "regiontrack", file.name)

    def test_the_trace_in_the_readme_is_cut(self):
        traces = [block for block in code_blocks(ROOT / "README.md") if block.startswith("T1|")]
        self.assertEqual(len(traces), 1)
        result = self.check_trace(traces[0])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("update", result.stdout)

    def test_the_traces_about_the_engines_are_what_the_text_says(self):
        traces = [block for block in code_blocks(ROOT / "docs/engines.md") if block[0] == "T"]
        self.assertEqual(len(traces), 4)
        for trace, (status, words) in zip(traces, [
                (1, "not serializable (no order of whole blocks explains this run), first bad event 6"),
                (0, "serializable"),
                (1, "not serializable (no order of whole blocks explains this run), first bad event 6"),
                (1, "3 violated blocks"),
        ]):
            with self.subTest(trace=trace):
                result = self.check_trace(trace)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertIn(words, result.stdout)

    def test_reports_in_the_texts_are_what_the_program_says(self):
        # Times differ from run to run, and columns are as wide as they.
        def still(text):
            return re.sub(r" +", " ", re.sub(r"[0-9.]+ (us|ms|s)\b", "TIME", text)).rstrip()
        count = 0
        for path in TEXTS:
            for block in code_blocks(path):
                command, _, report = block.partition("\n")
                if not re.match(r"\$ seriatim \S+ .*tests/traces/", command):
                    continue
                with self.subTest(text=path.name, command=command):
                    result = run(*command.split()[2:], cwd=ROOT)
                    self.assertEqual(still(result.text), still(report))
                count += 1
        self.assertGreater(count, 5)


if __name__ == "__main__":
    unittest.main()
