"""What reports call memory, threads and accesses. tests/programs/names_* has more about memory."""

import json
import shutil
import subprocess
import unittest

import programs
from seriatim import BINARY, RUNTIME, Case, environment

# Two threads that the program has named; a library without debug information and instrumentation
# gets the memory of `conn`.
PROGRAM = r"""
#define _GNU_SOURCE
#include "schedule.h"
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

void *grab(size_t size);
struct conn {
    pthread_mutex_t lock;
    long used;
};
static struct conn *conn;
static _Atomic int hits;

static BLOCK struct conn *make(void) {
    struct conn *made = grab(sizeof *made);
    memset(made, 0, sizeof *made);
    return made;
}
static BLOCK void set(long value) {
    pthread_mutex_lock(&conn->lock);
    conn->used = value;
    pthread_mutex_unlock(&conn->lock);
}
static BLOCK void use(void) {
    pthread_mutex_lock(&conn->lock);
    long value = conn->used;
    pthread_mutex_unlock(&conn->lock);
    step(1);
    step(4);
    set(value + 1);
}
static BLOCK void hit(void) {
    int value = atomic_load(&hits);
    step(5);
    step(8);
    atomic_store(&hits, value + 1);
}
static void *work(void *name) {
    prctl(PR_SET_NAME, name);
    use();
    hit();
    return NULL;
}
static void *idle(void *name) {
    pthread_setname_np(pthread_self(), name);
    step(2);
    set(5);
    step(3);
    step(6);
    atomic_fetch_add(&hits, 1);
    step(7);
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t one, two;
    conn = make();
    check(argc == 3);
    check(pthread_create(&one, NULL, work, argv[1]) == 0);
    check(pthread_create(&two, NULL, idle, argv[2]) == 0);
    check(pthread_join(one, NULL) == 0);
    check(pthread_join(two, NULL) == 0);
    return 0;
}
"""

LIBRARY = r"""
#include <stdlib.h>
void *grab(size_t size);
void *grab(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        abort();
    return memory;
}
"""


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "there is no runtime in this build, or no gcc")
class Names(Case):
    def setUp(self):
        super().setUp()
        self.write("program.c", PROGRAM)
        self.write("grab.c", LIBRARY)
        self.command("gcc", "-O2", "-fPIC", "-shared", "grab.c", "-o", "libgrab.so")
        self.command("gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        self.command(BINARY, "cc", "-g", "-O1", f"-I{programs.FOLDER}", "program.c", "schedule.o", "-L.", "-lgrab",
                     f"-Wl,-rpath,{self.folder}", "-o", "program", "-pthread")

    def command(self, *words):
        subprocess.run(words, cwd=self.folder, check=True, env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)))

    def result(self, *options, names=("worker-3", "idle")):
        self.run_here("run", *options, "--format", "json", "--log", "result.json", "./program", *names,
                      env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
        return json.loads((self.folder / "result.json").read_text())

    def steps(self, block, *options, **more):
        [cut] = [cut for cut in self.result(*options, **more)["violations"] if cut["block"] == block]
        return [step for step in cut["story"]["steps"] if "action" in step]

    def test_threads_have_the_names_that_the_program_gave_them(self):
        self.assertEqual({step["thread"] for step in self.steps("use")}, {"worker-3", "idle"})

    def test_a_recording_knows_these_names(self):
        self.run_here("record", "-q", "-o", "trace.stt", "./program", "worker-3", "idle",
                      env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
        self.run_here("convert", "-q", "trace.stt", "copy.stt")
        for trace in ("trace.stt", "copy.stt"):
            checked = json.loads(self.run_here("check", "--format", "json", trace).out)
            [cut] = [cut for cut in checked["violations"] if cut["block"] == "use"]
            self.assertEqual({step["thread"] for step in cut["story"]["steps"] if "action" in step},
                             {"worker-3", "idle"})

    def test_paths_that_the_compiler_cut_off_start_at_the_root(self):
        """-ffile-prefix-map: such a path stays as it is, and is found from the root of the sources."""
        (self.folder / "src").mkdir()
        (self.folder / "program.c").rename(self.folder / "src" / "program.c")
        self.command(BINARY, "cc", "-g", "-O1", f"-I{programs.FOLDER}", f"-ffile-prefix-map={self.folder}/=",
                     f"{self.folder}/src/program.c", "schedule.o", "-L.", "-lgrab",
                     f"-Wl,-rpath,{self.folder}", "-o", "program", "-pthread")
        result = self.result("--source-root", ".")
        cuts = [cut for cut in result["violations"] if cut["block"] == "use"]
        self.assertRegex(cuts[0]["cause"]["left"], r"^src/program\.c:\d+$")
        sarif = json.loads(self.run_here("report", "--format", "sarif", "--source-root", ".", "result.json").out)
        places = {location["physicalLocation"]["artifactLocation"]["uri"]
                  for found in sarif["runs"][0]["results"] for location in found["locations"]}
        self.assertEqual(places, {"src/program.c"})
        text = self.run_here("report", "--format", "text", "--source-root", ".", "result.json").out.decode()
        self.assertIn("src/program.c:27  static BLOCK void use(void) {", text)

    def test_equal_names_get_a_number_too(self):
        names = {step["thread"] for step in self.steps("use", names=("same", "same"))}
        self.assertEqual(names, {"same (T1)", "same (T2)"})
        names = {step["thread"] for step in self.steps("use", names=("T2", "main"))}
        self.assertEqual(names, {"T2 (T1)", "main (T2)"})

    def test_threads_without_a_name_have_a_number_and_a_function(self):
        names = {step["thread"] for step in self.steps("use", names=("", ""))}
        self.assertEqual(names, {"T1 (work)", "T2 (idle)"})

    def test_what_only_hands_out_memory_can_be_named(self):
        place = r"from program\.c:\d+ \(make\)"
        for step in self.steps("use", "--allocator", "gr?b")[1:]:
            self.assertRegex(step["action"], rf"conn->used {place}$")
            self.assertRegex(step["holding"], rf"^holding conn->lock {place}$")
        for step in self.steps("use", "--allocator", "other")[1:]:
            self.assertRegex(step["action"], r"conn->used from libgrab\.so\+0x\w+ \(grab\)")

    def test_atomic_accesses_are_called_so(self):
        actions = [step["action"] for step in self.steps("hit")[1:]]
        self.assertEqual(actions, ["atomically read hits", "atomically wrote hits", "atomically wrote hits"])
        self.assertNotIn("atomically", json.dumps(self.steps("use")))

    def test_a_saved_result_says_the_same(self):
        self.result()
        saved = json.loads((self.folder / "result.json").read_text())
        again = self.run_here("report", "--format", "json", "result.json").json
        self.assertEqual([cut["story"] for cut in saved["violations"]], [cut["story"] for cut in again["violations"]])
        self.assertEqual(saved["violations"], again["violations"])


if __name__ == "__main__":
    unittest.main()
