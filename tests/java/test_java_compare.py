"""The engines of the papers on Java programs: while they run, on recordings, and in rounds."""

import csv
import functools
import io
import json
import os
import subprocess
import tempfile
import unittest

from test_java_options import BINARY, FOUND, Case
from test_java_programs import HERE

NAMING = ("witness", "velodrome", "regiontrack", "doublechecker")
SILENT = ("aerodrome", "rt-trace")

# The second thread writes between the two accesses of increment(), or with an argument before them. They take turns
# through a property of the JVM, which nobody watches.
PROGRAM = """
public class Turns {
    static int value;

    static void waitFor(String turn) {
        while (System.getProperty("turn." + turn) == null) {
            Thread.onSpinWait();
        }
    }

    static void pass(String turn) {
        System.setProperty("turn." + turn, "yes");
    }

    static void increment(boolean cut) {
        int old = value;
        if (cut) {
            pass("read");
            waitFor("written");
        }
        value = old + 1;
    }

    static void store() {
        value = 7;
    }

    static void second(boolean cut) {
        if (cut) {
            waitFor("read");
        }
        store();
        pass("written");
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean cut = arguments.length == 0;
        Thread second = new Thread(() -> second(cut));
        second.start();
        if (!cut) {
            second.join();
        }
        increment(cut);
        second.join();
    }
}
"""


@functools.cache
def folder():
    return tempfile.TemporaryDirectory(prefix="seriatim-java-compare-")


@functools.cache
def classes():
    source = f"{folder().name}/Turns.java"
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["javac", "-g", "-d", folder().name, source], check=True)
    return folder().name


class Engines(Case):
    def checked(self, engine, *words):
        log = self.folder / "run.json"
        done = self.seriatim("run", "--engine", engine, "--format", "json", "--log", log, "--",
                             "java", "-cp", classes(), *words)
        return done.returncode, json.loads(log.read_text())

    def test_all_find_what_happened_and_nothing_in_the_repaired_program(self):
        for engine in NAMING + SILENT:
            status, result = self.checked(engine, "Turns")
            self.assertEqual((status, result["serializable"]), (FOUND, False), engine)
            if engine in NAMING:
                self.assertEqual(self.violated(result), {"Turns.increment"}, engine)
        for engine in ("velodrome", "regiontrack", "doublechecker", "aerodrome"):
            status, result = self.checked(engine, "Turns", "apart")
            self.assertEqual((status, result["serializable"]), (0, True), engine)

    def test_the_baseline_answers_nothing(self):
        status, result = self.checked("empty", "Turns")
        self.assertEqual((status, result["serializable"]), (0, None))


class Tables(Case):
    def rows(self, *words):
        done = self.seriatim(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def programs(self):
        path = self.folder / "programs"
        java = f"java -cp {classes()}"
        path.write_text(f"bad: {java} Turns\nnative: {java} Turns\ngood: {java} 'Turns' apart\n")
        return path

    def test_programs_of_a_list_while_they_run(self):
        rows = self.rows("compare", "--online", "--table=cells", "--format=csv", "--engines=empty,regiontrack,velodrome",
                         "--programs", self.programs())
        found = {(row["program"], row["engine"]): (row["not_serializable"], row["distinct"]) for row in rows}
        self.assertEqual({key: value for key, value in found.items() if key[1] not in ("native", "empty")},
                         {("bad", "regiontrack"): ("1 of 1", "1"), ("bad", "velodrome"): ("1 of 1", "1"),
                          ("good", "regiontrack"): ("0 of 1", "0"), ("good", "velodrome"): ("0 of 1", "0")})

    def test_recordings_of_programs_of_a_list(self):
        rows = self.rows("compare", "--table=violations", "--format=csv", "--engines=velodrome,regiontrack,aerodrome",
                         "--programs", self.programs())
        self.assertEqual([(row["regiontrack bad"], row["aerodrome bad"], row["regiontrack distinct"], row["velodrome missed"])
                          for row in rows if row["trace"] != "total"], [("1", "1", "1", "0"), ("0", "0", "0", "0")])

    def test_classes_that_are_left_out(self):
        """Turns.increment is cut; without the class nothing can be, and without all classes there is nothing to say."""
        java = ("java", "-cp", classes(), "Turns")
        for option in (("--include", "Turns"), ("--exclude", "Other*")):
            rows = self.rows("compare", "--table=violations", "--format=csv", "--engines=regiontrack", *option, "--", *java)
            self.assertEqual(rows[0]["regiontrack distinct"], "1", option)
            rows = self.rows("compare", "--online", "--format=csv", "--engines=regiontrack", *option, "--", *java)
            self.assertEqual(rows[1]["distinct"], "1", option)
        for command in (("compare",), ("compare", "--online"), ("refine",)):
            done = self.seriatim(*command, "--exclude=Turns", "--", *java)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("loaded no class that is to be watched", done.stderr)
            self.assertNotIn("seriatim-cc", done.stderr)

    def test_a_refinement_of_some_methods(self):
        """Turns.store calls nothing."""
        done = self.seriatim("refine", "--format=spec", "--settle=1", "--blocks=nonleaf", "--", "java", "-cp", classes(), "Turns")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[2] for line in done.stdout.splitlines() if line.startswith("atomic")], ["Turns.second"])

    def test_a_published_program_beside_the_columns_of_the_papers(self):
        """A program of ours under a name of theirs. The list for the first table leaves out what is cut."""
        program, lists = self.folder / "Velodrome/testcases/Benchmarks/philo", self.folder / "doublechecker-single-run/avd"
        program.mkdir(parents=True)
        (program / "Philo.java").write_text(PROGRAM.replace("Turns", "Philo"))
        subprocess.run(["javac", "-g", "Philo.java"], cwd=program, check=True)
        subprocess.run(["jar", "cf", "philo.jar", "Philo.class"], cwd=program, check=True)
        for kind, more in (("atomicity-specifications", "LPhilo;.increment (Z)V:1(0)\n"), ("iterative-refinement-start", "")):
            (lists / kind).mkdir(parents=True)
            (lists / kind / "philo.txt").write_text("# Philo\nLPhilo;.main ([Ljava/lang/String;)V:69(0)\n" + more)
            (lists / kind / "methodNames.txt").write_text("Ljava/lang/Thread;.run ():742(0)\n")
        done = subprocess.run(["python3", HERE.parent.parent / "bench/papers/programs.py", "--published", self.folder, "--only=philo"],
                              env={**os.environ, "SERIATIM_BUILD": str(BINARY.parent)}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        times, rounds = ([cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()
                         if line.startswith("| philo"))
        self.assertEqual((times[6], times[9], times[14]), ("yes", "613", "yes"), done.stdout)
        self.assertEqual((rounds[1], rounds[3], rounds[4]), ("1 / 1 / 1", "2 / 2 / 2", "-"), done.stdout)

    def test_options_for_java_need_a_program(self):
        trace = self.folder / "trace.std"
        trace.write_text("T0|begin(0)|1\nT0|end(0)|1\n")
        for command in ("compare", "refine"):
            done = self.seriatim(command, "--include=Turns", trace)
            self.assertEqual(done.returncode, 2)
            self.assertIn("needs a program behind '--'", done.stderr)

    def test_a_refinement_ends_without_what_is_violated(self):
        done = self.seriatim("refine", "--format=spec", "--settle=1", "--", "java", "-cp", classes(), "Turns")
        self.assertEqual(done.returncode, 0, done.stderr)
        atomic = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("atomic function")]
        self.assertEqual(atomic, ["Turns.second", "Turns.store"])


if __name__ == "__main__":
    unittest.main()
