#!/usr/bin/env python3
"""At which place of a report does the bug stand? Measured with real programs.

    bench/ranking.py [--build DIR] [--keep DIR] [--runs N] [--memcached SOURCE] [PROGRAM...]

memcached 1.4.4 has a bug of its own: an `incr` can be lost. --memcached names its unpacked source
(https://github.com/memcached/memcached, tag 1.4.4). The other programs come from Debian, and each gets a
bug: a critical section is cut into two, with a sched_yield() between them. Each program works N times
(5 unless given) under `seriatim run`. A row says in how many of the runs the bug struck, at which place its
finding stood in each of those, how many findings there were, and how many of these are below "By design?".
The finding of the bug is the one whose two lines are those where the section was cut.

Sources and builds are kept in DIR, by default build/real.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [os.fspath(HERE), os.fspath(HERE / "real")]

import client
import memcached
import packages
import recipes
from compilers import compilers
from measuring import Trouble

HANG_SECONDS = 600


class Bug:
    """A section that is cut. From the text `start` on, each edit changes the first match of a pattern behind
    the one before. The lines of the bug are those from the first match to the last."""

    BEGIN, END = "/* cut here: */", "/* until here */"

    def __init__(self, file, start, *edits):
        self.file, self.start, self.edits = file, start, edits

    def cut(self, text):
        """The text with the bug; None if it is not the version that the bug is for."""
        first, at = None, text.find(self.start)
        for pattern, new in self.edits:
            found = re.compile(pattern).search(text, at) if at >= 0 else None
            if not found:
                return None
            first = found.start() if first is None else first
            changed = found.expand(new)
            text = text[:found.start()] + changed + text[found.end():]
            at = found.start() + len(changed)
        begin, end = text.rindex("\n", 0, first) + 1, text.index("\n", at) + 1
        return f"{text[:begin]}{self.BEGIN}\n{text[begin:end]}{self.END}\n{text[end:]}"

    def plant(self, place):
        path = pathlib.Path(place) / self.file
        text = self.cut(path.read_text(encoding="utf-8"))
        if not text:
            raise Trouble(f"{path} is not the version that this bug is for")
        path.write_text(text, encoding="utf-8")
        return [["sed", "-i", "1i #include <sched.h>", self.file]]

    def lines(self, place):
        lines = (pathlib.Path(place) / self.file).read_text(encoding="utf-8").splitlines()
        return range(lines.index(self.BEGIN) + 1, lines.index(self.END) + 2)


class Planted:
    """A recipe with a bug, which is planted before anything is built."""

    def configure(self, place, compilers, flags):
        return self.bug.plant(place) + super().configure(place, compilers, flags)

    def ready(self, options):
        program = super().build("ranked", compilers(options.build)["seriatim"])
        self.place = self.keep / self.package / "ranked"
        return program

    def is_bug(self, finding):
        places = re.findall(r"([^\s:]+):(\d+)(?: and (\d+))?", finding["look_at"])
        lines = [int(line) for _, *both in places for line in both if line]
        return bool(lines) and all(os.path.basename(file) == os.path.basename(self.bug.file)
                                   for file, *_ in places) and \
            all(line in self.bug.lines(self.place) for line in lines)


class Xz(Planted, recipes.Xz):
    # What the thread has done is added to what all have done, with an old sum.
    bug = Bug("src/liblzma/common/stream_encoder_mt.c", "\nworker_start(",
              (r"mythread_sync\(thr->coder->mutex\) \{(?=[^}]+outbuf->finished)",
               r"uint64_t sum = 0;\n\g<0>\nsum = thr->coder->progress_in + thr->outbuf->uncompressed_size;\n}\n"
               r"sched_yield();\n\g<0>"),
              (r"(->progress_in)\s+\+= thr->outbuf->uncompressed_size;", r"\1 = sum;"))

    def words(self, program):
        return [program, "-T4", "-1", "--block-size=10KiB", "-k", "-c", self.text(self.scaled(1_000_000))]


class Zstd(Planted, recipes.Zstd):
    # A buffer goes back to a slot that somebody else may have taken meanwhile.
    bug = Bug("lib/compress/zstdmt_compress.c", "void ZSTDMT_releaseBuffer(",
              (r"(\w+_mutex_)lock(\(&(bufPool)->poolMutex\);)",
               r"\g<0>\n{ unsigned const slot = \3->nbBuffers;\n\1unlock\2\nsched_yield();\n\g<0>\n"
               r"\3->nbBuffers = slot; }"),
              (r"nbBuffers\+\+\] = buf;", r"\g<0>"))

    def words(self, program):
        return [program, "-T4", "-B512KB", "-1", "-k", "-q", "-c", self.text(self.scaled(12_000_000))]


class Pigz(Planted, recipes.Pigz):
    # The use count of a buffer is looked at, and then changed.
    bug = Bug("pigz.c", "\nlocal void drop_space(",
              (r"possess\((.*)\);", r"\g<0>"),
              (r"assert\(use != 0\);", r"release(space->use);\nsched_yield();\npossess(space->use);"),
              (r"twist\(", r"\g<0>"))

    def words(self, program):
        # Each strike loses a buffer, and with more input pigz waits for one for ever.
        return [program, "-p4", "-k", "-c", "-n", self.text(self.scaled(1_000_000))]


class Leveldb(Planted, recipes.Leveldb):
    # A number, and the tables that it belongs to.
    bug = Bug("db/db_impl.cc", "Status DBImpl::Get(",
              (r"MutexLock l\(", r"\g<0>"),
              (r"(LastSequence\(\);\s+\})", r"\1\n  mutex_.Unlock();\n  sched_yield();\n  mutex_.Lock();"),
              (r"current->Ref\(\);", r"\g<0>"))

    def words(self, program):
        return [program, self.keep / "leveldb-data", str(self.scaled(300)), "read"]


class Memcached(Planted, recipes.Memcached):
    name = "memcached 1.6"
    # A counter is read, and then written.
    bug = Bug("items.c", "\nuint64_t get_cas_id(",
              (r"(pthread_mutex_)lock(\(.*\);)(\s+.*= )\+\+(cas_id);",
               r"\1lock\2\3\4 + 1;\n\1unlock\2\nsched_yield();\n\1lock\2\n\4 = next_id;"),
              (r"pthread_mutex_unlock", r"\g<0>"))

    def ask(self):
        try:
            client.work(self.port, recipes.THREADS, self.scaled(400))
        except client.Wrong:
            pass  # two versions with one number: the bug


class OldMemcached(recipes.Server):
    """An item that is read by one function and replaced by another: a lost increment."""

    name, connections, increments = "memcached 1.4.4", 6, 150

    def ready(self, options):
        if not options.memcached:
            raise packages.Unavailable("its source is to be named with --memcached")
        place = pathlib.Path(options.memcached).resolve()
        ways = compilers(options.build)["seriatim"]
        flags = "-g -O1 -w -pthread -fcommon"
        if not (place / "Makefile").exists():
            packages.make(place, ["./configure", "CC=" + ways.cc, "CFLAGS=" + flags])
        packages.make(place, ["rm", "-f", "memcached"], ["make", "memcached", "CFLAGS=" + flags])
        return place / "memcached"

    def words(self, program):
        self.pid_file = self.keep / "memcached-1.4.4.pid"
        self.pid_file.unlink(missing_ok=True)
        return [program, *memcached.arguments(self.port, os.fspath(self.pid_file)), "-vv"]

    def ask(self):
        threads = [threading.Thread(target=self.add, args=(i,)) for i in range(self.connections)]
        client.Connection(self.port).store("n", b"9")
        for one in threads:
            one.start()
        for one in threads:
            one.join()

    def add(self, number):
        chance, connection = random.Random(number), client.Connection(self.port)
        for i in range(self.scaled(self.increments)):
            connection.command("incr n 1")
            if i % 5 == 0:
                connection.store(f"{number}-{i % 7}", b"x" * chance.randrange(1, 200))
            if i % 7 == 0:
                connection.get(f"{(number + 1) % self.connections}-{i % 7}")
            if i % 11 == 0:
                connection.command(f"delete {number}-{i % 7}")

    def end(self, server):
        while server.is_alive():
            for pid in subprocess.run(["pgrep", "-f", f"memcached .*-p {self.port} "], check=False,
                                      capture_output=True, text=True).stdout.split():
                try:
                    if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "memcached":
                        os.kill(int(pid), signal.SIGINT)
                except OSError:
                    pass  # it has ended
            server.join(0.5)

    def is_bug(self, finding):
        return finding["function"] == "process_arithmetic_command" and " and " in finding["look_at"]


PROGRAMS = {"memcached-1.4.4": OldMemcached, "memcached": Memcached, "pigz": Pigz, "xz": Xz,
            "zstd": Zstd, "leveldb": Leveldb}


def watch(options, recipe, program):
    """The findings of one run."""
    seriatim, report = options.build / "seriatim", options.keep / "ranking.json"

    def launch(words):
        try:
            done = subprocess.run([seriatim, "run", "--format", "json", "--log", report, "--", *words],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                                  timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise Trouble(f"{words[0]} hung") from late
        if done.returncode not in (0, 66, 128 + signal.SIGABRT):  # a bug may fail an assertion
            raise Trouble(f"{words[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")

    recipe.work(launch, program)
    return json.loads(report.read_text(encoding="utf-8"))["findings"]


def measure(options, name):
    recipe = PROGRAMS[name](options.keep, options.share)
    program = recipe.ready(options)
    places, counts, designs = [], [], []
    for _ in range(options.runs):
        findings = watch(options, recipe, program)
        counts.append(len(findings))
        designs.append(sum(finding["by_design"] for finding in findings))
        hits = [finding for finding in findings if recipe.is_bug(finding)]
        if hits:
            place = min(hit["rank"] for hit in hits)
            folded = all(hit["by_design"] for hit in hits)
            places.append(f"{place}{' (by design?)' if folded else ''}")
        if options.verbose:
            for finding in findings:
                print("   ", "*" if finding in hits else " ", finding["rank"], finding["function"],
                      finding["look_at"], "-", finding["why_here"], file=sys.stderr)
    print(f"| {recipe.name} | {options.runs} | {len(places)} | {', '.join(places)} | "
          f"{min(counts)} to {max(counts)} | {min(designs)} to {max(designs)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="At which place of a report does the bug stand?")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build",
                        help="where seriatim is")
    parser.add_argument("--keep", type=pathlib.Path, help="where sources and builds go (build/real)")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each program (5)")
    parser.add_argument("--share", type=float, default=1.0, help="of the work, for a quick look (1.0)")
    parser.add_argument("--memcached", metavar="SOURCE", help="the source of memcached 1.4.4")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the findings of each run")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="some of: " + ", ".join(PROGRAMS))
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.keep = (options.keep or options.build / packages.FOLDER).resolve()
    options.keep.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in options.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    print("| program | runs | struck in | place of the bug | findings | by design? |")
    print("|---|--:|--:|---|--:|--:|")
    for name in options.programs or PROGRAMS:
        try:
            measure(options, name)
        except (Trouble, client.Wrong) as trouble:
            print(f"| {name} | | | {trouble} | | |", flush=True)


if __name__ == "__main__":
    main()
