"""Inputs that are not traces, or impossible traces: one sentence with the line, status 2."""

import os
import shutil
import subprocess
import sys
import unittest

from seriatim import BINARY, CLEAN, CUT, Case, once, run

COMMANDS = (["check", "t"], ["check", "--engine", "all", "t"], ["check", "--format=json", "t"],
            ["infer", "t"], ["infer", "-o", "out", "t"], ["stats", "t"], ["dump", "t"],
            ["convert", "t", "out.std"])


class BadCase(Case):
    def assert_refused(self, content, message):
        """Every command refuses the file t with the message, and leaves nothing behind."""
        self.write("t", content)
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assert_trouble(self.run_here(*command), message)
                self.assertEqual(os.listdir(self.folder), ["t"])


class NoTrace(BadCase):
    def test_an_empty_file(self):
        self.assert_refused("", "t: is empty, not a trace")

    def test_only_blank_lines(self):
        for content in ("\n", "\n\n\n", " \n\t\n", "\r\n\r\n"):
            self.assert_refused(content, "t: holds no event")

    def test_binary(self):
        self.assert_refused(b"\x7fELG\x02\x01\x01" + bytes(range(256)),
                            "t:1: zero byte in '\\x7fELG\\x02\\x01\\x01\\x00\\x01\\x02\\x03\\x04"
                            "\\x05\\x06\\x07\\x08\\x09'; the file is neither STD text nor a native "
                            "trace")

    def test_a_program(self):
        self.assert_refused(b"\x7fELF\x02\x01\x01" + bytes(range(256)),
                            "t: is a program, not a trace; watch it with 'seriatim run', or record a trace of it "
                            "with 'seriatim record'")

    def test_a_saved_result(self):
        saved = self.run_here("check", "--format", "json", "-", input=CLEAN).out
        self.write("t", saved)
        self.assert_trouble(self.run_here("check", "t"),
                            "t: is a saved result, not a trace; show it with 'seriatim report'")

    def test_text_with_a_byte_order_mark(self):
        """It would make two threads of the first one."""
        self.assert_refused(b"\xef\xbb\xbf" + CLEAN.encode(),
                            "t: begins with a byte order mark; save it as UTF-8 without one")
        for form in ("utf-16-le", "utf-16-be"):
            self.assert_refused(("\ufeff" + CLEAN).encode(form),
                                "t: is text in UTF-16; save it as UTF-8 without a byte order mark")

    def test_text_that_is_no_trace(self):
        self.assert_refused("hello, world\n", "t:1: expected THREAD|OP|LOC in 'hello, world'; "
                            "the file is neither STD text nor a native trace")

    def test_half_a_line_at_the_end(self):
        self.assert_refused(CLEAN + "T1|r(x",
                            "t:6: expected ')' and '|' after the operand in 'T1|r(x'")
        self.assert_refused(CLEAN + "T1", "t:6: expected THREAD|OP|LOC in 'T1'")
        self.assert_refused(CLEAN + "T1|", "t:6: unknown operation in 'T1|'")
        self.assert_refused(CLEAN + "T1|en", "t:6: unknown operation in 'T1|en'")

    def test_an_enormous_line(self):
        self.assert_refused(CLEAN + "T1|r(" + "x" * 10_000_000,
                            "t:6: line is longer than 1048576 bytes; this is not an STD trace")
        self.assert_refused("T1|r(" + "x" * 10_000_000 + ")|1\n",
                            "t:1: line is longer than 1048576 bytes; this is not an STD trace")

    def test_zero_bytes(self):
        self.assert_refused(CLEAN.encode() + b"T1|r(x\0y)|1\n",
                            "t:6: zero byte in 'T1|r(x\\x00y)|1'")

    def test_an_unknown_operation(self):
        self.assert_refused(CLEAN + "T1|frob(x)|1\n",
                            "t:6: unknown operation in 'T1|frob(x)|1'")

    def test_an_operation_without_operand(self):
        for op in ("r", "w", "acq", "rel", "fork", "join", "r()", "acq()"):
            self.assert_refused(CLEAN + f"T1|{op}|1\n",
                                f"t:6: operation without an operand in 'T1|{op}|1'")

    def test_a_line_without_thread_or_location(self):
        self.assert_refused(CLEAN + "|r(x)|1\n", "t:6: empty thread name in '|r(x)|1'")
        self.assert_refused(CLEAN + "T1|begin\n", "t:6: unknown operation in 'T1|begin'")

    def test_a_bad_line_that_starts_like_many_good_ones(self):
        good = "T|begin|1\nT|r(x5)|2\nT|w(x6)|3\nT|end|4\n" * 100
        for bad, cause in (("T|r(x5|3", "expected ')' and '|' after the operand"),
                           ("T|r(x5)3", "expected ')' and '|' after the operand"),
                           ("T|r(x5)", "expected ')' and '|' after the operand"),
                           ("T|begin)|3", "unknown operation"),
                           ("T|begin5|3", "unknown operation"),
                           ("T|r()|3", "operation without an operand"),
                           ("T|r|3", "operation without an operand"),
                           ("T5", "expected THREAD|OP|LOC")):
            with self.subTest(bad=bad):
                self.write("t", f"{good}{bad}\n")
                self.assert_trouble(self.run_here("check", "t"),
                                    f"t:401: {cause} in '{bad}'")

    def test_a_blank_line_in_the_middle(self):
        self.assert_refused(CLEAN + "\n\n" + CLEAN, "t:6: blank line inside the trace")

    def test_escapes_in_messages_are_disarmed(self):
        self.write("t", b"T1|\x1b[2J|1\n")
        self.assertNotIn(b"\x1b", self.run_here("check", "t").err)
        for name in ("no\x1b[31mfile", "no\x07file"):
            message = self.run_here("check", name).message
            self.assertEqual(message, "seriatim: " + name.replace("\x1b", "\\x1b").replace(
                "\x07", "\\x07") + ": cannot open: No such file or directory\n")


