"""Real programs: built with the compiler wrapper, run, recorded, and compared with what they
expect.

Each program in tests/programs says what seriatim must find in it; the README.md there describes
how. Built here with gcc and with clang at -O0, -O1 and -O2: a few programs in all six
ways, each of the others in one of them, which its name decides: a new program shifts no other.

    SERIATIM_PROGRAMS=all      every program in all six ways
    SERIATIM_PROGRAMS=bank.c   this program in all six ways; names and globs, separated by commas
    SERIATIM_JITTER=3000       each step of the schedule comes up to 3,000 microseconds late
"""

import atexit
import concurrent.futures
import fnmatch
import functools
import itertools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
import zlib

import programs
from seriatim import BINARY, ROOT, SANITIZED, environment

BUILD = BINARY.parent
RUNTIME = BUILD / "runtime" / "libseriatim_rt.so"
FOUND = 66  # the exit status of `run` when the program succeeded and something was found

WAYS = list(itertools.product(("gcc", "clang"), ("-O0", "-O1", "-O2")))
IN_ALL_WAYS = {"bank.c", "inline.c", "memcpy.c", "nested_outer.c"}
JITTER = [f"-DSCHEDULE_JITTER={os.environ['SERIATIM_JITTER']}"] if "SERIATIM_JITTER" in os.environ else []
COMPILING = threading.Lock()


class Failure(Exception):
    pass


@functools.lru_cache(maxsize=None)
def _objects():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-schedules-"))
    atexit.register(shutil.rmtree, folder)
    return folder


@functools.lru_cache(maxsize=None)
def _compile_schedule(source):
    target = _objects() / f"{source}.o"
    subprocess.run(["gcc", "-O1", *JITTER, "-c", programs.FOLDER / source, "-o", target], check=True)
    return target


def schedule_object(source):
    """The code that forces schedules, which is the same for all programs: compiled once."""
    with COMPILING:
        return _compile_schedule(source)


