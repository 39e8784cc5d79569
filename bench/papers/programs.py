#!/usr/bin/env python3
"""Draws those tables of the papers that are about running programs, for programs that can be had.

    bench/papers/programs.py [--runs N] [--size PERCENT] [--timeout S] [--only PROGRAM,...] [TABLE...]
    bench/papers/programs.py --published FOLDER [--timeout S] [--only PROGRAM,...]

The programs are the kernels of bench/kernels (C, natively and with the instrumentation), Java programs of the kinds that
the papers measure (java/Shapes.java), and Xalan, H2 and Lucene, if Debian's packages of them are installed. They are
listed in a file for `seriatim compare --programs`; above each table stands the command that drew it.

With --published the programs are the papers' own, which FOLDER has (published.py says where they come from), with the
published specifications and the papers' columns beside ours.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import published

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(ROOT, os.environ.get("SERIATIM_BUILD", "build"))
SERIATIM = os.path.join(BUILD, "seriatim")
KERNELS = os.path.join(ROOT, "bench", "kernels")
SPEC = os.path.join(HERE, "java", "exclude.spec")
JARS = "/usr/share/java"

JAVA = {"philo": 3000, "sor": 30, "montecarlo": 3000, "tsp": 3000, "elevator": 3000}  # sizes at 100 percent
# Programs that the papers measure, too: the package, what it has, our class that drives it, and its size at 100 percent.
PACKAGES = {"xalan": ("libxalan2-java", ("xalan2.jar",), "Transform", 6),
            "h2": ("libh2-java", ("h2.jar",), "Database", 40),
            "lucene": ("liblucene4.10-java", ("lucene-core-4.*.jar", "lucene-analyzers-common-4.*.jar"), "Search", 40)}
THREE = "velodrome,regiontrack,doublechecker"

# name: title, the words behind `seriatim`. Those without a list of programs get one program after the other.
TABLES = {
    "regiontrack-4": ("RegionTrack, Table 4: memory and slowdown of engines in the running program",
                      ("compare", "--online", "--table=overhead", f"--engines={THREE}")),
    "regiontrack-5": ("RegionTrack, Table 5: the same for verdicts only",
                      ("compare", "--online", "--table=overhead", "--engines=rt-trace,aerodrome")),
    "regiontrack-7": ("RegionTrack, Table 7: memory and time of each run, with the baseline empty",
                      ("compare", "--online", "--table=cells", f"--engines=empty,{THREE},aerodrome")),
    "aerodrome-1": ("AeroDrome, Tables 1 and 2: size of each trace, verdict, time, speed-up",
                    ("compare", "--table=times", "--engines=velodrome-rapid,aerodrome-reads,velodrome,aerodrome,witness")),
    "regiontrack-2": ("RegionTrack, Table 2: violations, missed and false",
                      ("compare", "--table=violations", f"--engines={THREE},aerodrome")),
    "regiontrack-3": ("RegionTrack, Table 3: dynamic violations over the rounds of a refinement",
                      ("refine", f"--engine={THREE}")),
    "regiontrack-6": ("RegionTrack, Table 6: what the engines did",
                      ("compare", "--table=work", "--engines=regiontrack,aerodrome,velodrome,doublechecker")),
}


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{words[0]} failed:\n{done.stderr}")
    return done.stdout


def kernels():
    return sorted(file[:-2] for file in os.listdir(KERNELS) if file.endswith(".c"))


def build_kernels(folder, names):
    """name: (command, native command)"""
    found = {}
    for name in names:
        source, watched, plain = (os.path.join(KERNELS, name + ".c"), os.path.join(folder, name),
                                  os.path.join(folder, name + "-plain"))
        run(os.path.join(BUILD, "seriatim-cc"), "-g", "-O2", source, "-o", watched, "-pthread")
        run(os.environ.get("CC", "gcc"), "-g", "-O2", source, "-o", plain, "-pthread")
        found[name] = (watched, plain)
    return found


def build_package(folder, name, percent):
    """The command; None: the package is not there."""
    package, patterns, driver, size = PACKAGES[name]
    jars = [glob.glob(os.path.join(JARS, pattern)) for pattern in patterns]
    if not all(jars):
        print(f"(no {package}: {name} is left out)\n")
        return None
    path = ":".join([folder, *(found[0] for found in jars)])
    run("javac", "-g", "-cp", path, "-d", folder, os.path.join(HERE, "java", driver + ".java"))
    return f"java -cp {path} {driver} {max(1, size * percent // 100)}"


def build_java(folder, percent, wanted):
    if not shutil.which("javac"):
        print("(no javac: the Java programs are left out)\n")
        return {}
    run("javac", "-g", "-d", folder, os.path.join(HERE, "java", "Shapes.java"))
    found = {name: f"java -cp {folder} Shapes {name} {max(1, size * percent // 100)}" for name, size in JAVA.items()}
    found.update((name, build_package(folder, name, percent)) for name in PACKAGES if name in wanted)
    return {name: (command, command) for name, command in found.items() if command}


def write_list(programs, folder):
    path = os.path.join(folder, "programs")
    with open(path, "w", encoding="utf-8") as file:
        for name, (command, native) in programs.items():
            file.write(f"{name}: {command}\nnative: {native}\n")
    return path


def draw(table, programs, options, folder):
    title, words = TABLES[table]
    print(f"## {title}\n")
    if words[0] == "compare":
        words = (*words, "--spec", SPEC, "--runs", str(options.runs), "--timeout", str(options.timeout), "--format=markdown")
        print(f"    seriatim {' '.join(words)} --programs FILE\n".replace(SPEC, "exclude.spec"))
        print(run(SERIATIM, *words, "--quiet", "--programs", write_list(programs, folder)), flush=True)
        return
    for name, (command, _) in programs.items():
        words_here = (*words, "--start", SPEC, "--rounds", str(options.rounds), "--format=markdown")
        print(f"    seriatim {' '.join(words_here)} -- {name}\n".replace(SPEC, os.path.basename(SPEC)))
        print(run(SERIATIM, *words_here, "--quiet", "--", *command.split()), flush=True)


def choose(options, names):
    """What --only has; nothing: all."""
    only = [name for name in options.only.split(",") if name]
    unknown = [name for name in only if name not in names]
    if unknown:
        sys.exit(f"no such program: {unknown[0]}; there are {', '.join(names)}")
    return only


def build(folder, options):
    names = [*kernels(), *JAVA, *PACKAGES]
    only = choose(options, names)
    found = build_kernels(folder, [name for name in kernels() if not only or name in only])
    if not only or set(only) - set(kernels()):
        found.update(build_java(folder, options.size, only or names))
    return {name: command for name, command in found.items() if not only or name in only}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="of each program (default 3)")
    parser.add_argument("--rounds", type=int, default=20, help="of a refinement at most (default 20)")
    parser.add_argument("--size", type=int, default=100, help="percent of the usual size of Java programs")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for an engine on a run (default 60)")
    parser.add_argument("--only", default="", metavar="PROGRAM,...", help="these programs (all)")
    parser.add_argument("--published", metavar="FOLDER", help="the papers' own programs, which FOLDER has")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"only these (all): {', '.join(TABLES)}")
    options = parser.parse_args()
    unknown = [name for name in options.tables if name not in TABLES]
    if unknown:
        parser.error(f"no such table: {unknown[0]}")
    with tempfile.TemporaryDirectory() as folder:
        if options.published:
            published.draw(SERIATIM, folder, options, choose(options, list(published.PROGRAMS)) or list(published.PROGRAMS))
            return 0
        programs = build(folder, options)
        if not programs:
            sys.exit("none of the programs can be built here")
        for table in options.tables or TABLES:
            draw(table, programs, options, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
