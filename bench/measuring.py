"""Runs commands and measures their time and memory."""

import dataclasses
import os
import shlex
import subprocess
import sys

# A command that takes longer than this is not repeated: noise is small in comparison.
SHORT_SECONDS = 2.0

# A command that takes less than this is repeated more often: noise is large in comparison.
TINY_SECONDS = 0.1
TINY_FACTOR = 3

# How long a command may take, compared with the fastest comparable command, before it is stopped.
# Some engines are expected to blow up on some traces, and the benchmark should still end.
CAP_FACTOR = 20
CAP_SECONDS = 30.0
FIRST_CAP_SECONDS = 600.0


class Trouble(Exception):
    """Something outside the measured program failed; the benchmark cannot go on."""


def end_with(main, *troubles):
    """Ends with what main() returns; trouble, also of these kinds, is a message and status 2."""
    try:
        sys.exit(main())
    except (Trouble, *troubles) as trouble:
        print(f"bench: {trouble}", file=sys.stderr)
        sys.exit(2)


def built(build, *names):
    """The paths of programs in the build folder, which must be there."""
    paths = [os.path.join(build, name) for name in names]
    for path in paths:
        if not os.access(path, os.X_OK):
            raise Trouble(f"{path} is missing; build with `make` first")
    return paths


@dataclasses.dataclass
class Run:
    """The best of some runs of one command. If `stopped`, `seconds` is only a lower bound."""

    seconds: float
    cpu_seconds: float
    peak_kib: int
    status: int
    stopped: bool
    output: str
    errors: str

    @property
    def peak_mb(self):
        return self.peak_kib * 1024 / 1e6


@dataclasses.dataclass
class Command:
    key: tuple
    argv: list
    # Commands with a cap are compared with each other: the fastest sets the cap of the others.
    capped: bool = False


def show(argv):
    """The command as a user would type it."""
    return shlex.join(argv)


class Launcher:
    """Runs one command at a time through bench-measure."""

    def __init__(self, program, directory, cpu_time=False):
        self.program = program
        self.cpu_time = cpu_time  # count only the time in which the command really ran
        self.report = os.path.join(directory, "report")
        self.output = os.path.join(directory, "output")
        # In the C locale grep need not decode UTF-8, so it is the fastest grep there is.
        # Of ThreadSanitizer only the cost is of interest, not the printing of what it found.
        self.environment = dict(os.environ, LC_ALL="C", TSAN_OPTIONS="report_bugs=0")
        self.started = lambda process: None  # called with the number of bench-measure's process

    def run(self, argv, cap):
        # The output goes to a real file: GNU grep stops at the first match if it is /dev/null.
        with open(self.output, "wb") as output:
            launched = subprocess.Popen(
                [self.program, self.report, f"{cap:.3f}"] + argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                env=self.environment,
            )
            self.started(launched.pid)
            errors = launched.communicate()[1].decode(errors="replace")
        if launched.returncode != 0:
            raise Trouble(f"cannot measure {show(argv)}: {errors.strip()}")
        with open(self.report, encoding="ascii") as report:
            seconds, user, system, peak, status, stopped = report.read().split()
        with open(self.output, encoding="utf-8", errors="replace") as output:
            text = output.read(1_000_000)
        wall, cpu = float(seconds), float(user) + float(system)
        # A command is stopped by wall-clock time, so that is the bound to show.
        taken = cpu if self.cpu_time and stopped == "0" else wall
        return Run(taken, cpu, int(peak), int(status), stopped == "1", text, errors)


def enough(best, done, rounds):
    """Is `best`, the best of `done` runs, good enough?"""
    if best.stopped or best.status > 1 or best.seconds > SHORT_SECONDS:
        return True
    return done >= rounds and (rounds == 1 or best.seconds > TINY_SECONDS)


def measure(launcher, commands, rounds):
    """Runs all commands about `rounds` times in turn and returns the best run of each, by key.

    Commands take turns, so that a slow moment of the machine affects all of them alike.
    """
    best = {}
    fastest = None
    for done in range(rounds * TINY_FACTOR):
        for command in commands:
            before = best.get(command.key)
            if before and enough(before, done, rounds):
                continue
            cap = FIRST_CAP_SECONDS if fastest is None else CAP_FACTOR * fastest + CAP_SECONDS
            run = launcher.run(command.argv, cap if command.capped else 0)
            if command.capped and not run.stopped and run.status <= 1:
                fastest = run.seconds if fastest is None else min(fastest, run.seconds)
            if before is None or run.seconds < before.seconds:
                best[command.key] = run
    return best