class Job:
    """A variant of a program, built in one of the ways. Commands are run in a folder of its own, so
    that what a failure prints can be typed again in another one."""

    schedule = "schedule.c"

    def __init__(self, variant, compiler, optimize):
        self.variant, self.compiler, self.optimize = variant, compiler, optimize
        self.program = variant.program
        self.commands = []
        self.folder = None

    @property
    def name(self):
        words = [self.program.name, self.compiler, self.optimize.strip("-"), self.variant.name]
        return "_".join(filter(None, words)).replace(".", "_")

    def run(self):
        """Returns everything that is known about what is wrong, or None."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-program-"))
        try:
            self._build()
            problems = self._observe()
        except Failure as failure:
            problems = [str(failure)]
        finally:
            shutil.rmtree(self.folder)
        if not problems:
            return None
        return "\n".join([
            f"{self.program.path}" + (f" ({self.variant.name})" if self.variant.name else ""),
            *("    " + line for problem in problems for line in problem.splitlines()),
            "to repeat:", "    cd $(mktemp -d)", *("    " + line for line in self.commands)])

    def _note(self, *words, **variables):
        """Keeps a command for whoever wants to repeat all this by hand."""
        self.commands.append(shlex.join([f"{k}={v}" for k, v in variables.items()] + [str(word) for word in words]))

    def _command(self, *words, statuses=(0,), **variables):
        """Runs a command that must end with one of these statuses; returns its standard output."""
        words = [str(word) for word in words]
        self._note(*words, **variables)
        done = subprocess.run(words, cwd=self.folder, env=environment(**variables),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode not in statuses:
            raise Failure(f"status {done.returncode} instead of "
                          f"{' or '.join(map(str, statuses))}: {self.commands[-1]}\n"
                          f"{done.stdout}{done.stderr}")
        return done.stdout

    def _build(self):
        wrapper = BUILD / ("seriatim-c++" if self.program.is_cxx else "seriatim-cc")
        variables = {"SERIATIM_CC": self.compiler,
                     "SERIATIM_CXX": {"gcc": "g++", "clang": "clang++"}[self.compiler]}
        flags = ["-g", self.optimize, "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}",
                 *self.program.flags, *self.variant.flags]
        self._note("gcc", "-O1", *JITTER, "-c", programs.FOLDER / self.schedule, "-o", "schedule.o")
        (self.folder / "schedule.o").symlink_to(schedule_object(self.schedule))
        for library in self.program.libraries:
            self._command(wrapper, *flags, "-shared", "-fPIC", library, "-o",
                          library.stem + ".so", **variables)
        self._command(wrapper, *flags, self.program.path, "schedule.o", "-o", "program", "-pthread",
                      **variables)

    def _specify(self):
        """The options for `run` and `record` that say what should be atomic."""
        if not self.variant.spec:
            return []
        (self.folder / "spec").write_text(self.variant.specification)
        self.commands.append(shlex.join(["printf", r"%s\n", *self.variant.spec]) + " >spec")
        return ["--spec", "spec"]

    def _watching(self):
        """The options for `run` and `record`."""
        return self._specify()

    def _program(self):
        """The program, and its arguments."""
        return ["./program"]

    def _observe(self):
        """What is wrong with what `run` found, and with what `check` finds in a recording."""
        options = self._watching()
        relation = ["--locks"] if self.variant.relation == "locks" else []
        silent = self.variant.expected.none
        output = self._command(BINARY, "run", *options, *relation, "--format", "json", "--log",
                               "run.json", "--", *self._program(),
                               statuses=(0 if silent else FOUND,))
        ran = self._json((self.folder / "run.json").read_text())
        problems = programs.Comparison(self.variant, ran).problems
        if output != "ok\n":
            problems.append(f"the program printed {output!r} under run")

        output = self._command(BINARY, "record", "-o", "trace.stt", *options, "--",
                               *self._program())
        if output != "ok\n":
            problems.append(f"the program printed {output!r} under record")
        problems += self._races()
        checked = self._json(self._command(BINARY, "check", *relation, "--format", "json",
                                           "--limit", 0, "trace.stt", statuses=(0, 1)))
        problems += self._steps(ran) + self._steps(checked)
        problems += ["check of the recording: " + problem for problem in
                     programs.Comparison(self.variant, checked).problems]
        here, there = programs.violated_names(ran), programs.violated_names(checked)
        if here != there:
            problems.append(f"run found {sorted(here)} violated, check in the recording "
                            f"{sorted(there)}")
        if ran.get("serializable") != checked.get("serializable"):
            problems.append(f"run says serializable: {ran.get('serializable')}, check of the "
                            f"recording {checked.get('serializable')}")

        problems += self._reduced(options, relation, checked)
        self._command(BINARY, "convert", "-q", "trace.stt", "trace.std")
        converted = self._json(self._command(BINARY, "check", f"--{self.variant.relation}",
                                             "--format", "json", "--limit", 0, "trace.std",
                                             statuses=(0, 1)))
        here, there = programs.violated_names(checked), programs.violated_names(converted)
        if here != there:
            problems.append(f"check found {sorted(here)} violated in the recording, and "
                            f"{sorted(there)} when it was converted to text")
        return problems

    def _reduced(self, options, relation, complete):
        """What is wrong with what `check` finds in a recording that defers accesses."""
        self._command(BINARY, "record", "--reduced", "-o", "reduced.stt", *options, "--", *self._program())
        checked = self._json(self._command(BINARY, "check", *relation, "--format", "json", "--limit", 0,
                                           "reduced.stt", statuses=(0, 1)))
        problems = self._steps(checked) + programs.Comparison(self.variant, checked).problems
        here, there = programs.violated_names(complete), programs.violated_names(checked)
        if here != there:
            problems.append(f"check found {sorted(here)} violated in the complete recording, and {sorted(there)}")
        if complete.get("serializable") != checked.get("serializable"):
            problems.append(f"serializable: {checked.get('serializable')}, and the complete recording "
                            f"{complete.get('serializable')}")
        return ["check of the reduced recording: " + problem for problem in problems]

    def _steps(self, result):
        """Without lock order, a path never leads from a release to an acquire."""
        if result["relation"] != self.variant.relation:
            return [f"checked by {result['relation']} instead of {self.variant.relation}"]
        if self.variant.relation == "locks":
            return []
        return [f"{violation['block']} is violated by an edge over a lock: {edge}"
                for violation in result["violations"] for edge in violation["path"]
                if edge["kind"] == "lock" or edge["on"].endswith(("[lock]", "[read]", "[write]"))]

    def _races(self):
        """What is wrong with the races in the recording: only racy programs have any."""
        races = self._json(self._command(BINARY, "stats", "--format", "json", "trace.stt"))["races"]
        if races["accesses"] and not self.variant.racy:
            return [f"the recording of a race-free program has races: {races['pairs']}"]
        if self.variant.racy:
            return programs.racing_problems(self.variant, races)
        return []

    def _json(self, text):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise Failure(f"no JSON ({error}) from: {self.commands[-1]}\n{text}") from error


def select(all_programs, wish):
    """The jobs that SERIATIM_PROGRAMS asks for."""
    jobs = []
    wishes = [word for word in wish.split(",") if word]
    for program in all_programs:
        if wishes not in ([], ["all"]):
            if not any(fnmatch.fnmatchcase(program.name, word) for word in wishes):
                continue
            ways = WAYS
        elif wishes or program.name in IN_ALL_WAYS:
            ways = WAYS
        else:
            ways = [WAYS[zlib.crc32(program.name.encode()) % len(WAYS)]]
        jobs += [Job(variant, *way) for way in ways for variant in program.variants]
    return jobs


class Ahead:
    """Runs jobs in the order of the tests, a few ahead of the current test."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.workers = os.cpu_count() or 2
        self.futures = {}
        self.executor = None

    def wait(self, job):
        self.executor = self.executor or concurrent.futures.ThreadPoolExecutor(self.workers)
        first = self.jobs.index(job)
        for other in self.jobs[first:first + 2 * self.workers]:
            if other not in self.futures:
                self.futures[other] = self.executor.submit(other.run)
        return self.futures[job].result()


