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
