#!/usr/bin/env python3
"""What it costs to watch small Java programs: CPU of all processes over that of the program alone.

    bench/java/cost.py [--rounds N] [--size N]

The ways of a program are run one after the other, several rounds of them, and the least of each
counts. A JVM that has just started is part of it.
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BINARY = HERE.parents[1] / "build" / "seriatim"
KERNELS = {"relax": 3000, "trees": 4000, "accounts": 10000}


def cost(words, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=100, help="percent of the usual size")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["javac", "-g", "-d", folder, HERE / "Kernels.java"], check=True)
        print(f"{'program':10} {'native':>8} {'run':>8} {'record':>8}")
        for kernel, size in KERNELS.items():
            java = ["java", "-cp", folder, "Kernels", kernel, str(size * arguments.size // 100)]
            ways = {"native": java, "run": [BINARY, "run", "-q", "--", *java],
                    "record": [BINARY, "record", "-q", "-o", "t.stt", "--", *java]}
            least = {way: min(cost(words, folder) for _ in range(arguments.rounds)) for way, words in ways.items()}
            native = least["native"]
            print(f"{kernel:10} {native:6.2f} s {least['run'] / native:7.1f}x {least['record'] / native:7.1f}x")


if __name__ == "__main__":
    main()