def make_test(ahead, job):
    def test(self):
        report = ahead.wait(job)
        if report:
            self.fail(report)
    return test


@unittest.skipUnless(RUNTIME.exists(), f"there is no runtime yet: {RUNTIME.relative_to(ROOT)}"
                     if RUNTIME.is_relative_to(ROOT) else f"there is no runtime: {RUNTIME}")
class Programs(unittest.TestCase):
    """A test for each job; see the top of the file."""


def shorten(jobs):
    """With sanitizers: each program with its bug, in one way. Twins and other ways show what the
    compilers and the runtime do, which have no sanitizers."""
    first = {}
    for job in jobs:
        if job.variant.name != "fixed":
            first.setdefault((job.program.name, job.variant.name), job)
    return list(first.values())


WISH = os.environ.get("SERIATIM_PROGRAMS", "")
JOBS = sorted(select(programs.all_programs(), WISH), key=lambda job: job.name)
if SANITIZED and not WISH:
    JOBS = shorten(JOBS)
AHEAD = Ahead(JOBS)
for one in JOBS:
    setattr(Programs, f"test_{one.name}", make_test(AHEAD, one))


# ---- The harness itself -------------------------------------------------------------------------

EXAMPLE = """\
// A program.
//
// SPEC atomic function move
// EXPECT violated: move
// EXPECT maybe: std::*
// EXPECT cut-by: look peek
// EXPECT on: purse
// EXPECT line: move @out @in
// EXPECT runs: move 1/2
// TWIN -DFIXED
// SPEC-FIXED none
// EXPECT-FIXED none
int main(void) {
    lock(&purse);   // @in
    unlock(&purse); // @out
    return 0;
}
"""


