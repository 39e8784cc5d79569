"""Programs that do something unusual behave under the runtime as they do without it, and what
cannot be watched is said."""

import os
import pathlib
import shutil
import subprocess
import unittest

from seriatim import RUNTIME, Case, environment


def setUpModule():
    if not RUNTIME.exists() or not shutil.which("gcc"):
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")


class UnusualCase(Case):
    def seriatim(self, *arguments, **more):
        return self.run_here(*arguments, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)}, **more)

    def build(self, text, *options):
        """A program from this text, built with the wrapper."""
        self.write("program.c", text)
        made = self.seriatim("cc", "-g", "-O1", "program.c", "-o", "program", "-pthread", *options)
        self.assertEqual((made.message, made.status), ("", 0))
        return self.folder / "program"

    def alone(self, program, *words, **more):
        """Without a watcher."""
        return subprocess.run([program, *words], cwd=self.folder, text=True, capture_output=True,
                              check=False, **more)


# Prints the first bytes behind a descriptor, and whether it is still open after that.
DESCRIPTOR = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char text[7] = "";
    int fd = atoi(argv[argc - 1]);
    ssize_t got = pread(fd, text, 6, 0);
    printf("%zd %s\n", got, text);
    return 0;
}
"""


class Stream(UnusualCase):
    """The descriptor that SERIATIM_STREAM names."""

    def test_a_descriptor_that_is_not_ours_is_left_alone(self):
        for options in ([], ["-static-libtsan"]):
            program = self.build(DESCRIPTOR, *options)
            path = self.write("file", b"mine, " + bytes(100_000))
            before = path.read_bytes()
            with open(path, "r+b") as file:
                fd = file.fileno()
                result = self.alone(program, str(fd), pass_fds=[fd],
                                    env=environment(LD_LIBRARY_PATH=str(RUNTIME),
                                                    SERIATIM_STREAM=str(fd)))
            self.assertEqual((result.stdout, result.returncode), ("6 mine, \n", 0), result.stderr)
            self.assertEqual(path.read_bytes(), before)

    def test_a_text_that_is_no_number_names_no_descriptor(self):
        program = self.build(DESCRIPTOR)
        path = self.write("file", b"mine, " + bytes(100_000))
        with open(path, "r+b") as file:
            fd = file.fileno()
            for text in (f"{fd}x", f"-{fd}", " ", "99999999999999999999", ""):
                result = self.alone(program, str(fd), pass_fds=[fd],
                                    env=environment(LD_LIBRARY_PATH=str(RUNTIME),
                                                    SERIATIM_STREAM=text))
                self.assertEqual((result.stdout, result.returncode), ("6 mine, \n", 0))

    @unittest.skipUnless(os.getuid() == 0, "only root can make such a program for this test")
    def test_a_program_with_more_rights_does_not_listen_to_its_caller(self):
        program = self.build(DESCRIPTOR, "-static-libtsan")
        os.chmod(self.folder, 0o755)
        result = self.seriatim("run", program, "0")
        self.assertNotIn("could not be watched", result.message)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if pathlib.Path("/proc/self/status").read_text().split("NoNewPrivs:\t")[1][0] == "1":
            self.skipTest("programs cannot gain rights here")
        result = self.seriatim("run", program, "0")
        self.assertIn("could not be watched", result.message)


# A fiber and the thread that runs it both write `shared`. The switch orders that, or nothing does.
FIBERS = r"""
#include <stdio.h>
#include <ucontext.h>

void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);

static ucontext_t caller, made;
static void *thread_itself;
static char stack[256 * 1024];
int shared;

static void work(void) {
    shared++;
    __tsan_switch_to_fiber(thread_itself, FLAGS);
    swapcontext(&made, &caller);
}

int main(void) {
    getcontext(&made);
    made.uc_stack.ss_sp = stack;
    made.uc_stack.ss_size = sizeof stack;
    makecontext(&made, work, 0);
    thread_itself = __tsan_get_current_fiber();
    void *fiber = __tsan_create_fiber(0);
    shared++;
    __tsan_switch_to_fiber(fiber, FLAGS);
    swapcontext(&caller, &made);
    shared++;
    __tsan_destroy_fiber(fiber);
    printf("%d\n", shared);
    return 0;
}
"""


class Fibers(UnusualCase):
    def races(self, *options):
        program = self.build(FIBERS, *options)
        self.assertEqual(self.alone(program, env=environment(LD_LIBRARY_PATH=str(RUNTIME))).stdout,
                         "3\n")
        result = self.seriatim("record", "-o", "t.stt", program)
        self.assertEqual((result.text, result.status), ("3\n", 0), result.message)
        self.assertIn(" of 2 threads", result.message)
        return self.seriatim("stats", "--format", "json", "t.stt").json["races"]["accesses"]

    def test_a_switch_orders_unless_the_program_says_otherwise(self):
        for options in ([], ["-static-libtsan"]):
            self.assertEqual(self.races("-DFLAGS=0", *options), 0)
            self.assertGreater(self.races("-DFLAGS=1", *options), 0)
