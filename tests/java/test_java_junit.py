"""The extension for JUnit 5, started by JUnit's own console and by Maven's surefire, as docs/java.md describes.

The tests that they run are in tests/java/junit; some of those must fail. Surefire is that of Debian (libsurefire-java);
without it that part is skipped.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
os.environ.setdefault("SERIATIM_BUILD", "build")

from seriatim import BINARY, ROOT, environment  # pylint: disable=wrong-import-position

EXTENSION = BINARY.parent / "runtime" / "seriatim-junit.jar"
CONSOLE = pathlib.Path("/usr/share/java/junit-platform-console-standalone.jar")
REPOSITORY = pathlib.Path("/usr/share/maven-repo")
SUREFIRE = sorted((REPOSITORY / "org/apache/maven/plugins/maven-surefire-plugin").glob("[0-9]*"))
REPORT = "AccountTest$Account.deposit was not atomic in thread main"


@unittest.skipUnless(EXTENSION.exists() and CONSOLE.exists(), "there is no extension for JUnit: install junit5 "
                     "(scripts/setup test), and build again")
class Extension(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-junit-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.classes = cls.folder / "target" / "test-classes"
        subprocess.run(["javac", "-Xlint:all", "-Werror", "-g", "-d", cls.classes, "-cp", f"{EXTENSION}:{CONSOLE}",
                        HERE / "junit" / "AccountTest.java", HERE / "programs" / "unwatched" / "Schedule.java"],
                       check=True)

    def call(self, *words, **variables):
        return subprocess.run(words, cwd=self.folder, env=environment(**variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    def console(self, *words, before=(), command=BINARY, **variables):
        """By test: None, or why it failed; and the output."""
        reports = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        done = self.call(*before, "java", f"-Dseriatim.command={command}", "-jar", CONSOLE, "-cp",
                         f"{self.classes}:{EXTENSION}", "--reports-dir", reports, *words, **variables)
        return results(reports / "TEST-junit-jupiter.xml"), done

    def method(self, name):
        return "--select-method", f"AccountTest#{name}"

    def test_tests_fail_with_the_report_and_others_do_not(self):
        found, done = self.console("--select-class", "AccountTest")
        self.assertEqual({name for name, failure in found.items() if failure}, {"losesDeposits", "isWrong"}, done.stderr)
        self.assertEqual(set(found), {"losesDeposits", "keepsDeposits", "isAllowedToLoseThem", "isWrong", "repeats",
                                      "isNotWatched"})
        self.assertIn(REPORT, found["losesDeposits"])
        self.assertRegex(found["losesDeposits"], r"wrote AccountTest\$Account@1\.balance, holding AccountTest\$Account@1")
        self.assertEqual(done.stdout.count("repeated"), 2)
        self.assertIn("as expected ==> expected: <1> but was: <0>", found["isWrong"])

    def test_what_to_do_without_seriatim(self):
        found, _ = self.console(*self.method("keepsDeposits"), command="/nowhere/seriatim")
        self.assertIn("cannot run '/nowhere/seriatim': install seriatim, or say where it is with "
                      "-Dseriatim.command=PATH", found["keepsDeposits"])

    def test_where_all_is_watched_the_watcher_reports(self):
        found, done = self.console(*self.method("losesDeposits"), command="/nowhere/seriatim", before=[
            BINARY, "run", "--exclude", "unwatched.*", "--"])
        self.assertEqual((found, done.returncode), ({"losesDeposits": None}, 66), done.stderr)
        self.assertIn(REPORT, done.stderr)

    @unittest.skipUnless(SUREFIRE and shutil.which("mvn"), "there is no surefire: install libsurefire-java and maven")
    def test_surefire_follows_the_recipe(self):
        version = SUREFIRE[0].name
        (self.folder / "pom.xml").write_text(project(version))
        done = self.call("mvn", "-o", "-B", f"-Dmaven.repo.local={REPOSITORY}",
                         "-Dtest=AccountTest#losesDeposits+keepsDeposits",
                         f"org.apache.maven.plugins:maven-surefire-plugin:{version}:test",
                         PATH=f"{BINARY.parent}:{os.environ['PATH']}")
        report = self.folder / "target" / "surefire-reports" / "TEST-AccountTest.xml"
        self.assertTrue(report.exists(), done.stdout)
        found = results(report)
        self.assertEqual(set(found), {"losesDeposits", "keepsDeposits"}, done.stdout)
        self.assertIsNone(found["keepsDeposits"])
        self.assertIn(REPORT, found["losesDeposits"])


def results(path):
    """What a file in the format of Ant says of each test."""
    found = {}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        failures = [each for kind in ("failure", "error") for each in case.findall(kind)]
        name = re.match(r"\w+", case.get("name"))[0]
        found[name] = found.get(name) or (failures[0].text if failures else None)
    return found


def project(surefire):
    """A project that has the recipe of the documentation in it, with paths and versions of this machine."""
    [recipe] = re.findall(r"```xml\n(.*?)```", (ROOT / "docs" / "java.md").read_text(), re.DOTALL)
    recipe = recipe.replace("/usr/local/lib/seriatim/seriatim-junit.jar", str(EXTENSION))
    jupiter = next((REPOSITORY / "org/junit/jupiter/junit-jupiter-engine").glob("[0-9]*")).name
    return f"""<project>
<modelVersion>4.0.0</modelVersion><groupId>com.acme</groupId><artifactId>bank</artifactId><version>1</version>
<dependencies>
{recipe}
<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter-engine</artifactId><version>{jupiter}</version>
<scope>test</scope></dependency>
</dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>{surefire}</version></plugin></plugins>
</build></project>
"""


if __name__ == "__main__":
    unittest.main()