def event(thread, function, line, *callers):
    return {"event": 1, "thread": thread, "op": "", "function": function, "loc": f"dir/p.c:{line}",
            "stack": [{"function": name, "loc": place} for name, place in callers]}


def finding():
    """What EXAMPLE expects."""
    path = [{"from": event("T1", "move", 15), "kind": "conflict", "on": "purse.coins",
             "to": event("T2", "acquire", 30, ("look", "p.c:40"))},
            {"from": event("T2", "release", 31, ("look", "p.c:41")), "kind": "conflict",
             "on": "purse.coins", "to": event("T1", "helper", 99, ("move", "/tmp/p.c:14"))}]
    return {"serializable": False, "relation": "data",
            "violations": [{"block": "move", "thread": "T1", "path": path}],
            "blocks": [{"name": "move", "executed": 2, "violated": 1},
                       {"name": "look", "executed": 1, "violated": 0}]}


FAKE_COMPILER = """\
#!/bin/sh
while [ $# -gt 1 ]; do shift; done; [ "$1" = -pthread ]
"""
FAKE_SERIATIM = """\
#!/bin/sh
case "$1" in
run) cat "$0.json" >run.json; echo ok; exit 66 ;;
record) echo ok ;;
convert) ;;
stats) cat "$0-stats.json" ;;
check) cat "$0.json"; exit 1 ;;
esac
"""


