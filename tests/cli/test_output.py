"""Output is complete or does not exist: -o, full disks, pipes, signals."""

import ctypes
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from seriatim import BINARY, CLEAN, CUT, Case, environment, run

FULL = "No space left on device"


class OutputFile(Case):
    def setUp(self):
        super().setUp()
        self.write("t.std", CUT)

    def check(self, *arguments, **more):
        return self.run_here("check", *arguments, "t.std", **more)

    def test_the_same_bytes_as_on_standard_output(self):
        for form in ("text", "json"):
            expected = self.run_here("stats", "--format", form, "t.std").out
            result = self.run_here("stats", "--format", form, "-o", "r", "t.std")
            self.assert_clean(result)
            self.assertEqual((self.folder / "r").read_bytes(), expected)

    def test_a_dash_is_standard_output(self):
        self.assertEqual(self.check("-o", "-").out, self.check().out)

    def test_the_usual_access_rights(self):
        process = subprocess.run(["sh", "-c", "umask 027; exec \"$0\" stats t.std -o r",
                                  str(BINARY)], cwd=self.folder, check=True)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(stat.S_IMODE((self.folder / "r").stat().st_mode), 0o640)

    def test_an_old_file_is_replaced_and_keeps_its_access_rights(self):
        self.write("r", "x" * 100000).chmod(0o604)
        self.check("-o", "r")
        self.assertEqual((self.folder / "r").read_bytes(), self.check().out)
        self.assertEqual(stat.S_IMODE((self.folder / "r").stat().st_mode), 0o604)

    def test_a_symbolic_link_stays_one(self):
        self.write("real", "old")
        (self.folder / "link").symlink_to("real")
        self.check("-o", "link")
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual((self.folder / "real").read_bytes(), self.check().out)

    def test_the_input_itself_is_refused(self):
        (self.folder / "hard").hardlink_to(self.folder / "t.std")
        (self.folder / "soft").symlink_to("t.std")
        for name in ("t.std", "./t.std", "hard", "soft"):
            self.assert_trouble(self.check("-o", name),
                                f"{name}: is the input itself; write to another file")
            self.assert_trouble(self.run_here("convert", "--to=std", "t.std", name),
                                f"{name}: is the input itself; write to another file")
        with open(self.folder / "t.std", "rb") as source:
            process = subprocess.run([str(BINARY), "dump", "-", "-o", "t.std"], stdin=source,
                                     cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(process.returncode, 2)
        with open(self.folder / "t.std", "ab") as target:
            result = self.check(stdout=target)
        self.assertEqual(result.message, "seriatim: standard output: is the input itself; "
                                         "write to another file\n")
        self.assertEqual((self.folder / "t.std").read_text(), CUT)

    def test_a_folder_and_a_missing_folder(self):
        (self.folder / "sub").mkdir()
        self.assert_trouble(self.check("-o", "sub"), "sub: cannot write: Is a directory")
        self.assert_trouble(self.check("-o", "none/r"),
                            "none/r: cannot create: No such file or directory")
        self.assert_trouble(self.check("-o", "t.std/r"), "t.std/r: cannot write: Not a directory")

    def test_a_bad_trace_leaves_the_old_file(self):
        self.write("r", "old")
        self.write("bad", CLEAN * 5000 + "x\n")
        for command in (["check", "bad", "-o", "r"], ["stats", "bad", "-o", "r"],
                        ["dump", "bad", "-o", "r"], ["convert", "--to=std", "bad", "r"]):
            self.assertEqual(self.run_here(*command).status, 2)
            self.assertEqual((self.folder / "r").read_text(), "old")
            self.assertEqual(sorted(os.listdir(self.folder)), ["bad", "r", "t.std"])

    def test_dev_stdout_and_dev_fd(self):
        expected = self.check().out
        self.assertEqual(self.check("-o", "/dev/stdout").out, expected)
        self.assertEqual(self.check("-o", "/dev/fd/1").out, expected)
        with open(self.folder / "r", "wb") as target:
            target.write(b"before\n")
            target.flush()
            self.check("-o", "/dev/stdout", stdout=target)
        self.assertEqual((self.folder / "r").read_bytes(), b"before\n" + expected)

    def test_dev_null(self):
        self.assertEqual(self.check("-o", "/dev/null").status, 1)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_fifo_is_written_to(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        with subprocess.Popen([str(BINARY), "check", "t.std", "-o", "fifo"],
                              cwd=self.folder) as process:
            self.assertEqual(fifo.read_bytes(), self.check().out)
        self.assertEqual(process.returncode, 1)
        self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))


