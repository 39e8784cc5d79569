"""Where nothing was checked, the report says so, says why as far as that is certain, and --strict
makes it an error."""

import json
import shutil
import subprocess
import unittest

from schemas import RESULT, complaints, strict, validator
from seriatim import BINARY, CLEAN, CUT, RUNTIME, Case, environment

STRICT = validator(strict(RESULT))

ONE_THREAD = """\
T1|begin(a)|1
T1|w(x)|2
T1|end(a)|3
"""

NO_BLOCK = """\
T1|w(x)|1
T2|w(x)|2
"""

APART = """\
T1|begin(a)|1
T1|end(a)|2
T2|begin(b)|3
T2|end(b)|4
"""

LOCKS_ONLY = """\
T1|begin(a)|1
T1|acq(l)|2
T1|rel(l)|3
T1|end(a)|4
T2|acq(l)|5
"""

# Two threads that share a counter; everything else is up to the macros.
PROGRAM = r"""
#include <pthread.h>
#include <unistd.h>
#ifndef PAUSE
#define PAUSE 0
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long counter[2];
extern long *chosen(int index);
static INLINE void add(int index) {
    pthread_mutex_lock(&lock);
    ++*chosen(index);
    pthread_mutex_unlock(&lock);
}
static void *work(void *index) {
    add(index ? 1 : 0);
    return NULL;
}
int main(int argc, char **argv) {
    static pthread_t threads[2];
    (void)argv;
    if (argc == 1) {
        add(0);
        return 0;
    }
    for (int i = 0; i < 2; i++)
        usleep(i * PAUSE), pthread_create(&threads[i], NULL, work, argc > 2 && i ? &counter : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""

LIBRARY = "extern long counter[2]; long *chosen(int index) { return &counter[index]; }\n"


class Traces(Case):
    def check(self, trace, *options):
        self.write("t.std", trace)
        return self.run_here("check", *options, "t.std")

    def assert_unchecked(self, trace, what, *options):
        result = self.check(trace, *options)
        self.assertEqual(result.status, 0)
        self.assertIn(f"t.std: nothing was checked: {what} (witness: ", result.text)
        self.assertNotIn("serializable", result.text)
        self.assertEqual(self.check(trace, "--strict", *options).status, 2)

    def test_what_is_missing(self):
        for trace, what in ((ONE_THREAD, "the trace has only one thread"),
                            (NO_BLOCK, "the trace has no block"),
                            (APART, "the threads of the trace have nothing in common")):
            with self.subTest(what=what):
                self.assert_unchecked(trace, what)

    def test_a_specification_that_selects_nothing(self):
        self.write("s", "atomic function other\n")
        self.assert_unchecked(CLEAN, "the specification calls none of the trace's blocks atomic",
                              "--spec", "s")

    def test_what_was_checked_is_not_called_unchecked(self):
        for trace in (CLEAN, LOCKS_ONLY):
            result = self.check(trace, "--strict")
            self.assertEqual(result.status, 0)
            self.assertIn("serializable", result.text)

    def test_what_was_found_was_checked(self):
        self.assertEqual(self.check(CUT, "--strict").status, 1)

    def test_quiet_and_all_engines(self):
        self.assertIn("nothing was checked", self.check(NO_BLOCK, "--quiet").text)
        self.assertIn("\nNothing was checked: the trace has no block.\n",
                      self.check(NO_BLOCK, "--engine", "all").text)

    def test_json_and_what_is_made_from_it(self):
        result = self.check(NO_BLOCK, "--format", "json").json
        self.assertEqual(result["unchecked"]["what"], "the trace has no block")
        self.assertEqual(result["summary"], "nothing was checked: the trace has no block")
        self.assertEqual(complaints(STRICT, result), [])
        self.write("r.json", json.dumps(result))
        again = self.run_here("report", "--format", "json", "r.json").json
        self.assertEqual(again["unchecked"], result["unchecked"])

    def test_sarif(self):
        notes = self.check(NO_BLOCK, "--format", "sarif").json["runs"][0]["invocations"][0]
        self.assertIn("Nothing was checked: the trace has no block.",
                      [note["message"]["text"] for note in notes["toolExecutionNotifications"]])


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "needs the runtime and gcc")
class Programs(Case):
    def setUp(self):
        super().setUp()
        self.write("program.c", PROGRAM)
        self.write("library.c", LIBRARY)

    def build(self, *flags, words=(str(BINARY), "cc"), library=None):
        """The library is in a file of its own, which may be built in another way."""
        library = library or words
        steps = [[*words, "-g", "-c", "program.c", *flags],
                 [*library, "-g", "-shared", "-fPIC", "library.c", "-o", "libchosen.so"],
                 [*words, "program.o", "-o", "program", "-pthread", "-L.", "-lchosen",
                  "-Wl,-rpath," + str(self.folder)]]
        for step in steps:
            subprocess.run(step, cwd=self.folder, check=True, capture_output=True,
                           env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def watch(self, *words, options=()):
        return self.run_here("run", *options, "./program", *words,
                             env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})

    def assert_unchecked(self, what, *words, options=()):
        """Returns the reasons."""
        result = self.watch(*words, options=options)
        self.assertEqual(result.status, 0, result.message)
        self.assertIn(f"./program: nothing was checked: {what} (witness: ", result.message)
        self.assertEqual(self.watch(*words, options=[*options, "--strict"]).status, 2)
        report = json.loads(self.watch(*words, options=[*options, "--format", "json"]).message)
        self.assertEqual(complaints(STRICT, report), [])
        for reason in report["unchecked"]["reasons"]:
            self.assertIn(reason, result.message)
        self.write("r.json", json.dumps(report))
        again = self.run_here("report", "--format", "json", "r.json").json
        self.assertEqual(again["unchecked"], report["unchecked"])
        return report["unchecked"]["reasons"]

    def test_one_thread(self):
        self.build("-DINLINE=")
        self.assert_unchecked("only one thread ran")

    def test_two_threads_that_do_meet(self):
        self.build("-DINLINE=")
        result = self.watch("x", options=["--strict"])
        self.assertEqual(result.status, 0, result.message)
        self.assertIn(": serializable", result.message)

    def test_two_threads_that_meet_when_the_first_is_forgotten(self):
        """Nothing that the first did can matter any more, so no access is emitted; most often."""
        self.build("-DINLINE=", "-DPAUSE=100000")
        result = self.watch("x", options=["--strict"])
        self.assertEqual(result.status, 0, result.message)
        self.assertIn(": serializable", result.message)

    def test_threads_that_do_not_meet(self):
        self.build("-DINLINE=")
        self.assert_unchecked("no two threads were seen to touch the same memory", "x", "y")

    def test_a_specification_for_another_program(self):
        self.build("-DINLINE=")
        self.write("s", "atomic function other_*\n")
        reasons = self.assert_unchecked("no block ran", "x", options=["--spec", "s"])
        self.assertEqual(len(reasons), 1, reasons)
        self.assertRegex(reasons[0], "^The specification calls none of the functions that ran "
                                     "atomic.*: .*add")

    def test_without_instrumentation(self):
        self.build("-DINLINE=", "-fno-sanitize=thread", library=["gcc"])
        reasons = self.assert_unchecked("no block ran", "x")
        self.assertEqual(len(reasons), 1, reasons)
        self.assertIn(f"{self.folder.resolve()}/libchosen.so were built without instrumentation",
                      reasons[0])
        self.assertIn(f"{self.folder.resolve()}/program ", reasons[0])

    def test_functions_that_were_inlined(self):
        self.build("-DINLINE=inline __attribute__((always_inline))")
        self.write("s", "ignore thread functions\n")
        reasons = self.assert_unchecked("no block ran", "x", options=["--spec", "s"])
        self.assertEqual(reasons, ["add was inlined, so its calls are not seen: build with "
                                   "seriatim-cc or seriatim-c++, or add -fno-inline."])

    def test_system_libraries_are_nobody_s_fault(self):
        self.build("-DINLINE=")
        result = self.watch(options=["--format", "json"])
        self.assertEqual(json.loads(result.message)["coverage"]["uninstrumented"], [])


if __name__ == "__main__":
    unittest.main()
