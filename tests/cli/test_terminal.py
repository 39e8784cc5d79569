"""What only a terminal sees: color and progress."""

import fcntl
import os
import pty
import select
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


class Report(TerminalCase):
    def test_nobody_gets_a_page_on_a_terminal(self):
        result = self.run_here("check", "--format", "json", "-", input=CUT)
        self.write("result.json", result.out)
        process, master = self.start("report", "result.json")
        _, said = process.communicate()
        shown = read_all(master)
        self.assertIn(b" was not atomic", shown)
        self.assertNotIn(b"<html", shown)
        self.assertEqual(said, b"seriatim: as text, since standard output is a terminal; for a page: "
                               b"seriatim report -o report.html result.json\n")
        self.assertIn("<html", self.run_here("report", "result.json").text)


class Dump(TerminalCase):
    HOSTILE = "T\x1b[31m|w(x\x07)|1\nT\u00e9|r(y\u0085)|2\n"

    def test_a_terminal_does_not_obey_names(self):
        self.write("hostile.std", self.HOSTILE)
        process, master = self.start("dump", "-n", "hostile.std")
        process.communicate()
        self.assertEqual(read_all(master).replace(b"\r\n", b"\n"),
                         b"1\tT\\x1b[31m|w(x\\x07)|1\n2\tT\xc3\xa9|r(y\\xc2\\x85)|2\n")

    def test_what_goes_elsewhere_stays_as_it_is(self):
        self.write("hostile.std", self.HOSTILE)
        self.assertEqual(self.run_here("dump", "hostile.std").text, self.HOSTILE)


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
        self.assertEqual(err, b"seriatim: standard output: is a terminal, and the native format is "
                              b"binary; write to a file\n")
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


def is_empty(pipe):
    """Has everything been read that was written into it?"""
    waiting = struct.pack("i", 0)
    return struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, waiting)) == (0,)


class Progress(TerminalCase):
    def wait_until_shown(self, terminal, words, do_some_work):
        """What the terminal sees until these words are there, while more and more work is done: a
        piece each time that nothing was seen for 20 ms, and far more than a second's worth."""
        seen = b""
        for _ in range(5000):
            do_some_work()
            if select.select([terminal], [], [], 0.02)[0]:
                seen += os.read(terminal, 65536)
            if words in seen:
                return seen
        raise AssertionError(f"{words} is not shown, but: {seen}")

    def slowly(self, *arguments, tail=CLEAN):
        """Runs on a trace that comes in little by little until there is progress to be seen, and
        then ends with the tail. Standard output, what the terminal saw, and the lines before the
        tail."""
        process, terminal = self.start(*arguments, "-", terminals=("stderr",))
        lines = 0

        def write_more():
            nonlocal lines
            process.stdin.write(CLEAN.encode() * 200)
            process.stdin.flush()
            lines += 200 * CLEAN.count("\n")
        seen = self.wait_until_shown(terminal, b"million events", write_more)
        process.stdin.write(tail.encode())
        out, _ = process.communicate()
        return out, seen + read_all(terminal), lines

    def wait_a_second(self, process):
        """Until what was written so far was read, and long enough for progress to be shown."""
        process.stdin.flush()
        while not is_empty(process.stdin):
            time.sleep(0.01)
        time.sleep(1.5)

    def test_shown_after_a_second_and_taken_away(self):
        out, seen, _ = self.slowly("check")
        self.assertIn(b"million events of standard input", seen)
        shown, blanks, rest = seen.rsplit(b"\r", 2)
        self.assertEqual(blanks.strip(), b"")
        self.assertEqual(rest, b"")
        self.assertGreaterEqual(len(blanks), max(len(s) for s in shown.split(b"\r")))
        self.assertIn(b"serializable", out)

    def test_taken_away_before_an_error(self):
        _, seen, lines = self.slowly("check", tail="nonsense\n")
        self.assertRegex(seen, rb"\r +\rseriatim: standard input:%d: expected" % (lines + 1))

    def test_not_when_quiet(self):
        process, terminal = self.start("check", "--quiet", "-", terminals=("stderr",))
        process.stdin.write(CLEAN.encode() * 3000)
        self.wait_a_second(process)
        out, _ = process.communicate(CLEAN.encode() * 3000)
        self.assertIn(b"serializable", out)
        self.assertEqual(read_all(terminal), b"")

    def test_not_for_short_work(self):
        """Work is short that takes less than a second. Five events do, unless the machine has no
        time for us just then."""
        seconds = 1
        while seconds >= 1:
            begin = time.monotonic()
            process, terminal = self.start("check", "-", terminals=("stderr",))
            process.communicate(CLEAN.encode())
            seconds = time.monotonic() - begin
        self.assertEqual(read_all(terminal), b"")

    def test_percent_of_a_file(self):
        """A file that takes more than a second: what it becomes is read piece by piece."""
        self.write("t.std", CLEAN * 400000)
        os.mkfifo(self.folder / "fifo")
        process, terminal = self.start("dump", "t.std", "-o", "fifo", terminals=("stderr",))
        with open(self.folder / "fifo", "rb") as fifo:
            seen = self.wait_until_shown(terminal, b"% of t.std", lambda: fifo.read(50000))
            while fifo.read(1 << 20):
                pass
        process.communicate()
        self.assertRegex(seen, rb"\r +\d+ % of t\.std")

    def test_not_among_the_lines_of_a_dump(self):
        # As much as the buffer of a terminal holds is not read before the end.
        process, terminal = self.start("dump", "--events=-3", "-", terminals=("stdout", "stderr"))
        process.stdin.write(CLEAN.encode())
        self.wait_a_second(process)
        process.communicate(CLEAN.encode())
        self.assertEqual(read_all(terminal).replace(b"\r\n", b"\n").decode(),
                         "".join(CLEAN.splitlines(True)[:3]))


if __name__ == "__main__":
    unittest.main()
