"""What a command and all processes below it use, seen from outside while they run."""

import os
import threading
import time

INTERVAL = 0.03
TICKS = os.sysconf("SC_CLK_TCK")


def read(process, name):
    with open(f"/proc/{process}/{name}", encoding="ascii", errors="replace") as file:
        return file.read()


def children(process):
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        found += read(process, f"task/{task}/children").split()
    return found


def processes_below(process):
    """All of them, the command first."""
    found = children(process)
    for one in found:  # which grows while it is walked through
        try:
            found += children(one)
        except OSError:
            pass  # it has ended
    return found


def state(process):
    """One letter, and the seconds of CPU time that it has used itself."""
    words = read(process, "stat").rpartition(")")[2].split()
    return words[0], (int(words[11]) + int(words[12])) / TICKS


def memory_kib(process):
    """Its share of memory: pages that it shares with others are divided among them."""
    for line in read(process, "smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


class Usage(threading.Thread):
    """Looks at what bench-measure (process `launcher`) has started, until it has ended."""

    def __init__(self, launcher):
        super().__init__(daemon=True)
        self.launcher = launcher
        self.peak_kib = 0
        self.first_seconds = 0.0  # CPU time of the command itself, without those that it started
        self.others_seen = time.monotonic()  # when a process that it started was last running
        self.start()

    def run(self):
        while True:
            try:
                self._look()
            except (OSError, IndexError):
                if not os.path.exists(f"/proc/{self.launcher}/task"):
                    return
            time.sleep(INTERVAL)

    def _look(self):
        memory = 0
        for number, process in enumerate(processes_below(self.launcher)):
            letter, seconds = state(process)
            if number == 0:
                self.first_seconds = max(self.first_seconds, seconds)
            elif letter not in "ZX":
                self.others_seen = time.monotonic()
            memory += memory_kib(process) if letter not in "ZX" else 0
        self.peak_kib = max(self.peak_kib, memory)