class Harness(unittest.TestCase):
    """The comments in programs are understood, and the comparison with them finds every difference."""

    def program(self, text, name="p.c"):
        holder = tempfile.TemporaryDirectory(prefix="seriatim-test-")
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name) / name
        path.write_text(text)
        return programs.Program(path)

    def problems(self, result, fixed=False):
        return programs.Comparison(self.program(EXAMPLE).variants[fixed], result).problems

    def assert_mistake(self, text, message):
        with self.assertRaisesRegex(programs.Mistake, message):
            self.program(text)

    def report(self, result, text=EXAMPLE, racing=()):
        """The report on EXAMPLE, with a compiler and a seriatim that only pretend."""
        program = self.program(text)
        folder = program.path.parent
        races = {"accesses": len(racing), "pairs": [{"variable": name} for name in racing]}
        (folder / "seriatim.json").write_text(json.dumps(result))
        (folder / "seriatim-stats.json").write_text(json.dumps({"races": races}))
        for name, script in (("seriatim-cc", FAKE_COMPILER), ("seriatim", FAKE_SERIATIM)):
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        with unittest.mock.patch.multiple(__name__, BUILD=folder, BINARY=folder / "seriatim"):
            return Job(program.variants[0], "clang", "-O1").run()

    def test_every_program_is_understood_and_has_a_twin_or_is_silent(self):
        for program in programs.all_programs():
            with self.subTest(program=program.name):
                names = [variant.name for variant in program.variants if variant.name != "locks"]
                if program.name.startswith("silent_"):
                    self.assertEqual(names, [""])
                    self.assertTrue(program.variants[0].expected.none)
                else:
                    self.assertEqual(names, ["", "fixed"])
                    self.assertFalse(program.variants[0].expected.none)
                    last = program.variants[-1].expected
                self.assertTrue(last.none or last.by_design)

    def test_every_wish_is_known(self):
        names = {program.name for program in programs.all_programs()}
        self.assertLessEqual(IN_ALL_WAYS, names)
        self.assertTrue(JOBS, "SERIATIM_PROGRAMS names no program")

    def test_the_programs_that_are_not_built_in_all_ways_are_spread_over_them(self):
        jobs = select(programs.all_programs(), "")
        ways = {(job.compiler, job.optimize) for job in jobs
                if job.program.name not in IN_ALL_WAYS}
        self.assertEqual(ways, set(WAYS))
        self.assertEqual(len(select(programs.all_programs(), "all")),
                         len(WAYS) * sum(len(p.variants) for p in programs.all_programs()))
        self.assertEqual({job.program.name for job in select(programs.all_programs(), "bank.c")},
                         {"bank.c"})

    def test_with_sanitizers_each_program_is_built_once_with_its_bug(self):
        jobs = shorten(select(programs.all_programs(), "all"))
        self.assertEqual(len(jobs), len({(job.program.name, job.variant.name) for job in jobs}))
        self.assertEqual({job.program.name for job in jobs},
                         {program.name for program in programs.all_programs()})
        self.assertNotIn("fixed", {job.variant.name for job in jobs})

    def test_a_twin_has_its_own_flags_specification_and_expectations(self):
        bug, twin = self.program(EXAMPLE).variants
        self.assertEqual((bug.flags, bug.specification), ([], "atomic function move\n"))
        self.assertEqual((twin.flags, twin.specification), (["-DFIXED"], ""))
        self.assertTrue(twin.expected.none)

    def test_what_is_expected_is_no_problem(self):
        self.assertEqual(self.problems(finding()), [])

    def test_a_block_that_was_not_found(self):
        result = finding()
        result["violations"] = []
        result["blocks"][0]["violated"] = 0
        self.assertIn("'move' was not found to be violated", self.problems(result))

    def test_a_block_too_many(self):
        result = finding()
        result["blocks"][1]["violated"] = 1
        self.assertEqual(self.problems(result), ["'look' was found to be violated, and is not"])
        result["blocks"][1]["name"] = "std::look"
        self.assertEqual(self.problems(result), [])

    def test_another_intruder(self):
        result = finding()
        for edge, end in ((0, "to"), (1, "from")):
            result["violations"][0]["path"][edge][end]["stack"][0]["function"] = "lookup"
        self.assertEqual(self.problems(result),
                         ["no path leads through look or peek in another thread"])

    def test_another_variable(self):
        result = finding()
        for edge in result["violations"][0]["path"]:
            edge["on"] = "purses"
        self.assertEqual(self.problems(result), ["no path leads over purse; there are: purses"])

    def test_another_line(self):
        result = finding()
        result["violations"][0]["path"][0]["from"]["loc"] = "dir/p.c:151"
        self.assertEqual(self.problems(result), ["no path of 'move' has all of these places: "
                                                 "@out = p.c:15; @in = p.c:14"])

    def test_another_count(self):
        result = finding()
        result["blocks"][0]["executed"] = 3
        self.assertEqual(self.problems(result),
                         ["'move' was violated in 1 of 3 runs, expected 1 of 2"])

    def test_a_cycle_is_not_nothing(self):
        self.assertEqual(self.problems({"serializable": True}, fixed=True), [])
        self.assertEqual(self.problems({"serializable": False}, fixed=True),
                         ["the run was found not to be serializable, and is"])

    def test_a_cycle_goes_through_functions(self):
        cycle = [{"from": event("T1", "left", 1), "to": event("T2", "right", 2), "on": "x"}]
        result = {"serializable": False, "violations": [], "cycle": cycle}
        variant = self.program("// EXPECT cycle: left right\n").variants[0]
        self.assertEqual(programs.Comparison(variant, result).problems, [])
        cycle[0]["to"]["function"] = "wrong"
        self.assertEqual(programs.Comparison(variant, result).problems,
                         ["the cycle does not go through 'right'"])
        self.assertEqual(programs.Comparison(variant, {"serializable": True}).problems[0],
                         "the run was not found to be non-serializable")

    def test_memory_by_the_line_that_allocated_it(self):
        variant = self.program("// EXPECT violated: f\n// EXPECT on: @alloc\n"
                               "x = malloc(1); // @alloc\n").variants[0]
        result = finding()
        result["violations"][0]["block"] = result["blocks"][0]["name"] = "f"
        self.assertTrue(programs.Comparison(variant, result).problems)
        result["violations"][0]["path"][0]["on"] = "heap block from src/p.c:3, byte 0"
        self.assertEqual(programs.Comparison(variant, result).problems, [])

    def test_mistakes_in_programs_are_named(self):
        self.assert_mistake("// EXPECTS none\n", r"p\.c:1: 'EXPECTS' is not known")
        self.assert_mistake("// EXPECT\n", r"p\.c:1: 'EXPECT ' says nothing")
        self.assert_mistake("// EXPECT seen: f\n", r"p\.c:1: 'EXPECT seen: f' is not known")
        self.assert_mistake("// EXPECT runs: f\n", "not 'runs: BLOCK VIOLATED/EXECUTED'")
        self.assert_mistake("// EXPECT harm: pain\n", "'EXPECT harm: pain' is no harm that is known")
        self.assert_mistake("// EXPECT none\n// EXPECT harm: crash\n", "nothing is to be found")
        self.assert_mistake("// EXPECT harm: none\n", "expected is one of")
        self.assert_mistake("int x;\n", "expected is one of: none, violated, cycle")
        self.assert_mistake("// EXPECT none\n// EXPECT violated: f\n", "expected is one of")
        self.assert_mistake("// EXPECT none\n// EXPECT on: x\n", "nothing is to be found, and yet")
        self.assert_mistake("// EXPECT violated: f\n// EXPECT line: f @out\n", "@out marks no line")
        self.assert_mistake("// EXPECT none\n// EXPECT-FIXED none\n", "there is no TWIN")

    def test_one_block_or_another(self):
        variant = self.program("// EXPECT violated: move|look\n// EXPECT maybe: peek\n").variants[0]
        for name, problems in (("move", 0), ("look", 0), ("peek", 1), ("other", 2)):
            blocks = [{"name": name, "executed": 1, "violated": 1}]
            result = {"serializable": False, "violations": [], "blocks": blocks}
            self.assertEqual(len(programs.Comparison(variant, result).problems), problems)

    def test_harm(self):
        expected = self.program("// EXPECT harm: deadlock\n// EXPECT harm: status 3\n").variants[0].expected
        for status, output, done in ((None, "", True), (3, "", True), (1, "", False), (0, "", False),
                                     (-11, "", False)):
            self.assertEqual(programs.is_expected_harm(expected, status, output), done)
        self.assertEqual(programs.harm_done(-6, "a.c:1: f: Assertion `x' failed."), "assert")
        self.assertEqual(programs.harm_done(-6, "terminate called"), "crash")
        self.assertEqual(programs.harm_done(0, ""), "none")

    def test_a_program_that_does_what_it_says_is_no_report(self):
        self.assertIsNone(self.report(finding()))

    def test_a_race_where_there_should_be_none(self):
        lines = self.report(finding(), racing=["purse"]).splitlines()
        self.assertEqual(lines[1], "    the recording of a race-free program has races: "
                                   "[{'variable': 'purse'}]")

    def test_a_racy_program_races_where_it_says(self):
        racy = EXAMPLE + "// RACY on purpose\n"
        for racing, problem in (
                ([], "the recording of a racy program has no race"),
                (["purses"], "no race on purse; there are: purses")):
            self.assertIn("    " + problem, self.report(finding(), racy, racing).splitlines())
        self.assertIsNone(self.report(finding(), racy, ["other", "purse[3]"]))

    def test_a_report_has_the_difference_and_the_commands(self):
        result = finding()
        result["blocks"][1]["violated"] = 1
        lines = self.report(result).splitlines()
        self.assertRegex(lines[0], r"/p\.c$")
        self.assertEqual(lines[1], "    'look' was found to be violated, and is not")
        self.assertEqual(lines[2], lines[1].replace("    ", "    check of the recording: ", 1))
        self.assertEqual(lines[3], lines[1].replace("    ", "    check of the reduced recording: ", 1))
        self.assertEqual(lines[4:6], ["to repeat:", "    cd $(mktemp -d)"])
        self.assertRegex(lines[7], r"^    SERIATIM_CC=clang SERIATIM_CXX=clang\+\+ /\S+/seriatim-cc "
                                   r"-g -O1 .* /\S+/p\.c schedule\.o -o program -pthread$")
        self.assertEqual(lines[8], r"    printf '%s\n' 'atomic function move' >spec")