class FullDisk(Case):
    COMMANDS = (["check", "t.std"], ["check", "--format=json", "t.std"], ["stats", "t.std"],
                ["dump", "t.std"], ["convert", "t.std", "-"], ["--help"], ["--version"],
                ["help", "check"])

    def setUp(self):
        super().setUp()
        self.write("t.std", CUT * 10000)

    def test_standard_output(self):
        for command in self.COMMANDS:
            with self.subTest(command), open("/dev/full", "wb") as full:
                result = self.run_here(*command, stdout=full)
                self.assert_trouble(result, f"standard output: cannot write: {FULL}")

    def test_a_closed_standard_output(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                process = subprocess.run(
                    ["sh", "-c", "exec \"$0\" \"$@\" >&-", str(BINARY), *command],
                    cwd=self.folder, stderr=subprocess.PIPE, check=False)
                self.assertEqual(process.stderr, b"seriatim: standard output: cannot write: "
                                                 b"Bad file descriptor\n")
                self.assertEqual(process.returncode, 2)

    def test_dev_full_as_output_file(self):
        for command in (["check", "t.std"], ["stats", "t.std"], ["dump", "t.std"]):
            self.assert_trouble(self.run_here(*command, "-o", "/dev/full"),
                                f"/dev/full: cannot write: {FULL}")
        self.assert_trouble(self.run_here("convert", "--to=std", "t.std", "/dev/full"),
                            f"/dev/full: cannot write: {FULL}")

    def test_a_file_that_may_not_grow(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        for command in (["dump", "t.std", "-o", "r"], ["convert", "--to=std", "t.std", "r"]):
            self.assert_trouble(self.run_here(*command, preexec_fn=small_files),
                                "r: cannot write: File too large")
            self.assertEqual(os.listdir(self.folder), ["t.std"])

    def test_a_small_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"tmpfs", bytes(disk), b"tmpfs", 0, b"size=64k") != 0:
            self.skipTest("cannot mount a small disk: " + os.strerror(ctypes.get_errno()))
        try:
            (disk / "r").write_text("old")
            for command in (["dump", "t.std", "-o", "disk/r"],
                            ["convert", "--to=std", "t.std", "disk/r"]):
                self.assert_trouble(self.run_here(*command), f"disk/r: cannot write: {FULL}")
                self.assertEqual(os.listdir(disk), ["r"])
                self.assertEqual((disk / "r").read_text(), "old")
        finally:
            libc.umount(bytes(disk))


class Signals(Case):
    def start_waiting(self, *arguments):
        """A process that has opened its output and waits for more of its standard input."""
        process = subprocess.Popen([str(BINARY), *arguments], cwd=self.folder, env=environment(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        process.stdin.write(CLEAN.encode() * 100)
        process.stdin.flush()
        while not list(self.folder.glob(".seriatim-*")):
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        return process

    def test_no_file_is_left_when_killed_politely(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for command in (["convert", "--to=std", "-", "r"], ["check", "-", "-o", "r"],
                            ["dump", "-", "-o", "r"]):
                process = self.start_waiting(*command)
                process.send_signal(number)
                out, err = process.communicate()
                self.assertEqual((process.returncode, out, err), (-number, b"", b""))
                self.assertEqual(os.listdir(self.folder), [])

    def test_nothing_under_the_final_name_when_killed_at_once(self):
        process = self.start_waiting("convert", "--to=std", "-", "r")
        process.kill()
        process.communicate()
        self.assertFalse((self.folder / "r").exists())
        for leftover in self.folder.glob(".seriatim-*"):
            leftover.unlink()

    def test_a_reader_that_goes_away_is_no_error(self):
        self.write("t.std", CUT * 100000)
        process = subprocess.Popen([str(BINARY), "dump", "t.std"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"T1|begin(a)|1\n")
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(), -signal.SIGPIPE)


class Streaming(Case):
    def test_a_bad_line_is_reported_before_the_input_ends(self):
        process = subprocess.Popen([str(BINARY), "check", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b"T1|w(x)|1\nnonsense\n")
        process.stdin.flush()
        self.assertIn(b"standard input:2:", process.stderr.readline())
        process.communicate()
        self.assertEqual(process.returncode, 2)


if __name__ == "__main__":
    unittest.main()
