"""A project whose tests run under Gradle, watched as docs/java.md describes: without any change to it.

Gradle is that of Debian, with JUnit 4: scripts/setup installs them. Without them this is skipped.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
os.environ.setdefault("SERIATIM_BUILD", "build")

from seriatim import BINARY, environment  # pylint: disable=wrong-import-position

AGENT = BINARY.parent / "runtime" / "seriatim-java.jar"
NEEDED = [pathlib.Path("/usr/share/java") / name for name in ("junit4.jar", "hamcrest-core.jar")]


@unittest.skipUnless(AGENT.exists() and shutil.which("gradle") and all(path.exists() for path in NEEDED),
                     "there is no Gradle, or no JUnit 4, or no agent: install gradle and junit4, and build again")
class Gradle(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-gradle-"))
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(HERE / "gradle", self.folder / "bank")
        shutil.copytree(HERE / "programs" / "unwatched", self.folder / "bank" / "src" / "test" / "java" / "unwatched")

    def run_tests(self, *words):
        """The result of a run, and what Gradle said."""
        done = subprocess.run(
            [BINARY, "run", "--include", "com.acme.*", "--format", "json", "--log", self.folder / "run.json", "--",
             "gradle", "--no-daemon", "--offline", "-g", self.folder / "home", *words], cwd=self.folder / "bank",
            env=environment(HOME=str(self.folder)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertIn("BUILD SUCCESSFUL", done.stdout, done.stderr)
        return json.loads((self.folder / "run.json").read_text()), done.returncode

    def test_all_tests_of_a_project_are_watched(self):
        result, status = self.run_tests("test")
        found = {each["block"] for each in result["violations"]} # the tests themselves are blocks, too
        self.assertEqual({name for name in found if "AccountTest" not in name}, {"com.acme.Account.deposit"})
        self.assertIn("com.acme.Account.depositAtOnce", {each["name"] for each in result["blocks"]})
        self.assertEqual(status, 66)

    def test_a_test_without_the_bug(self):
        result, status = self.run_tests("test", "--tests", "*keepsDeposits")
        self.assertEqual((result["violations"], status), ([], 0))
        self.assertIn("com.acme.Account.depositAtOnce", {each["name"] for each in result["blocks"]})


if __name__ == "__main__":
    unittest.main()
