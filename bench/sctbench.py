#!/usr/bin/env python3
"""How many controlled runs it takes until the programs of SCTBench fail.

    bench/sctbench.py [OPTIONS] CHECKOUT

CHECKOUT is a copy of the public repository of SCTBench, https://github.com/mc-imperial/sctbench (it is
not ours, and not part of this one). Its faulty pthread programs are built with our compiler, and
`seriatim hunt` runs each, once for each seed, until the first run that fails: a failed assertion, a
crash, a deadlock, or the end of the program with another status. The table has the median of the seeds,
the two runs that learn included. Programs whose failure is a wrong result are run by a script that
compares it. What cannot be built or run today is listed at the end, with the reason.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Only failures count here, not blocks that are cut.
SPEC = "ignore function *\nignore thread functions\n"


@dataclasses.dataclass
class Program:
    """One of SCTBench's list: the folder of its suite, its sources there, and how it is run."""
    suite: str
    name: str
    sources: str = ""           # to compile and link; none: `make` does it
    folder: str = ""            # below the suite
    made: str = ""              # what `make` makes
    arguments: str = ""
    flags: str = ""
    inputs: str = ""            # files that it reads
    result: str = ""            # a file that it writes, which must be the same as in a native run
    repaired: str = ""          # of the program, built with these flags


SMALL = "concurrent-software-benchmarks"
LISTED = [Program("chess", name, f"{name}.cpp", flags="-std=c++11",
                  arguments="2") for name in (
    "InterlockedWorkStealQueue InterlockedWorkStealQueueWithState StateWorkStealQueue "
    "WorkStealQueue").split()]
LISTED += [
    Program("conc-bugs", "pbzip2-0.9.4", "pbzip2-0.9.4/pbzip2.cpp", folder="pbzip2-0.9.4",
            flags="-D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -lbz2", inputs="test.tar",
            arguments="-k -c -p2 -1 -b1 test.tar"),
    Program("conc-bugs", "stringbuffer-jdk1.4", "main.cpp stringbuffer.cpp",
            folder="stringbuffer-jdk1.4", flags="-std=c++11")]
LISTED += [Program(SMALL, name, f"{name}.c") for name in (
    "account_bad arithmetic_prog_bad bluetooth_driver_bad carter01_bad circular_buffer_bad "
    "deadlock01_bad din_phil2_sat din_phil3_sat din_phil4_sat din_phil5_sat din_phil6_sat "
    "din_phil7_sat fsbench_bad lazy01_bad phase01_bad queue_bad reorder_10_bad reorder_20_bad "
    "reorder_3_bad reorder_4_bad reorder_5_bad stack_bad sync01_bad sync02_bad token_ring_bad "
    "twostage_100_bad twostage_bad wronglock_3_bad wronglock_bad").split()]
LISTED += [Program("parsec-2.0", name, "streamcluster.cpp parsec_barrier.cpp",
                   folder=f"pkgs/kernels/{name}/src", flags="-DENABLE_THREADS -fpermissive",
                   arguments=f"2 5 1 10 10 5 none output.txt {count}", result="output.txt",
                   repaired="-DFIX_BUG_1= -DFIX_BUG_2= -DFIX_BUG_3=")
           for name, count in (("streamcluster", 2), ("streamcluster2", 3), ("streamcluster3", 2))]
LISTED += [
    Program("inspect_examples", "ctrace-test", "ctrace-test.c", arguments="2"),
    Program("inspect_benchmarks", "qsort_mt", "qsort_mt.c", arguments="-n 32 -f 4 -h 2 -v"),
    Program("safestack", "bug1", "SafeStack.cpp", flags="-std=c++11"),
    Program("splash2", "barnes", folder="apps/barnes", made="BARNES"),
    Program("splash2", "fft", folder="kernels/fft", made="FFT", arguments="-p2 -m2 -n4 -l4"),
    Program("splash2", "lu", folder="kernels/lu/non_contiguous_blocks", made="LU",
            arguments="-p2 -n2 -b1")]

LEFT_OUT = {
    "conc-bugs aget-bug2": "downloads a file from a server in the internet",
    "parsec-2.0 ferret": "takes an image library of 2005 and 20,000 scheduling points a run",
    "radbench bug1": "needs a Firefox of 2009, which the checkout does not contain",
    "radbench bug2, bug6": "need builds of SpiderMonkey 1.7 and NSPR 4.8",
}


