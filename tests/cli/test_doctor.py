"""seriatim doctor on machines that lack something."""

import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from seriatim import BINARY, SANITIZED, Case, Result
from wrapped import SOURCE, clean_environment, stub_runtime

COMPILERS = ("gcc", "g++", "clang", "clang++")

# Identifies itself as gcc, and then does what the test wants.
PRETENDER = """\
#!/bin/sh
case $1 in
-print-prog-name=cc1) echo /usr/lib/cc1 ;;
--version) echo "gcc (Test) {version}" ;;
*) {body} ;;
esac
"""


class DoctorCase(Case):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def environment(self, **env):
        return clean_environment(**{"TMPDIR": self.temporary, **env})

    def doctor(self, *arguments, preexec_fn=None, **env):
        process = subprocess.run([str(BINARY), "doctor", *arguments], env=self.environment(**env),
                                 stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                 preexec_fn=preexec_fn, cwd=self.folder)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(process.stderr, b"")
        return Result(process)

    def checks(self, *arguments, ready, **more):
        """The checks by name; the exit status must say what `ready` says."""
        result = self.doctor("--format", "json", *arguments, **more)
        self.assertEqual(result.json["ready"], ready, result.text)
        self.assertEqual(result.status, 0 if ready else 1)
        states = [check["state"] for check in result.json["checks"]]
        self.assertEqual("problem" in states, not ready)
        return {check.pop("name"): check for check in result.json["checks"]}

    def have(self, *names):
        """A PATH with these programs and what a compiler calls."""
        for name in (*names, "as", "ld", "sh"):
            (self.bin / name).symlink_to(shutil.which(name))
        return {"PATH": self.bin}

    def pretend(self, name, body="exit 1", version="12.0"):
        path = self.bin / name
        path.write_text(PRETENDER.format(body=body, version=version))
        path.chmod(0o755)
        return {"PATH": f"{self.bin}:/usr/bin"}


class AllIsThere(DoctorCase):
    def test_a_line_for_each_thing_and_the_outcome(self):
        result = self.doctor()
        self.assertEqual(result.status, 0, result.text)
        *lines, last = result.text.splitlines()
        self.assertEqual(last, "ready: programs built with gcc, g++, clang, clang++ can be watched")
        states = {line.split()[0] for line in lines}
        self.assertLessEqual(states, {"ok", "note"})
        for name in COMPILERS:
            self.assertRegex(result.text, rf"(?m)^ok +{name.replace('+', '.')} +\d+\.\d+")
            for part in ("program", "names"):
                self.assertRegex(result.text, rf"(?m)^ok +{part} by {name.replace('+', '.')} ")
        self.assertIn(f"{stub_runtime()}/libseriatim_rt.so\n", result.text)
        self.assertIn(f"{stub_runtime()}/libseriatim_rt.a\n", result.text)
        for name in ("machine", "memory file", "addresses", "address limit", "temporary files",
                     "cores"):
            self.assertRegex(result.text, rf"(?m)^(ok|note) +{name} ")


class OneCompiler(DoctorCase):
    def test_is_enough(self):
        checks = self.checks(ready=True, **self.have("gcc"))
        self.assertEqual(checks["gcc"]["state"], "ok")
        self.assertEqual(checks["program by gcc"], {
            "state": "ok", "detail": "two threads: compiled, linked and run", "advice": None})
        for name, package in (("g++", "g++"), ("clang", "clang"), ("clang++", "clang")):
            self.assertEqual(checks[name], {
                "state": "note", "detail": "not found",
                "advice": f"to build with it: apt-get install {package}"})
            self.assertNotIn(f"program by {name}", checks)

    def test_the_ways_to_write_it(self):
        env = self.have("gcc")
        self.assertEqual(self.doctor("--quiet", **env).text,
                         "ready: programs built with gcc can be watched\n")
        self.assertIn("\033[32mok     \033[0m", self.doctor("--color", "always", **env).text)
        result = self.doctor("-o", "report.json", "--format", "json", **env)
        self.assertEqual((result.status, result.out), (0, b""))
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["schema"], "seriatim-doctor/1")
        self.assertRegex(report["version"], r"\A\d+\.\d+\.\d+\Z")

    def test_another_version_is_told(self):
        env = self.pretend("gcc", 'exec /usr/bin/gcc "$@"', version="99.1.0 20990101")
        for name in COMPILERS[1:]:
            self.pretend(name)
        checks = self.checks(ready=True, **env)
        self.assertEqual(checks["gcc"]["detail"],
                         "99.1.0, not tested (version 12 is)")
        self.assertEqual(checks["gcc"]["state"], "ok")

    def test_one_that_cannot_build_is_no_problem_if_another_can(self):
        self.have("gcc")
        self.pretend("clang", "echo no room on disk >&2; echo more; exit 1")
        checks = self.checks(ready=True, PATH=self.bin)
        self.assertEqual(checks["program by clang"], {
            "state": "note", "detail": "a small program cannot be built: no room on disk",
            "advice": "to see more: SERIATIM_CC=clang seriatim cc FILE"})

    def test_the_users_choice_is_looked_at_too(self):
        checks = self.checks(ready=True, SERIATIM_CC="env gcc", **self.have("gcc", "env"))
        self.assertRegex(checks["SERIATIM_CC"]["detail"], r"\Aenv, \d+")
        self.assertEqual(checks["program by SERIATIM_CC"]["state"], "ok")

    def test_the_users_choice_must_work(self):
        checks = self.checks(ready=False, SERIATIM_CXX="nonesuch", **self.have("gcc"))
        self.assertEqual(checks["SERIATIM_CXX"]["state"], "problem")
        self.assertIn("there is no compiler 'nonesuch'", checks["SERIATIM_CXX"]["detail"])
        self.assertEqual(checks["program by gcc"]["state"], "ok")


