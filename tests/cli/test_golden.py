"""Reports as they are printed, word by word.

A file in golden/ is a session: lines that start with "$ " are commands, run in tests/traces; what
follows is their output on both streams and, unless it is 0, their status. After an intended change,
rewrite them with SERIATIM_UPDATE_GOLDEN=1 and read the difference."""

import os
import shlex
import subprocess
import unittest

from seriatim import BINARY, GOLDEN, TRACES, environment


def replay(command):
    words = shlex.split(command)
    assert words[0] == "seriatim", command
    process = subprocess.run([str(BINARY), *words[1:]], cwd=TRACES, env=environment(),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
    status = f"[status {process.returncode}]\n" if process.returncode else ""
    return f"$ {command}\n{process.stdout.decode()}{status}"


def replay_all(session):
    commands = [line[2:] for line in session.splitlines() if line.startswith("$ ")]
    return "\n".join(replay(command) for command in commands)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_every_session(self):
        sessions = sorted(GOLDEN.glob("*.txt"))
        self.assertTrue(sessions)
        for path in sessions:
            with self.subTest(path.name):
                expected = path.read_text()
                got = replay_all(expected)
                if os.environ.get("SERIATIM_UPDATE_GOLDEN"):
                    path.write_text(got)
                self.assertEqual(got, expected)


if __name__ == "__main__":
    unittest.main()
