#!/usr/bin/env python3
"""What it costs to watch Java programs: CPU of all processes over that of the program alone.

    bench/java/cost.py [--rounds N] [--size N]
    bench/java/cost.py --programs DIR [--only NAME,...] [--ways WAY,...] [--roadrunner JAR]

Without --programs, three small programs of our own. With it, those in RoadRunner's repository
(github.com/stephenfreund/RoadRunner), of which DIR is a copy: Java Grande kernels of size A with two
threads, and programs of DaCapo, whose inputs are unpacked where they lie (scratch/*.zip).

The ways of a program take turns, several rounds of them, and the least of each counts. A JVM that has
just started is part of it. Ways:

    idle        the agent is there, and nobody watches
    run         every method is a block
    outermost   --blocks outermost, with a refined specification: methods that such runs report are taken out
                of it, until a run reports nothing new
    record      a recording of every access
    fasttrack   RoadRunner with FastTrack; --roadrunner is its jar, whose Premain-Class is
                rr.state.agent.ThreadStateExtensionAgent (docs/java.md says how to build it)
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
OWN = {"relax": 3000, "trees": 4000, "accounts": 10000}
GRANDE = {"crypt": "Crypt", "lufact": "LUFact", "moldyn": "MolDyn", "montecarlo": "MonteCarlo",
          "raytracer": "RayTracer", "series": "Series", "sor": "SOR", "sparsematmult": "SparseMatmult"}
DACAPO = ["avrora", "luindex", "lusearch", "sunflow"]
ROADRUNNER = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
              "--add-opens", "java.base/java.lang=ALL-UNNAMED"]
WAYS = ["native", "idle", "run", "outermost", "record"]


def cost(words, folder):
    """CPU time of a command and all that it starts; its status and what it wrote to standard error."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in words], cwd=folder, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.returncode, done.stderr.decode(errors="replace")


def programs_of(folder):
    """By name: the folder to run it in, and the arguments of java."""
    result = {}
    for name, words in GRANDE.items():
        result[name] = folder / "benchmarks" / name, ["-cp", "original.jar", f"JGF{words}BenchSizeA", "2"]
    for name in DACAPO:
        where = folder / "benchmarks" / name
        for archive in (where / "scratch").glob("*.zip"):
            zipfile.ZipFile(archive).extractall(where / "scratch")
        result[name] = where, ["-cp", "original.jar", "Main"]
    return {name: value for name, value in result.items() if (value[0] / "original.jar").exists()}


def refine(seriatim, java, where, folder):
    """A specification without what is violated: the names that `run` reports are left out, until nothing is."""
    spec, left_out = folder / "spec", set()
    for _ in range(6):
        spec.write_text("".join(f"ignore function {name}\n" for name in sorted(left_out)))
        result = folder / "result.json"
        cost([seriatim, "run", "-q", "--format", "json", "--log", result, "--limit", "0", "--blocks", "outermost",
              "--spec", spec, "--", *java], where)
        names = {each["block"] for each in json.loads(result.read_text())["violations"]}
        if names <= left_out:
            break
        left_out |= names
    return spec


def ways_of(arguments, java, where, folder):
    seriatim = arguments.build / "seriatim"
    ways = {"native": java, "idle": [java[0], f"-javaagent:{arguments.build}/runtime/seriatim-java.jar", *java[1:]],
            "run": [seriatim, "run", "-q", "--", *java],
            "record": [seriatim, "record", "-q", "-o", folder / "t.stt", "--", *java]}
    if "outermost" in arguments.ways:
        spec = refine(seriatim, java, where, folder)
        ways["outermost"] = [seriatim, "run", "-q", "--blocks", "outermost", "--spec", spec, "--", *java]
    if "fasttrack" in arguments.ways:
        ways["fasttrack"] = ["env", "RR_MODE=FAST", "java", *ROADRUNNER, f"-Dsun.boot.class.path={folder}",
                             f"-javaagent:{arguments.roadrunner}", "-cp", arguments.roadrunner, "rr.RRMain", "-quiet",
                             "-noxml", "-maxTid=64", "-classpath=original.jar",
                             "-tool=tools.fasttrack.FastTrackTool", *java[3:]]
    return {way: ways[way] for way in arguments.ways}


def measure(arguments, name, where, words, folder):
    """The ratios by way, which are also printed."""
    ways = ways_of(arguments, ["java", *words], where, folder)
    least = {}
    for _ in range(arguments.rounds):
        for way, command in ways.items():
            seconds, status, said = cost(command, where)
            if status not in (0, 66):
                print(f"# {name}, {way}: status {status}: {said.strip()[-200:]}", flush=True)
            least[way] = min(seconds, least.get(way, math.inf))
    ratios = {way: least[way] / least["native"] for way in ways if way != "native"}
    print(f"{name:14} {least['native']:6.2f} s" + "".join(f" {ratio:9.1f}x" for ratio in ratios.values()), flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=100, help="percent of the usual size of our own programs")
    parser.add_argument("--programs", type=pathlib.Path, help="a copy of RoadRunner's repository")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of programs")
    parser.add_argument("--ways", type=lambda text: text.split(","), default=WAYS)
    parser.add_argument("--roadrunner", type=pathlib.Path, help="jar of RoadRunner, for the way fasttrack")
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="where seriatim was built")
    arguments = parser.parse_args()
    arguments.ways = ["native", *(way for way in arguments.ways if way != "native")]
    print(f"{'program':14} {'native':>8}" + "".join(f" {way:>10}" for way in arguments.ways[1:]), flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.programs:
            programs = programs_of(arguments.programs.resolve())
        else:
            subprocess.run(["javac", "-g", "-d", folder, HERE / "Kernels.java"], check=True)
            programs = {kernel: (folder, ["-cp", folder, "Kernels", kernel, str(size * arguments.size // 100)])
                        for kernel, size in OWN.items()}
        all_ratios = [measure(arguments, program, *value, folder) for program, value in programs.items()
                      if not arguments.only or program in arguments.only]
    means = [math.exp(sum(math.log(ratios[way]) for ratios in all_ratios) / len(all_ratios))
             for way in arguments.ways[1:]] if all_ratios else []
    print(f"{'geometric mean':14} {'':8}" + "".join(f" {mean:9.1f}x" for mean in means))


if __name__ == "__main__":
    main()