class SomethingIsMissing(DoctorCase):
    def test_all_compilers(self):
        checks = self.checks(ready=False, PATH="/nowhere")
        for name in COMPILERS:
            self.assertEqual(checks[name]["state"], "problem")
            self.assertIn("apt-get install", checks[name]["advice"])
        self.assertEqual(checks["runtime library"]["state"], "ok")

    def test_it_is_told_in_words(self):
        result = self.doctor(PATH="/nowhere")
        self.assertIn("problem  gcc                     not found; to build with it: apt-get "
                      "install gcc\n", result.text)
        self.assertTrue(result.text.endswith("not ready: programs cannot be watched until the "
                                             "problems above are solved\n"))

    def test_a_compiler_that_can_build(self):
        self.pretend("gcc", "kill -SEGV $$")
        checks = self.checks(ready=False, PATH=self.bin)
        self.assertEqual(checks["program by gcc"]["state"], "problem")
        self.assertEqual(checks["program by gcc"]["detail"],
                         "a small program cannot be built: ended by signal 11")

    def test_the_runtime_library(self):
        checks = self.checks(ready=False, SERIATIM_RUNTIME_DIR="/nowhere", **self.have("gcc"))
        self.assertEqual(checks["gcc"]["state"], "ok")
        self.assertEqual(checks["runtime library"]["state"], "problem")
        self.assertIn("set it to the folder", checks["runtime library"]["detail"])

    def test_the_static_runtime_library_is_for_those_who_ask_for_it(self):
        folder = self.folder / "shared only"
        shutil.copytree(stub_runtime(), folder, symlinks=True)
        (folder / "libseriatim_rt.a").unlink()
        checks = self.checks(ready=True, SERIATIM_RUNTIME_DIR=folder, **self.have("gcc"))
        self.assertEqual(checks["static runtime"], {
            "state": "note", "detail": f"not in {folder}",
            "advice": "for -static-libtsan, build or install seriatim again"})

    def broken_runtime(self, body):
        folder = self.folder / "broken"
        shutil.copytree(stub_runtime(), folder, symlinks=True)
        source = self.write("broken.c", "#include <stdlib.h>\n#include <unistd.h>\n"
                            f"__attribute__((constructor)) static void start(void) {{ {body} }}\n")
        library = folder / "libseriatim_rt.so"
        library.unlink()
        subprocess.run(["gcc", "-shared", "-fPIC", source, SOURCE, "-o", library,
                        f"-Wl,-soname,{library.name}"], check=True)
        return folder

    def test_a_runtime_library_that_runs(self):
        folder = self.broken_runtime("abort();")
        checks = self.checks(ready=False, SERIATIM_RUNTIME_DIR=folder, **self.have("gcc"))
        self.assertEqual(checks["program by gcc"]["detail"],
                         "a small program was built, but does not run: ended by signal 6")

    def test_a_program_that_does_its_work(self):
        folder = self.broken_runtime("_exit(0);")
        checks = self.checks(ready=False, SERIATIM_RUNTIME_DIR=folder, **self.have("gcc"))
        self.assertEqual(checks["program by gcc"]["detail"],
                         "a small program was built, but does not run: does not work")

    def test_debug_information(self):
        env = self.pretend("gcc", 'exec /usr/bin/gcc "$@" -g0 -s')
        for name in COMPILERS[1:]:
            self.pretend(name)
        checks = self.checks(ready=True, **env)
        self.assertEqual(checks["names by gcc"], {
            "state": "note", "advice": "reports will lack names and lines",
            "detail": "the program has no debug information; compile it with -g"})

    def test_a_folder_for_temporary_files(self):
        checks = self.checks(ready=False, TMPDIR=self.folder / "none", **self.have("gcc"))
        self.assertIn("No such file", checks["programs"]["detail"])
        self.assertIn("set TMPDIR", checks["programs"]["advice"])
        self.assertEqual(checks["temporary files"]["state"], "problem")

    @unittest.skipIf(SANITIZED, "AddressSanitizer does not start with few addresses")
    def test_addresses(self):
        limit = 8 << 30
        checks = self.checks(ready=False, PATH="/nowhere", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY)))
        self.assertEqual(checks["addresses"]["state"], "problem")
        self.assertEqual(checks["address limit"], {
            "state": "problem", "detail": "8.0 GiB (RLIMIT_AS)", "advice": "ulimit -v unlimited"})

    def test_a_second_core(self):
        one = {min(os.sched_getaffinity(0))}
        checks = self.checks(ready=True, preexec_fn=lambda: os.sched_setaffinity(0, one),
                             **self.have("gcc"))
        self.assertEqual(checks["cores"]["state"], "note")
        self.assertEqual(checks["cores"]["detail"], "1")


class Interrupted(DoctorCase):
    def test_no_temporary_folder_is_left(self):
        """The compiler says that it is at work, and is so until we close the pipe."""
        self.have("cat", "echo")
        os.mkfifo(self.folder / "busy")
        os.mkfifo(self.folder / "done")
        self.pretend("gcc", f"echo busy >'{self.folder}/busy'; exec cat '{self.folder}/done'")
        with subprocess.Popen([str(BINARY), "doctor"], env=self.environment(PATH=self.bin),
                              stdout=subprocess.DEVNULL) as process:
            self.assertEqual((self.folder / "busy").read_text(), "busy\n")
            with open(self.folder / "done", "w", encoding="ascii"):
                self.assertEqual(len(list(self.temporary.iterdir())), 1)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(), -signal.SIGTERM)
                self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