class Files(BadCase):
    def test_a_missing_file(self):
        for command in COMMANDS:
            self.assert_trouble(self.run_here(*command),
                                "t: cannot open: No such file or directory")
            self.assertEqual(os.listdir(self.folder), [])

    def test_a_directory(self):
        for command in COMMANDS:
            command = ["." if word == "t" else word for word in command]
            self.assert_trouble(self.run_here(*command), ".: is a directory, not a trace")

    def test_a_file_without_permission(self):
        binary = self.folder / "seriatim"
        shutil.copy(BINARY, binary)
        self.folder.chmod(0o755)
        self.write("t", CLEAN).chmod(0)
        identity = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        process = subprocess.run([str(binary), "check", "t"], cwd=self.folder, check=False,
                                 capture_output=True, **identity)
        self.assertEqual(process.stderr, b"seriatim: t: cannot open: Permission denied\n")
        self.assertEqual((process.returncode, process.stdout), (2, b""))

    def test_standard_input_is_named_in_messages(self):
        self.assert_trouble(run("check", "-", input=""), "standard input: is empty, not a trace")
        self.assert_trouble(run("check", "-", input=CLEAN + "x\n"),
                            "standard input:6: expected THREAD|OP|LOC in 'x'")


# The lines before it, the malformed line, the message, and what --repair says about it.
MALFORMED = {
    "an end without a begin": (
        "T1|begin|1\nT1|end|2\n", "T1|end|3",
        "thread 'T1' ends a block, but none is open", "an end without a begin; event dropped"),
    "a release by another thread": (
        "T1|acq(l)|1\nT2|r(x)|2\n", "T2|rel(l)|3",
        "thread 'T2' releases lock 'l', which thread 'T1' holds",
        "a release of a lock that another thread holds; event dropped"),
    "a release of a lock that is not held": (
        "T1|acq(l)|1\nT1|rel(l)|2\n", "T1|rel(l)|3",
        "thread 'T1' releases lock 'l', which nobody holds",
        "a release of a lock that is not held; event dropped"),
    "an acquire of a held lock": (
        "T1|acq(l)|1\nT2|r(x)|2\n", "T2|acq(l)|3",
        "thread 'T2' acquires lock 'l', which thread 'T1' holds",
        "an acquire of a lock that another thread holds; event dropped"),
    "a join of an unknown thread": (
        "T1|r(x)|1\nT1|r(x)|2\n", "T1|join(T9)|3",
        "thread 'T1' joins thread 'T9', which was never forked and has no event",
        "a join of an unknown thread; event dropped"),
    "a join of oneself": (
        "T1|r(x)|1\nT1|r(x)|2\n", "T1|join(T1)|3", "thread 'T1' joins itself",
        "a join of the running thread; event dropped"),
    "a fork of oneself": (
        "T1|r(x)|1\nT1|r(x)|2\n", "T1|fork(T1)|3", "thread 'T1' forks itself",
        "a fork of the running thread; event dropped"),
    "a second fork": (
        "T1|fork(T2)|1\nT3|r(x)|2\n", "T3|fork(T2)|3",
        "thread 'T3' forks thread 'T2', which was forked before",
        "a second fork of a thread; event dropped"),
    "a fork of a running thread": (
        "T2|r(x)|1\nT1|r(x)|2\n", "T1|fork(T2)|3",
        "thread 'T1' forks thread 'T2', which already has events",
        "a fork of a thread that is already running; event dropped"),
    "an event after the join": (
        "T1|fork(T2)|1\nT1|join(T2)|2\n", "T2|r(x)|3",
        "thread 'T2' has an event after it was joined",
        "an event of a thread that was joined before; event kept"),
}


