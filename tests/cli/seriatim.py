"""What the tests of the command line share: the binary, functions to run it, and short traces.

The binary is taken from the folder in SERIATIM_BUILD (default: build)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import surroundings  # pylint: disable=wrong-import-position

surroundings.settle()
BINARY = (ROOT / os.environ.get("SERIATIM_BUILD", "build") / "seriatim").resolve()
# Builds with sanitizers have no runtime of their own.
RUNTIME = BINARY.parent / "runtime"
if not RUNTIME.exists():
    RUNTIME = ROOT / "build" / "runtime"
SANITIZED = BINARY.exists() and any(name in BINARY.read_bytes()
                                    for name in (b"__asan_init", b"__tsan_write4"))
TRACES = ROOT / "tests" / "traces"
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"

# T2 cuts T1's block: the smallest possible violation.
CUT = """\
T1|begin(a)|1
T1|w(x)|2
T2|w(x)|3
T1|r(x)|4
T1|end(a)|5
"""

# The same events, one block after another.
CLEAN = """\
T1|begin(a)|1
T1|w(x)|2
T1|r(x)|4
T1|end(a)|5
T2|w(x)|3
"""

# Two blocks that depend on each other's first write: a cycle, but no path leaves a block and comes
# back.
CROSS = """\
T1|begin(a)|1
T2|begin(b)|2
T1|w(x)|3
T2|w(y)|4
T1|r(y)|5
T2|r(x)|6
T1|end(a)|7
T2|end(b)|8
"""


class Result:
    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    @property
    def text(self):
        return self.out.decode()

    @property
    def message(self):
        return self.err.decode()

    @property
    def json(self):
        return json.loads(self.out)


def once(reason):
    """For a test that takes long and would show no more in a build with sanitizers."""
    return unittest.skipIf(SANITIZED, f"without sanitizers is enough: {reason}")


def some(items, turn):
    """All; with sanitizers every fourth, at each turn others."""
    return items[turn % 4::4] if SANITIZED else items


def environment(**changes):
    """For a program that is started: see surroundings.py for what there is without changes."""
    return {**os.environ, **changes}


def run(*arguments, input=b"", env=None, cwd=None, stdout=subprocess.PIPE, **more):
    if isinstance(input, str):
        input = input.encode()
    process = subprocess.run([str(BINARY), *map(str, arguments)], input=input, cwd=cwd,
                             env=environment(**(env or {})), stdout=stdout,
                             stderr=subprocess.PIPE, check=False, **more)
    return Result(process)


class Case(unittest.TestCase):
    """A test with its own folder, in which it must leave no temporary files."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="seriatim-test-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def tearDown(self):
        self.assertEqual([p.name for p in self.folder.glob(".seriatim-*")], [])

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_here(self, *arguments, **more):
        return run(*arguments, cwd=self.folder, **more)

    def assert_trouble(self, result, message):
        """Expects status 2, nothing on standard output, and exactly this sentence on standard
        error."""
        self.assertEqual(result.message, f"seriatim: {message}\n")
        self.assertEqual(result.out or b"", b"")
        self.assertEqual(result.status, 2)

    def assert_trouble_like(self, result, pattern):
        self.assertRegex(result.message, rf"\Aseriatim: {pattern}\n\Z")
        self.assertEqual(result.out or b"", b"")
        self.assertEqual(result.status, 2)

    def assert_clean(self, result):
        self.assertEqual(result.message, "")
        self.assertEqual(result.status, 0)
