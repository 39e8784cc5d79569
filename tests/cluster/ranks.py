"""What the tests on several ranks share: mpirun on this machine, and results without what is measured."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from seriatim import BINARY, RUNTIME, Case, environment  # pylint: disable=wrong-import-position

LIBRARY = BINARY.parent / "runtime" / "libseriatim_mpi.so"
NEEDS_MPI = unittest.skipUnless(shutil.which("mpirun") and LIBRARY.exists(),
                                "needs Open MPI (openmpi-bin, libopenmpi-dev)")
# Ranks on one machine, also as root.
VARIABLES = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_rmaps_base_oversubscribe": "1",
             "OMPI_MCA_hwloc_base_binding_policy": "none"}
MEASURED = {"time_seconds", "seconds", "speedup", "speed_up", "peak_bytes", "work_seconds",
            "milliseconds"}


def settings(**more):
    return environment(**VARIABLES, SERIATIM_RUNTIME_DIR=str(RUNTIME), **more)


def without_measures(value):
    """A result without times and the like."""
    if isinstance(value, dict):
        return {key: without_measures(part) for key, part in value.items() if key not in MEASURED}
    if isinstance(value, list):
        return [without_measures(part) for part in value]
    return value


def load(path):
    return without_measures(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))


def kill(process, number=signal.SIGKILL):
    """It may have come to its end since somebody saw it."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


class Job:
    """mpirun with so many ranks, in a process group of its own that never outlives the test."""

    def __init__(self, case, count, *arguments, recovery=False, command=None):
        words = ["mpirun", *(["--enable-recovery"] if recovery else [])]
        words += command or ["-n", str(count), str(BINARY), *map(str, arguments)]
        self.output = case.folder / f"job-{len(list(case.folder.glob('job-*')))}"
        self.file = open(self.output, "wb")
        self.process = subprocess.Popen(words, cwd=case.folder, env=settings(), stdin=subprocess.DEVNULL,
                                        stdout=self.file, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        case.addCleanup(self.end)

    def wait(self):
        status = self.process.wait()
        self.file.close()
        return status

    def ranks(self):
        """The processes, in the order of their ranks: mpirun starts them in that order, and the system lists
        children as they were started. Their numbers say nothing of that, since they begin anew some time."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(word) for word in children.read_text(encoding="ascii").split()]

    def kill_rank(self, rank, number=signal.SIGKILL):
        """Whoever was quicker and has ended is not in the list, or there is nobody to kill."""
        processes = self.ranks()
        if rank < len(processes):
            kill(processes[rank], number)

    def kill_all(self):
        """As if the machine had lost its power: nobody gets to say anything."""
        for process in (*self.ranks(), self.process.pid):
            kill(process)
        self.wait()

    @property
    def said(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    def end(self):
        if self.process.poll() is None:
            for process in (*self.ranks(), self.process.pid):
                kill(process)
        self.process.wait()
        self.file.close()


class RanksCase(Case):
    """A test that compares one process with several ranks."""

    maxDiff = None

    def alone(self, *arguments):
        """The result of one process, and its status."""
        path = self.folder / "alone.json"
        process = subprocess.run([BINARY, *map(str, arguments[:1]), "--format", "json", "-o", path,
                                  *map(str, arguments[1:])], cwd=self.folder, env=settings(),
                                 stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertTrue(path.exists(), process.stderr)
        return load(path), process.returncode

    def together(self, count, *arguments, **more):
        path = self.folder / "together.json"
        job = Job(self, count, arguments[0], "--format", "json", "-o", path, *arguments[1:], **more)
        status = job.wait()
        self.assertTrue(path.exists(), job.said)
        return load(path), status

    def assert_same(self, *arguments, ranks=3):
        expected, status = self.alone(*arguments)
        self.assertEqual(self.together(ranks, *arguments), (expected, status))


def wait_for_size(case, path, size, job):
    """Until the file has grown to so many bytes, or the job is over."""
    while job.process.poll() is None:
        if path.exists() and path.stat().st_size >= size:
            return True
        # Nothing tells us: the file has to be looked at.
        try:
            job.process.wait(0.01)
        except subprocess.TimeoutExpired:
            pass
    case.assertTrue(path.exists(), job.said)
    return False