class Endless(BadCase):
    """Files that never end are refused, not read for ever."""

    OPTIONS = {"--spec": "specification", "--suppressions": "file of suppressions"}

    def check(self, option, path):
        return self.run_here("check", option, path, "-", input=CLEAN)

    def feed(self, option, part):
        """Checks with a pipe that gives the same bytes again and again."""
        os.mkfifo(self.folder / "pipe")
        writer = subprocess.Popen([sys.executable, "-c",
                                   "import sys\n"
                                   "with open('pipe', 'wb', 0) as pipe:\n"
                                   "    while True: pipe.write(sys.argv[1].encode() * 10000)",
                                   part], cwd=self.folder, stderr=subprocess.DEVNULL)
        try:
            return self.check(option, "pipe")
        finally:
            writer.wait()  # it gets EPIPE
            os.unlink(self.folder / "pipe")

    def test_a_device(self):
        for option, what in self.OPTIONS.items():
            self.assert_trouble(self.check(option, "/dev/zero"),
                                f"/dev/zero:1: zero byte; this is no {what}")
        self.assert_trouble_like(self.check("--baseline", "/dev/zero"),
                                 "/dev/zero:1: is not well-formed JSON: .*")

    def test_a_line_without_end(self):
        for option, what in self.OPTIONS.items():
            self.assert_trouble(self.feed(option, "#"),
                                f"pipe:1: the line is longer than 65536 bytes; this is no {what}")
        self.assert_trouble_like(self.feed("--baseline", "#"),
                                 "pipe:1: is not well-formed JSON: .*")

    def test_comments_without_end(self):
        for option, what in self.OPTIONS.items():
            self.assert_trouble(self.feed(option, "# nothing\n"),
                                f"pipe: is larger than 64 MB; this is no {what}")

    @once("it takes half a gigabyte")
    def test_a_result_without_end(self):
        self.assert_trouble(self.feed("--baseline", "{ "), "pipe: is too large for a result")

    def test_the_longest_line_is_a_line(self):
        text = "atomic function *".ljust(65536)
        self.write("spec", text + "\n")
        self.assertEqual(self.check("--spec", "spec").message, "")
        self.write("spec", text + " \n")
        self.assert_trouble(self.check("--spec", "spec"), "spec:1: the line is longer than 65536 "
                            "bytes; this is no specification")