def threads_of(checkout):
    """By name, from SCTBench's own list."""
    lines = (checkout / "benchmarks/buggy.txt").read_text().splitlines()
    return {(words[0].lstrip("#"), words[1]): int(words[2]) for words in map(str.split, lines) if words}


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.spec = folder / "spec"
        self.spec.write_text(SPEC)
        self.shim = folder / "bin"
        self.shim.mkdir()
        (self.shim / "cc").write_text(f'#!/bin/sh\nexec "{arguments.seriatim}" cc -g "$@"\n')
        (self.shim / "cc").chmod(0o755)

    @staticmethod
    def _compile(program, place, target, compiler):
        words = [*compiler, "-g", "-O0", "-w", "-pthread"]
        flags = program.flags.split()
        libraries = [flag for flag in flags if flag.startswith("-l")]
        return [*words, *[flag for flag in flags if flag not in libraries], "-o", target,
                *[place / source for source in program.sources.split()], *libraries, "-lm"]

    def _make(self, program, place):
        environment = dict(os.environ, PATH=f"{self.shim}:{os.environ['PATH']}")
        return subprocess.run(["make", program.made], cwd=place, env=environment,
                              capture_output=True, check=False).returncode == 0

    def build(self, program):
        """The words that run it, or None if it cannot be built today."""
        source = self.arguments.checkout / "benchmarks" / program.suite
        place = self.folder / f"{program.suite}-{program.name}"
        shutil.copytree(source / program.folder, place / program.folder)
        here = place / program.folder
        if (source / "null_macros").exists():
            shutil.copytree(source / "null_macros", place / "null_macros")
        target = here / (program.made or program.name + ".x")
        if program.made:
            built = self._make(program, here)
        else:
            compiler = [self.arguments.seriatim, "cc" if program.sources.endswith(".c") else "c++"]
            built = subprocess.run(self._compile(program, here, target, compiler),
                                   capture_output=True, check=False).returncode == 0
        if not built:
            return None, here
        words = [target, *program.arguments.split()]
        return (self._comparing(program, here, words) if program.result else words), here

    def _comparing(self, program, here, words):
        """A script that fails when the result is another one than that of a repaired build."""
        native = here / "native.x"
        subprocess.run(self._compile(program, here, native, ["g++", *program.repaired.split()]),
                       check=True, capture_output=True)
        subprocess.run([native, *words[1:]], cwd=here, check=True, capture_output=True)
        (here / program.result).rename(here / "wanted")
        script = here / f"{program.name}.sh"
        command = " ".join(map(str, words))
        script.write_text("#!/bin/sh\nfolder=$(mktemp -d) && cd $folder || exit 2\n"
                          f"{command}\nstatus=$?\ncmp -s {program.result} {here}/wanted\nsame=$?\n"
                          "rm -rf $folder\n[ $status = 0 ] && exit $same\nexit $status\n")
        script.chmod(0o755)
        return [script]

    def first_failure(self, words, place, seed):
        """The number of the run; None: none of them failed."""
        arguments = self.arguments
        result = place / "result.json"
        command = [arguments.seriatim, "hunt", "-q", "--format", "json", "-o", result, "--keep", place,
                   "--spec", self.spec, "--until", "first", "--runs", str(arguments.runs), "--time",
                   str(arguments.time), "--seed", str(seed), "--strategy", arguments.strategy, "--",
                   *words]
        ended = subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, check=False)
        if ended.returncode not in (0, 1):
            print(f"{words[0].name}: {ended.stderr.strip()}", file=sys.stderr)
            return None
        failures = json.loads(result.read_text())["failures"]
        return min((failure["run"] for failure in failures), default=None)


def describe(found, arguments):
    hits = [run for run in found if run is not None]
    if not hits:
        return f"{'none':>8} {'':>12} {0:>4}/{len(found)}"
    late = [run if run is not None else arguments.runs for run in found]
    return (f"{statistics.median(late):>8.0f} {min(hits):>5} to {max(hits):<5}"
            f"{len(hits):>4}/{len(found)}")


def measure(arguments, folder):
    bench = Bench(arguments, folder)
    threads = threads_of(arguments.checkout)
    failed = tried = 0
    for program in LISTED:
        label = f"{program.suite.replace(SMALL, 'CS')} {program.name}"
        if arguments.only not in label:
            continue
        words, place = bench.build(program)
        if not words:
            print(f"{label:40} cannot be built", flush=True)
            continue
        found = [bench.first_failure(words, place, seed) for seed in range(1, arguments.seeds + 1)]
        print(f"{label:40} {threads.get((program.suite, program.name), 0):>7} "
              f"{describe(found, arguments)}", flush=True)
        tried += 1
        failed += all(run is not None for run in found)
    print(f"{failed} of {tried} programs failed for every seed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--seriatim", default=os.fspath(ROOT / "build" / "seriatim"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--time", type=int, default=600, help="seconds for each seed")
    parser.add_argument("--strategy", default="portfolio")
    parser.add_argument("--only", default="", help="programs with this in their names, as the table has them")
    arguments = parser.parse_args()
    arguments.checkout = arguments.checkout.resolve()
    arguments.seriatim = os.path.abspath(arguments.seriatim)
    print(f"{'program':40} {'threads':>7} {'median':>8} {'fewest, most':>13} seeds")
    with tempfile.TemporaryDirectory(prefix="seriatim-sctbench-") as name:
        measure(arguments, pathlib.Path(name))
    for name, reason in LEFT_OUT.items():
        if not arguments.only:
            print(f"left out: {name}: {reason}")


if __name__ == "__main__":
    main()
