#!/usr/bin/env python3
"""Runs the thread tests of other projects natively and under seriatim, and compares.

    tests/suites/run.py [--build DIR] [--keep DIR] [-j JOBS] [--only TEXT] [--list] [SUITE...]

Gets the source packages of valgrind, gcc, glibc and LLVM from Debian, builds each test that is a
program of its own with the system's compiler and with seriatim's wrapper, runs both and prints a table:

    equal     the same exit status and the same output
    differ    another status or another output than natively
    crash     ended by a signal that does not end it natively
    hang      did not end, though it does natively
    findings  of those that ran: how many gave a report with findings

Not counted are files that do not compile natively, and programs that natively do not end, fail, or do not
give the same output twice. Those that give another output under seriatim are run natively a hundred times
more. `--keep` holds sources, programs, reports and results.json; what is there is not fetched or built
again. This is no part of `make test`: it takes long, and needs the network.
"""

import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys

import sources

ROOT = sources.ROOT
HANG_SECONDS = 120  # under seriatim; programs that natively take more than a twelfth are left out
NATIVE_SECONDS = 10
MORE_RUNS = 100
OUTCOMES = ["equal", "differ", "crash", "hang"]


def run(argv, seconds, folder):
    """(status, output) or None if it did not end. All that it started ends with it."""
    with subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, start_new_session=True,
                          env=dict(os.environ, LC_ALL="C")) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


class Tester:
    """Builds and runs the programs of one suite."""

    def __init__(self, suite, source, options):
        self.suite, self.source = suite, source
        self.build = os.path.abspath(options.build)
        self.folder = os.path.join(options.keep, "programs", suite.name)
        os.makedirs(self.folder, exist_ok=True)

    def compiler(self, path, watched):
        c_plus_plus = not path.endswith(".c")
        if watched:
            return os.path.join(self.build, "seriatim-c++" if c_plus_plus else "seriatim-cc")
        return {"gcc": ["gcc", "g++"], "clang": ["clang", "clang++"]}[self.suite.compiler][c_plus_plus]

    def compile(self, path, watched, program):
        """Whether there is a program now."""
        suite = self.suite
        flags = [flag.format(source=self.source) for flag in suite.flags]
        flags += [] if re.search(r"-O\d", " ".join(flags)) else ["-O1"]
        # C files, which know no -std of C++.
        flags = [flag for flag in flags if not (flag.startswith("-std=gnu++") and path.endswith(".c"))]
        native = [word for file in suite.native for word in ("-x", "c", file, "-x", "none")]
        libraries = [word.format(source=self.source) for word in suite.libraries]
        environment = dict(os.environ)
        if suite.compiler == "clang":
            environment.update(SERIATIM_CC="clang", SERIATIM_CXX="clang++")
        done = subprocess.run(
            [self.compiler(path, watched), "-g", "-w", "-fcommon", *flags, *options_of(path), path,
             *([] if watched else native), "-o", program, *libraries], cwd=self.folder, env=environment,
            capture_output=True, check=False)
        return done.returncode == 0

    def test(self, path):
        """What became of the program, or None if it is not counted."""
        name = re.sub(r"\W+", "-", os.path.relpath(path, os.path.join(self.source, self.suite.folder)))
        native, watched = (os.path.join(self.folder, f"{name}.{way}") for way in ("native", "watched"))
        if not self.compile(path, False, native):
            return None
        words = self.suite.arguments
        expected, again = (run([native, *words], NATIVE_SECONDS, self.folder) for _ in range(2))
        if not expected or expected[0] != 0 or again != expected:
            return None
        if not self.compile(path, True, watched):
            return {"program": name, "outcome": "differ", "why": "does not build"}
        report = os.path.join(self.folder, f"{name}.json")
        if os.path.exists(report):
            os.remove(report)
        got = run([os.path.join(self.build, "seriatim"), "run", "-q", "--error-exitcode", "0",
                   "--format", "json", "--log", report, "--", watched, *words], HANG_SECONDS, self.folder)
        result = dict(compare(expected, got), program=name, **findings(report))
        return None if result["outcome"] == "differ" and self.varies(native, expected) else result

    def varies(self, native, expected):
        """Does the program sometimes do another thing natively, too?"""
        return any(run([native, *self.suite.arguments], NATIVE_SECONDS, self.folder) != expected
                   for _ in range(MORE_RUNS))


