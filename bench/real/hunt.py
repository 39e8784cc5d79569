#!/usr/bin/env python3
"""Real programs under control: do they come to their ends, with the right results?

    bench/real/hunt.py [--build DIR] [--keep DIR] [--runs N] [--memcached SOURCE] [PROGRAM...]

xz, zstd, leveldb and redis are fetched from Debian, built with seriatim's compiler wrapper, and hunted
for a few runs. A script around each program notes what came of every run, which must be what comes of a
run without control; redis has a client that checks every answer. With --memcached, SOURCE is an unpacked
memcached 1.4.4 (https://github.com/memcached/memcached, tag 1.4.4), whose `incr` can be lost: it is hunted
with a client that counts until that happens. A row says how many runs there were, how many of them had
another result, how many points and seconds a run took, how many may not be repeatable, and what was found.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]

import packages
import recipes
from compilers import compilers
from measuring import Trouble, end_with
from memcached import free_port

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Hunted:
    """What the programs have in common. `keep` is where sources and builds are kept."""

    def __init__(self, options):
        self.options = options
        self.keep = pathlib.Path(options.keep)
        self.ways = compilers(options.build)["seriatim"]

    def built(self, recipe):
        """The program, built on first use."""
        program = self.keep / recipe.package / "hunted" / recipe.program
        return program if program.exists() else recipe(self.keep).build("hunted", self.ways, "-O1 -g")

    def text(self):
        """A file that compresses like words do."""
        chance = random.Random(1)
        words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 9))) for _ in range(2000)]
        path = self.keep / "words.txt"
        path.write_text(" ".join(chance.choice(words) for _ in range(20000)))
        return path


class Xz(Hunted):
    name = "xz -T4"

    def words(self):
        return [self.built(recipes.Xz), "-T4", "--block-size=30KiB", "-1", "-k", "-c", self.text()]


class Zstd(Hunted):
    name = "zstd -T4"

    def words(self):
        return [self.built(recipes.Zstd), "-T4", "-B32KB", "-1", "-k", "-q", "-c", self.text()]


class Leveldb(Hunted):
    name = "leveldb"

    def words(self):
        return [self.built(recipes.Leveldb), self.keep / "leveldb-data"]


class Redis(Hunted):
    name = "redis"

    def words(self):
        self.port = free_port()
        return [self.built(recipes.Redis), "--port", self.port, "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "yes", "--dir", self.data(), "--io-threads", 4, "--io-threads-do-reads",
                "yes"]

    def data(self):
        folder = self.keep / "redis-data"
        folder.mkdir(exist_ok=True)
        return folder

    def client(self):
        return [sys.executable, HERE / "entries.py", self.port]

    def between(self):
        """Each run begins with an empty store."""
        return f"rm -rf {shlex.quote(os.fspath(self.data()))}/*"


class Memcached(Hunted):
    name = "memcached 1.4.4"

    def words(self):
        place = pathlib.Path(self.options.memcached).resolve()
        if not (place / "memcached").exists():
            packages.make(place, ["./configure", "CC=" + self.ways.cc,
                                  "CFLAGS=-g -O1 -w -pthread -fcommon"],
                          ["make", "memcached", "CFLAGS=-g -O1 -w -pthread -fcommon"])
        self.port = free_port()
        user = ["-u", "root"] if os.geteuid() == 0 else []
        return [place / "memcached", *user, "-l", "127.0.0.1", "-p", self.port, "-U", 0, "-t", 4]

    def client(self):
        return [sys.executable, HERE / "increments.py", self.port]


PROGRAMS = {"xz": Xz, "zstd": Zstd, "leveldb": Leveldb, "redis": Redis, "memcached": Memcached}


def join(words):
    return " ".join(shlex.quote(str(word)) for word in words)


def noting(words, program, notes, path):
    """A script that runs the program, and notes the sum of what it printed, or that of its status."""
    before = program.between() + "\n" if hasattr(program, "between") else ""
    if hasattr(program, "client"):
        path.write_text(f"#!/bin/sh\n{before}exec {join(words)}\n")
    else:
        path.write_text(f"#!/bin/sh\nout=$(mktemp)\n{before}{join(words)} > $out\nstatus=$?\n"
                        f"echo $status $(sha256sum < $out) >> {notes}\nrm $out\nexit $status\n")
    path.chmod(0o755)


def hunt(options, program):
    words = program.words()
    folder = program.keep
    notes, script, result = folder / "notes", folder / "hunted.sh", folder / "result.json"
    notes.unlink(missing_ok=True)
    noting(words, program, notes, script)
    command = [os.path.join(options.build, "seriatim"), "hunt", "-q", "--format", "json", "-o", result,
               "--keep", folder / "schedules", "--runs", options.runs, "--time", options.time,
               "--run-time", options.time, "--jobs", 1, "--seed", options.seed]
    wanted = None
    if hasattr(program, "client"):
        client = join(program.client())
        command += ["--client", f"{client}; status=$?; echo $status >> {shlex.quote(str(notes))}; exit $status"]
        wanted = "0"
    else:
        done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, check=True)
        wanted = f"0 {hashlib.sha256(done.stdout).hexdigest()} -"
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command + ["--", script]], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        raise Trouble(done.stderr.strip())
    return json.loads(result.read_text()), notes.read_text().splitlines(), wanted, time.monotonic() - began


def show(program, result, noted, wanted, seconds):
    # What was found is done again: those runs are noted, too.
    runs = result["runs"]
    other = sum(1 for line in noted if line != wanted)
    harmful = [entry for entry in result["violations"] + result["failures"] if entry["outcome"] != "same"]
    worst = harmful[0] if harmful else None
    found = f"{result['violation_count']} blocks cut, {len(result['failures'])} failures"
    if worst:
        found += (f"; {worst.get('block') or worst['kind']} in run {worst['run']} ({worst['strategy']}), "
                  f"{worst['preemptions']} preemptions, {worst['replayed']} replays")
    print(f"| {program.name} | {runs} ({len(noted)} with replays) | {other} | {result['points'] // runs:,} | "
          f"{seconds / len(noted):.1f} s | {result['loose']} | {found} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Hunts in real programs.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where seriatim is")
    parser.add_argument("--keep", help="where sources and builds go (build/real)")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--time", type=int, default=120, help="seconds for the runs of a program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memcached", help="the unpacked source of memcached 1.4.4")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="some of: " + ", ".join(PROGRAMS))
    options = parser.parse_args()
    options.keep = os.path.abspath(options.keep or os.path.join(options.build, packages.FOLDER))
    usual = [name for name in PROGRAMS if name != "memcached" or options.memcached]
    unknown = [name for name in options.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"no such program: {unknown[0]}")
    if "memcached" in options.programs and not options.memcached:
        parser.error("--memcached must name its source")
    os.makedirs(options.keep, exist_ok=True)
    print("| program | runs | other results | points a run | time a run | loose | found |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name in options.programs or usual:
        program = PROGRAMS[name](options)
        show(program, *hunt(options, program))


if __name__ == "__main__":
    end_with(main)
