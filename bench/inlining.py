#!/usr/bin/env python3
"""Measures the cost of not inlining functions, so that they can be seen as blocks.

    bench/inlining.py [RUNS]

Builds bench/inlining/* at -O2 with gcc and clang: without instrumentation, and with `seriatim cc`,
inlining what the compiler chooses, what seriatim allows by default, and nothing. The programs run
unwatched, so their callbacks return immediately. Prints the CPU time of each, relative to the one
without instrumentation: the best of RUNS (default 9), with all kinds taking turns.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WRAPPER = ROOT / "build" / "seriatim"
KINDS = {  # name: (environment, flags)
    "native": (None, []),
    "SERIATIM_INLINE=1": ({"SERIATIM_INLINE": "1"}, []),
    "default": ({}, []),
    "-fno-inline": ({"SERIATIM_INLINE": "1"}, ["-fno-inline"]),
}


def build(folder, compiler, source, kind):
    settings, flags = KINDS[kind]
    program = pathlib.Path(folder) / f"{compiler}{kind.replace('=', '-')}"
    command = ["c++" if source.suffix == ".cc" else "cc"]
    variables = {"SERIATIM_CC": compiler, "SERIATIM_CXX": compiler, **(settings or {})}
    start = [compiler] if settings is None else [WRAPPER, *command]
    subprocess.run([*start, "-O2", "-pthread", *flags, source, "-o", program], check=True,
                   env={**os.environ, **variables})
    return program


def cpu_time(program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print(f"{'':10}" + "".join(f"{kind:>20}" for kind in KINDS))
    for compiler, source in (("gcc", "small.c"), ("clang", "small.c"), ("g++", "containers.cc"),
                             ("clang++", "containers.cc")):
        with tempfile.TemporaryDirectory() as folder:
            programs = {kind: build(folder, compiler, ROOT / "bench" / "inlining" / source, kind)
                        for kind in KINDS}
            best = dict.fromkeys(KINDS, float("inf"))
            for _ in range(runs):
                for kind, program in programs.items():
                    best[kind] = min(best[kind], cpu_time(program))
        print(f"{compiler:10}" + "".join(f"{best[kind] / best['native']:20.2f}" for kind in KINDS),
              flush=True)


if __name__ == "__main__":
    main()
