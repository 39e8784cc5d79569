"""Recordings of programs that free memory: a variable has a life, and what is dead is forgotten."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from programs import FOLDER as PROGRAMS
from seriatim import RUNTIME, Case

# A block from one line is filled and freed, ROUNDS times, and the last one of them is cut: another
# thread writes to it between two accesses of `rename_block`. Blocks of two threads that never meet
# have the same address and the same name, one after the other.
PROGRAM = r"""
#include "schedule.h"
#include <stdlib.h>

enum { WORDS = 1000 };

struct block {
    volatile long version, words[WORDS];
};

static struct block *shared;

BLOCK struct block *make_block(void) {
    return malloc(sizeof(struct block));
}

BLOCK void fill_block(struct block *block, long value) {
    block->version = 0;
    for (int i = 0; i < WORDS; i++)
        block->words[i] = value;
}

BLOCK void rename_block(void) {
    shared->version = 1;
    step(1);
    step(4);
    shared->version = 2;
}

BLOCK void touch_block(void) {
    shared->version = 7;
}

THREAD(renamer) {
    rename_block();
    return NULL;
}

THREAD(toucher) {
    step(2);
    touch_block();
    step(3);
    return NULL;
}

static void use_and_free(int rounds) {
    for (int i = 0; i < rounds; i++) {
        struct block *block = make_block();
        fill_block(block, i);
        free(block);
    }
}

int main(int argc, char **argv) {
    check(argc == 3);
    use_and_free(atoi(argv[1]));
    shared = make_block();
    together(renamer, toucher);
    free(shared);
    use_and_free(atoi(argv[2]));
    return 0;
}
"""

SPEC = "atomic function rename_block\natomic function touch_block\n"
NAME = r"block->version from \S*program.c:\d+ \(make_block\)"
WORDS = 1001

PROGRAM_PATH = None


def setUpModule():
    global PROGRAM_PATH
    if not RUNTIME.exists() or not shutil.which("gcc"):
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-test-lives-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    (folder / "program.c").write_text(PROGRAM)
    PROGRAM_PATH = folder / "program"
    schedule = ["gcc", "-O1", "-c", PROGRAMS / "schedule.c", "-o", folder / "schedule.o"]
    program = ["gcc", "-g", "-O1", "-fsanitize=thread", "-pthread", f"-I{PROGRAMS}",
               "program.c", "schedule.o", "-o", PROGRAM_PATH]
    for command in (schedule, program):
        subprocess.run(command, check=True, cwd=folder)


class Lives(Case):
    def record(self, before, behind):
        self.write("spec", SPEC)
        result = self.run_here("record", "-o", "t.stt", "--spec", "spec", "--", PROGRAM_PATH,
                               str(before), str(behind),
                               env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})
        self.assertEqual(result.status, 0, result.err)

    def stats(self, name="t.stt"):
        return self.run_here("stats", name, "--format", "json").json

    def check(self, *options, name="t.stt"):
        return self.run_here("check", name, "--format", "json", *options).json

    def test_what_was_freed_is_used_again(self):
        self.record(400, 400)
        stats = self.stats()
        self.assertGreater(stats["events"], 800 * WORDS)
        # A chunk of events has 65 blocks of memory, and the next one uses the same again.
        self.assertLess(stats["variables"], 2 * 66 * WORDS)

    def test_a_finding_names_a_variable_that_died_long_ago(self):
        self.record(200, 200)
        for engine in ("witness", "velodrome", "regiontrack", "doublechecker"):
            with self.subTest(engine=engine):
                found = self.check("--engine", engine)
                self.assertEqual([v["block"] for v in found["violations"]], ["rename_block"])
                closing = found["violations"][0]["path"][-1] if engine != "regiontrack" else None
                if closing:
                    self.assertRegex(closing["on"], f"^{NAME}$")

    def test_blocks_of_memory_in_turn_are_not_one(self):
        """All but one block belong to main, and no other thread ever meets them."""
        self.record(200, 200)
        stats = self.stats()
        self.assertEqual(stats["races"]["variables"], 1)
        self.assertEqual(self.check("--engine", "aerodrome")["serializable"], False)

    def test_a_converted_trace_means_the_same(self):
        self.record(100, 100)
        self.assertEqual(self.run_here("convert", "t.stt", "t.std").status, 0)
        self.assertEqual(self.run_here("convert", "t.stt", "again.stt").status, 0)
        text, again = self.stats("t.std"), self.stats("again.stt")
        self.assertEqual(text["events"], self.stats()["events"])
        self.assertGreaterEqual(text["variables"], 200 * WORDS)
        self.assertEqual(again["variables"], self.stats()["variables"])
        expected = self.check("--data")
        for name in ("t.std", "again.stt"):
            found = self.check("--data", name=name)
            self.assertEqual(found["first_bad_event"], expected["first_bad_event"])
            self.assertEqual([v["event"] for v in found["violations"]],
                             [v["event"] for v in expected["violations"]])


if __name__ == "__main__":
    unittest.main()
