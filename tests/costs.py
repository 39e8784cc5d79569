"""What tests cost. `python3 tests/costs.py FILE MODULE` runs a test file as `python3 -m unittest -v
MODULE` does, and writes what each of its tests took into FILE. scripts/test adds it up.

Processor time says more than time on the clock, which depends on what else is running. That of a
test is its own and that of all programs that it started and waited for."""

import collections
import os
import resource
import sys
import time
import unittest

Cost = collections.namedtuple("Cost", "processor clock name")


def of(usage):
    return usage.ru_utime + usage.ru_stime


def processor_time():
    return of(resource.getrusage(resource.RUSAGE_SELF)) + of(
        resource.getrusage(resource.RUSAGE_CHILDREN))


def wait(process):
    """Waits for a Popen and returns the processor time of it and of all that it waited for."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return of(usage)


class Result(unittest.TextTestResult):
    """What happens between two tests prepares the second: its class, or the whole file."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.costs = []
        self.last = (0, time.monotonic())

    def add_cost(self, name):
        now = (processor_time(), time.monotonic())
        self.costs.append(Cost(now[0] - self.last[0], now[1] - self.last[1], name))
        self.last = now

    def startTest(self, test):
        self.add_cost(f"before {test.id()}")
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.add_cost(test.id())


def main(path, module):
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    program = unittest.main(None, argv=["unittest", module], testRunner=runner, exit=False)
    with open(path, "w", encoding="utf-8") as file:
        for cost in program.result.costs:
            print(*cost, sep="\t", file=file)
    return 0 if program.result.wasSuccessful() else 1


def read(path):
    """What main() wrote; nothing if it did not come so far."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        return []
    return [Cost(float(processor), float(clock), name) for processor, clock, name in lines]


def table(title, costs, most):
    """The dearest, as lines of text."""
    costs = sorted(costs, reverse=True)[:most]
    return [f"{title} (seconds of processor time and on the clock):",
            *(f"{cost.processor:8.1f} {cost.clock:7.1f}   {cost.name}" for cost in costs)]


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    sys.exit(main(*sys.argv[1:]))