class Malformed(BadCase):
    def test_each_kind_is_an_error_with_its_line(self):
        for name, (before, line, message, _) in MALFORMED.items():
            with self.subTest(name):
                self.assert_refused(before + line + "\nT5|r(z)|9\n", f"t:3: {message}")

    def test_repair_warns_and_goes_on(self):
        for name, (before, line, _, warning) in MALFORMED.items():
            self.write("t", before + line + "\nT5|r(z)|9\n")
            kept = warning.endswith("kept")
            for command in (["check"], ["stats"], ["dump"], ["compare"], ["refine"]):
                with self.subTest(name, command=command):
                    result = self.run_here(*command, "--repair", "t")
                    self.assertEqual(result.message, f"seriatim: warning: t:3: {warning}\n")
                    self.assertEqual(result.status, 0)
                    if command == ["dump"]:
                        expected = before + (line + "\n" if kept else "") + "T5|r(z)|9\n"
                        self.assertEqual(result.text, expected)

    def test_repair_counts_each_kind_once(self):
        trace = CLEAN + "T1|rel(l)|1\n" * 37 + "T1|end|1\n" * 2 + "T1|join(T9)|1\n"
        self.write("t.std", trace)
        result = self.run_here("check", "--repair", "t.std")
        self.assertEqual(sorted(result.message.splitlines()), sorted([
            "seriatim: warning: t.std:6: a release of a lock that is not held; event dropped "
            "(37 such events)",
            "seriatim: warning: t.std:43: an end without a begin; event dropped (2 such events)",
            "seriatim: warning: t.std:45: a join of an unknown thread; event dropped"]))
        self.assertEqual(result.status, 0)

    def test_repair_shows_in_the_json(self):
        got = run("check", "--repair", "--format=json", "-", input=CUT + "T1|end|1\n" * 3).json
        self.assertEqual(got["repairs"], [{"kind": "an end without a begin", "count": 3,
                                           "first_event": 6}])
        self.assertEqual(got["trace"]["events"], 8)

    def test_repair_does_not_accept_what_is_no_trace(self):
        self.assert_trouble(run("check", "--repair", "-", input=CLEAN + "x\n"),
                            "standard input:6: expected THREAD|OP|LOC in 'x'")

    def test_warnings_stay_when_quiet(self):
        result = run("check", "--repair", "--quiet", "-", input=CLEAN + "T1|end|1\n")
        self.assertIn("warning: standard input:6: an end without a begin", result.message)


class Accepted(Case):
    def test_crlf(self):
        self.assertEqual(run("check", "-", input=CUT.replace("\n", "\r\n")).out,
                         run("check", "-", input=CUT).out)

    def test_a_missing_last_newline(self):
        self.assertEqual(run("check", "-", input=CUT[:-1]).out, run("check", "-", input=CUT).out)

    def test_blank_lines_at_the_end(self):
        for end in ("\n", "\n\n\n", "\r\n", "  \n\t\n", "  "):
            self.assertEqual(run("check", "-", input=CUT + end).out,
                             run("check", "-", input=CUT).out)

    def test_a_truncated_trace(self):
        self.assertEqual(run("check", "-", input="T1|acq(l)|1\nT1|begin|2\n").status, 0)

    def test_reentrant_locks(self):
        trace = "T1|acq(l)|1\nT1|acq(l)|2\nT1|rel(l)|3\nT1|rel(l)|4\nT2|acq(l)|5\n"
        self.assertEqual(run("check", "-", input=trace).status, 0)


if __name__ == "__main__":
    unittest.main()
