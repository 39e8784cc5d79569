"""What only a terminal sees: color and progress."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
import unittest

from seriatim import BINARY, CLEAN, CUT, Case, environment


def read_all(fd):
    """Everything that was written to a terminal whose other end is now closed."""
    parts = []
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


class TerminalCase(Case):
    def start(self, *arguments, terminals=("stdout",), env=None):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        streams = {name: slave if name in terminals else subprocess.PIPE
                   for name in ("stdout", "stderr")}
        process = subprocess.Popen([str(BINARY), *arguments], cwd=self.folder,
                                   stdin=subprocess.PIPE, env=environment(**(env or {})),
                                   **streams)
        os.close(slave)
        return process, master

    def on_terminal(self, *arguments, env=None):
        process, master = self.start(*arguments, env=env)
        process.communicate(CUT.encode())
        return read_all(master)


class Color(TerminalCase):
    def test_on_a_terminal(self):
        self.assertIn(b"\x1b[1;31mnot serializable\x1b[0m", self.on_terminal("check", "-"))
        self.assertIn(b"\x1b[", self.on_terminal("check", "--engine=all", "-"))

    def test_not_with_no_color_or_never(self):
        self.assertNotIn(b"\x1b", self.on_terminal("check", "-", env={"NO_COLOR": "1"}))
        self.assertNotIn(b"\x1b", self.on_terminal("check", "--color", "never", "-"))

    def test_an_empty_no_color_does_not_count(self):
        self.assertIn(b"\x1b", self.on_terminal("check", "-", env={"NO_COLOR": ""}))

    def test_always_wins_over_no_color(self):
        self.assertIn(b"\x1b", self.on_terminal("check", "--color=always", "-",
                                                env={"NO_COLOR": "1"}))

    def test_not_in_a_file(self):
        self.on_terminal("check", "-", "-o", "r")
        self.assertNotIn(b"\x1b", (self.folder / "r").read_bytes())

    def test_a_native_trace_is_not_for_a_terminal(self):
        process, master = self.start("convert", "--to=native", "-", "-")
        _, err = process.communicate(CUT.encode())
        self.assertEqual(err, b"seriatim: standard output: is a terminal; the native format is "
                              b"not for reading\n")
        self.assertEqual(process.returncode, 2)
        self.assertEqual(read_all(master), b"")


class Width(TerminalCase):
    """Sentences are broken where the terminal ends, and in files only if COLUMNS says so."""

    TRACE = CUT.replace("(a)", "(a_block_with_a_name)").encode()

    def lines(self, width=None, env=None):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        if width:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, width, 0, 0))
        process = subprocess.Popen([str(BINARY), "check", "--color=never", "-"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=slave,
                                   env=environment(**(env or {})))
        os.close(slave)
        process.communicate(self.TRACE)
        lines = read_all(master).decode().replace("\r\n", "\n").splitlines()
        self.assertIn("not serializable", lines[-1])
        return lines[:-1]  # the summary stays in one line

    def test_as_wide_as_the_terminal(self):
        for width in (50, 60, 75, 100, 132):
            with self.subTest(width=width):
                widest = max(map(len, self.lines(width)))
                self.assertLessEqual(widest, width)
        self.assertEqual(self.lines(132), self.lines(200))
        self.assertGreater(len(self.lines(50)), len(self.lines(132)))

    def test_columns_in_the_environment_counts_more(self):
        self.assertEqual(self.lines(132, env={"COLUMNS": "50"}), self.lines(50))
        self.assertEqual(self.lines(60, env={"COLUMNS": "what"}), self.lines(60))

    def test_a_terminal_of_unknown_width(self):
        self.assertEqual(self.lines(), self.lines(200))

    def test_a_file(self):
        for columns, lines in (("", self.lines(200)), ("50", self.lines(50))):
            result = self.run_here("check", "-", input=self.TRACE, env={"COLUMNS": columns})
            self.assertEqual(result.text.splitlines()[:-1], lines)


class Progress(TerminalCase):
    def slowly(self, *arguments, tail=CLEAN, terminals=("stderr",)):
        """Runs on a trace that takes more than a second to arrive. Standard output and what the
        terminal saw."""
        process, master = self.start(*arguments, "-", terminals=terminals)
        process.stdin.write(CLEAN.encode() * 3000)
        process.stdin.flush()
        time.sleep(1.5)
        process.stdin.write(CLEAN.encode() * 3000 + tail.encode())
        process.stdin.close()
        out = process.stdout.read() if process.stdout else b""
        if process.stderr:
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
        if process.stdout:
            process.stdout.close()
        process.wait()
        return out, read_all(master)

    def test_shown_after_a_second_and_taken_away(self):
        out, seen = self.slowly("check")
        self.assertIn(b"million events of standard input", seen)
        shown, blanks, rest = seen.rsplit(b"\r", 2)
        self.assertEqual(blanks.strip(), b"")
        self.assertEqual(rest, b"")
        self.assertGreaterEqual(len(blanks), max(len(s) for s in shown.split(b"\r")))
        self.assertIn(b"serializable", out)

    def test_taken_away_before_an_error(self):
        _, seen = self.slowly("check", tail="nonsense\n")
        self.assertIn(b"million events", seen)
        self.assertRegex(seen, rb"\r +\rseriatim: standard input:30001: expected")

    def test_not_when_quiet(self):
        _, seen = self.slowly("check", "--quiet")
        self.assertEqual(seen, b"")

    def test_not_for_short_work(self):
        process, master = self.start("check", "-", terminals=("stderr",))
        process.communicate(CLEAN.encode())
        self.assertEqual(read_all(master), b"")

    def test_percent_of_a_file(self):
        """A file that takes more than a second: stopped for that long in the middle."""
        self.write("t.std", CLEAN * 400000)
        os.mkfifo(self.folder / "fifo")
        process, master = self.start("dump", "t.std", "-o", "fifo", terminals=("stderr",))
        with open(self.folder / "fifo", "rb") as fifo:
            fifo.read(100000)
            time.sleep(1.5)
            while fifo.read(1 << 20):
                pass
        process.communicate()
        self.assertRegex(read_all(master), rb"\r +\d+ % of t\.std")

    def test_not_among_the_lines_of_a_dump(self):
        # As much as the buffer of a terminal holds is not read before the end.
        process, master = self.start("dump", "--events=-3", "-", terminals=("stdout", "stderr"))
        process.stdin.write(CLEAN.encode())
        process.stdin.flush()
        time.sleep(1.5)
        process.communicate(CLEAN.encode())
        self.assertEqual(read_all(master).replace(b"\r\n", b"\n").decode(),
                         "".join(CLEAN.splitlines(True)[:3]))


if __name__ == "__main__":
    unittest.main()
