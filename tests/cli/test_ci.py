"""docs/ci.md: with its script, a build with an old finding passes and one with a new finding fails.
Also: `run` with suppressions and a baseline."""

import json
import os
import re
import shutil
import subprocess
import unittest

import yaml

from schemas import RESULT, SARIF, complaints, strict, validator
from seriatim import BINARY, ROOT, RUNTIME, Case, environment

# One thread updates a counter in two steps, another sets it in between. They take turns through a
# number that is not instrumented, so that every run has the same interleaving.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn(void) {
    __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *total;

__attribute__((noinline)) int get(void) {
    pthread_mutex_lock(&lock);
    int value = *total;
    pthread_mutex_unlock(&lock);
    return value;
}

__attribute__((noinline)) void set(int value) {
    pthread_mutex_lock(&lock);
    *total = value;
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void increase(int cut) {
    int value = get();
    next_turn();
    wait_for(cut);
    set(value + 1);
}

#ifdef NEW
__attribute__((noinline)) void decrease(int cut) {
    int value = get();
    next_turn();
    wait_for(cut);
    set(value - 1);
}
#endif

static void *other(void *argument) {
    wait_for(1);
    set(7);
    next_turn();
#ifdef NEW
    wait_for(3);
    set(8);
    next_turn();
#endif
    return argument;
}

int main(int argc, char **argv) {
    pthread_t thread;
    total = calloc(1, sizeof *total);
    pthread_create(&thread, NULL, other, NULL);
    increase(2);
#ifdef NEW
    decrease(4);
#endif
    pthread_join(thread, NULL);
    return argc > 1 ? atoi(argv[1]) : 0;
}
"""

MAKEFILE = """\
program: program.c
\t$(CC) $(CFLAGS) $(MORE) -pthread program.c -o program
check: program
\t./program
.PHONY: check
"""
SHIPPED = ROOT / "docs" / "ci"


def documented(start):
    blocks = re.findall(r"^```\w*\n(.*?)^```$", (ROOT / "docs/ci.md").read_text(), re.M | re.S)
    [block] = [block for block in blocks if block.startswith(start)]
    return block


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc") and shutil.which("make"),
                     "there is no runtime in this build, or no gcc or make")
class CiCase(Case):
    def setUp(self):
        super().setUp()
        self.write("program.c", PROGRAM)
        self.write("Makefile", MAKEFILE)
        shutil.copy(SHIPPED / "atomicity.sh", self.folder)
        shutil.copy(SHIPPED / "hunt.sh", self.folder)
        self.env = environment(SERIATIM_RUNTIME_DIR=str(RUNTIME),
                               PATH=f"{BINARY.parent}:{os.environ['PATH']}")

    def shell(self, text, **changes):
        return subprocess.run(["sh", "-c", text], cwd=self.folder, env={**self.env, **changes},
                              capture_output=True, text=True, check=False)

    def build(self, more=""):
        (self.folder / "program").unlink(missing_ok=True)
        made = self.shell('make CC=seriatim-cc CFLAGS="-g -O1"', MORE=more)
        self.assertEqual(made.returncode, 0, made.stderr)

    def run_program(self, *options, words=()):
        return self.run_here("run", *options, "./program", *words,
                             env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})

    def save(self, name, *options):
        self.run_program("--format", "json", "--log", name, *options)
        return json.loads((self.folder / name).read_text())

    def prints(self, name):
        return {v["block"]: v["fingerprint"] for v in self.save(name)["violations"]}


class HuntingScript(CiCase):
    def hunt_in(self, source):
        """Runs the script on one program."""
        shutil.rmtree(self.folder / "test-programs", ignore_errors=True)
        self.write("atomicity.supp", "")
        self.write("Makefile", f"all:\n\tmkdir test-programs\n"
                               f"\t$(CC) $(CFLAGS) -pthread {source} -o test-programs/bank\n")
        return self.shell("set -e\n" + documented("$ make").replace("$ ", ""))

    def test_a_bug_fails_and_leaves_a_schedule_and_its_repair_passes(self):
        faulty = self.hunt_in(ROOT / "examples" / "bank.c")
        self.assertEqual(faulty.returncode, 1, faulty.stdout + faulty.stderr)
        schedule, *_ = (self.folder / "schedules").glob("bank-*.schedule")
        log = json.loads((self.folder / "bank.sarif").read_text())
        self.assertEqual(complaints(validator(SARIF), log), [])
        self.assertIn(f"schedules/{schedule.name}", json.dumps(log))
        repaired = self.hunt_in(ROOT / "examples" / "bank-fixed.c")
        self.assertEqual(repaired.returncode, 0, repaired.stdout + repaired.stderr)


class Workflows(CiCase):
    """docs/ci/*.yml: what can be run without the network and without their machines is run."""

    def setUp(self):
        super().setUp()
        self.github = yaml.safe_load((SHIPPED / "github.yml").read_text())["jobs"]["atomicity"]
        self.gitlab = yaml.safe_load((SHIPPED / "gitlab.yml").read_text())["atomicity"]

    def steps(self):
        """All shell commands of both."""
        return ([step["run"] for step in self.github["steps"] if "run" in step],
                [*self.gitlab["before_script"], *self.gitlab["script"]])

    def test_every_command_is_shell(self):
        for steps in self.steps():
            for step in steps:
                done = subprocess.run(["sh", "-n"], input=step, text=True, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), step)

    def test_what_they_make_and_install_is_what_the_makefile_makes(self):
        targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.M)
        cpack = (ROOT / "cmake/package.cmake").read_text()
        self.assertIn("set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)", cpack)
        for steps in self.steps():
            text = "\n".join(steps)
            self.assertEqual([name in targets for name in re.findall(r"make -C \S+ (\w+)", text)], [True])
            self.assertIn("/build/packages/seriatim_*.deb", text)
            self.assertIn("sh atomicity.sh", text)

    def run_check(self, step, variables):
        """The step that checks, with the variables of its job, on a program with a bug."""
        (self.folder / "program").unlink(missing_ok=True)
        names = {name: value for name, value in variables.items() if "${{" not in value}
        return self.shell(step, **names)

    def test_the_step_that_checks_fails_and_leaves_what_is_kept(self):
        [step] = [step["run"] for step in self.github["steps"] if step.get("name") == "Check atomicity"]
        *_, upload, keep = self.github["steps"]
        kept = [upload["with"]["sarif_file"], *keep["with"]["path"].split()]
        for script, variables, files in [
                (step, self.github["env"], kept),
                ("\n".join(self.gitlab["script"]), self.gitlab["variables"], self.gitlab["artifacts"]["paths"])]:
            done = self.run_check(script, variables)
            # make fails if the program does, which it does not; 66: something was found.
            self.assertEqual(done.returncode, 66, done.stdout + done.stderr)
            self.assertIn("increase was not atomic", done.stdout)
            for name in set(files):
                (self.folder / name).unlink()  # so it was there

    def test_files_are_kept_even_if_it_fails(self):
        *_, upload, keep = self.github["steps"]
        self.assertIn("always()", upload["if"])
        self.assertIn("always()", keep["if"])
        self.assertEqual(self.gitlab["artifacts"]["when"], "always")
        self.assertEqual(self.github["permissions"]["security-events"], "write")

    def test_the_text_names_every_file_that_is_shipped(self):
        text = (ROOT / "docs/ci.md").read_text()
        for path in SHIPPED.iterdir():
            self.assertIn(f"](ci/{path.name})", text)


class Script(CiCase):
    def make_baseline(self):
        self.build()
        done = self.shell(documented("seriatim run --format json --log atomicity-baseline.json"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_script(self, more=""):
        (self.folder / "program").unlink(missing_ok=True)
        return self.shell(documented("$ TEST=")[2:], MORE=more)

    def test_an_old_finding_passes_and_a_new_one_fails(self):
        self.make_baseline()
        old = self.run_script()
        self.assertEqual(old.returncode, 0, old.stdout + old.stderr)
        self.assertRegex(old.stdout, r"Compared with atomicity-baseline\.json: 0 new findings, \d known")
        self.write("program.c", "// moved\n\n\n" + PROGRAM)  # which changes every line
        moved = self.run_script()
        self.assertEqual(moved.returncode, 0, moved.stdout + moved.stderr)
        new = self.run_script("-DNEW")
        self.assertEqual(new.returncode, 66, new.stdout + new.stderr)
        self.assertIn("decrease was not atomic", new.stdout)
        self.assertNotIn("increase was not atomic", new.stdout)

    def test_its_sarif_is_valid_and_says_what_is_new(self):
        self.make_baseline()
        self.run_script("-DNEW")
        log = json.loads((self.folder / "atomicity.sarif").read_text())
        self.assertEqual(complaints(validator(SARIF), log), [])
        states = {result["message"]["text"].split()[0]: result["baselineState"]
                  for result in log["runs"][0]["results"]}
        self.assertEqual((states["increase"], states["decrease"]), ("unchanged", "new"))
        uris = set(re.findall(r'"uri": "([^"]*program\.c)"', json.dumps(log)))
        self.assertEqual(uris, {"program.c"})
        self.assertTrue((self.folder / "atomicity.html").exists())

    def test_a_suppression_lets_it_pass(self):
        self.make_baseline()
        self.write("atomicity.supp", "suppress function decrease by set because nobody looks\n")
        done = self.run_script("-DNEW")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\natomicity\.supp:1 +\d+ +nobody looks\n")

    def test_a_program_that_fails_fails(self):
        self.make_baseline()
        self.assertEqual(self.shell("sh atomicity.sh", TEST="./program 3").returncode, 3)

    def test_it_needs_neither_a_baseline_nor_suppressions(self):
        done = self.run_script()
        self.assertEqual(done.returncode, 66, done.stdout + done.stderr)
        self.assertIn("increase was not atomic", done.stdout)

    def test_the_printed_line_is_real(self):
        command = "$ seriatim check --print-suppressions bank.std\n"
        printed = self.run_here("check", "--print-suppressions", ROOT / "tests/traces/bank.std").text
        self.assertEqual(documented(command)[len(command):], printed)

    def test_the_suppressions_can_be_read(self):
        self.write("s", documented("# The bank.\n"))
        answer = self.run_here("check", "--suppressions", "s", "--format", "json",
                               ROOT / "tests/traces/bank.std")
        self.assertEqual(len(answer.json["suppressions"]), 4)


class Run(CiCase):
    def test_fingerprints_are_the_same_in_each_run_and_each_build(self):
        self.build()
        first = self.prints("1.json")
        self.assertIn("increase", first)
        self.assertEqual(self.prints("2.json"), first)
        self.write("program.c", "\n" * 40 + PROGRAM)
        self.build()
        self.assertEqual(self.prints("3.json"), first)
        self.write("program.c", PROGRAM.replace("increase", "raise_it"))
        self.build()
        self.assertNotIn(first["increase"], self.prints("4.json").values())

    def test_its_json_is_as_the_schema_says(self):
        self.build()
        self.assertEqual(complaints(validator(strict(RESULT)), self.save("r.json")), [])

    def test_the_status(self):
        self.build()
        self.save("old.json")
        self.assertEqual(self.run_program().status, 66)
        self.assertEqual(self.run_program("--baseline", "old.json").status, 0)
        self.assertEqual(self.run_program("--baseline", "old.json", words=["3"]).status, 3)
        log = json.loads(self.run_program("--format", "sarif").err)
        self.assertEqual(log["runs"][0]["invocations"][0]["exitCode"], 66)
        log = json.loads(self.run_program("--format", "sarif", words=["3"]).err)
        self.assertEqual(log["runs"][0]["invocations"][0]["exitCode"], 3)

    def test_printed_suppressions_match_what_is_found_again(self):
        self.build("-DNEW")
        self.run_program("--print-suppressions", "--log", "s")
        text = (self.folder / "s").read_text()
        self.assertIn("suppress function decrease file program.c by set because TODO", text)
        self.assertEqual(self.run_program("--suppressions", "s").status, 0)

    def test_trouble_with_the_files_comes_before_the_program_runs(self):
        self.build()
        self.write("bad", "what\n")
        for options in (["--suppressions", "bad"], ["--baseline", "bad"], ["--baseline", "none"],
                        ["--first", "--suppressions", "atomicity.supp"]):
            answer = self.run_program(*options, words=["5"])
            self.assertEqual(answer.status, 2, options)