def options_of(path):
    """The flags that a test of gcc asks for in a comment."""
    with open(path, encoding="utf-8", errors="replace") as file:
        words = re.findall(r'dg-(?:additional-)?options "([^"]*)" *\}', file.read())
    return [word for line in words for word in line.split()
            if re.match(r"-(std=|O|f(?!offload|dump|sanitize)|l|D|m(?!arch|tune))", word)]


def compare(expected, got):
    if not got:
        return {"outcome": "hang"}
    if got[0] < 0 or (got[0] >= 128 and got[0] != expected[0]):
        return {"outcome": "crash", "why": f"status {got[0]}"}
    if got != expected:
        return {"outcome": "differ", "why": f"status {got[0]}" if got[0] else "output"}
    return {"outcome": "equal"}


def findings(report):
    """What the report says was found."""
    try:
        with open(report, encoding="utf-8") as file:
            result = json.load(file)
    except (OSError, ValueError):
        return {"findings": 0, "report": "none"}
    found = result["violation_count"] or (0 if result["serializable"] else 1)
    return {"findings": found,
            "blocks": sorted({violation.get("block") or "?" for violation in result["violations"]})}


def show(results):
    rows = [["suite", "programs", *OUTCOMES, "findings"]]
    for name, entries in results.items():
        count = [sum(entry["outcome"] == outcome for entry in entries) for outcome in OUTCOMES]
        found = sum(entry.get("findings", 0) > 0 for entry in entries)
        rows.append([name, len(entries), *count, found])
    if len(rows) > 2:
        rows.append(["all", *(sum(column) for column in zip(*(row[1:] for row in rows[1:])))])
    for i, row in enumerate(rows):
        print("| " + " | ".join(str(cell) for cell in row) + " |")
        if i == 0:
            print("|---|" + "--:|" * (len(row) - 1))


def details(results):
    for name, entries in results.items():
        for entry in entries:
            if entry["outcome"] != "equal":
                print(f"{name}: {entry['program']}: {entry['outcome']} ({entry.get('why', '')})")
            if entry.get("findings"):
                print(f"{name}: {entry['program']}: finds {', '.join(entry['blocks'])}")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def test_suite(suite, options):
    source = sources.unpack(suite, options.keep)
    tester = Tester(suite, source, options)
    paths = [path for path in sources.programs(suite, source) if options.only in path]
    entries = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, entry in enumerate(pool.map(tester.test, paths), 1):
            progress(f"{suite.name}: {done} of {len(paths)}")
            if entry:
                entries.append(entry)
    progress("")
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder of seriatim")
    parser.add_argument("--keep", default=os.path.join(ROOT, "build", "suites"),
                        help="where sources, programs and results are kept")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose path has TEXT in it")
    parser.add_argument("--list", action="store_true", help="show the names of the suites")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="all if none is given")
    options = parser.parse_args()
    if options.list:
        print("\n".join(sources.SUITES))
        return
    unknown = [name for name in options.suites if name not in sources.SUITES]
    if unknown:
        parser.error(f"there is no suite {unknown[0]}; there are {', '.join(sources.SUITES)}")
    options.keep = os.path.abspath(options.keep)
    os.makedirs(options.keep, exist_ok=True)
    results = {name: test_suite(sources.SUITES[name], options)
               for name in options.suites or sources.SUITES}
    with open(os.path.join(options.keep, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    show(results)
    print()
    details(results)


if __name__ == "__main__":
    try:
        main()
    except sources.packages.Unavailable as trouble:
        sys.exit(f"run.py: {trouble}")
