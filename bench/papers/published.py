"""The papers' own Java programs with the published specifications, beside the papers' columns.

The programs are not ours and not here. A folder has them, as three public repositories do:

    Velodrome/                  github.com/AniketSanghi/Velodrome: testcases/Benchmarks
    doublechecker-single-run/   github.com/palmskog/doublechecker-single-run: avd, the specifications
    RoadRunner/                 github.com/stephenfreund/RoadRunner: benchmarks, with the zip files in scratch unpacked

Each program is recorded once. `compare` has its trace with the specification that DoubleChecker ends with, as in
AeroDrome's Table 1 (where that is none, with all methods but main and run, as in Table 2), and `refine` with the one that
DoubleChecker starts with, as in RegionTrack's Table 3.
"""
import csv
import dataclasses
import io
import os
import subprocess

import shapes

HERE = os.path.dirname(os.path.abspath(__file__))
NAIVE = "ignore function *.main\nignore function *.run\nignore thread functions\n"
SMALL, GRANDE = "Velodrome/testcases/Benchmarks", "RoadRunner/benchmarks"
LISTS = "doublechecker-single-run/avd"
THREADS = 3


@dataclasses.dataclass(frozen=True)
class Program:
    """What is run, where, and what the papers call it."""

    folder: str
    words: str  # behind java
    listed: str = None  # the name of DoubleChecker's list
    aerodrome: str = None  # the row of AeroDrome's tables, if it is this program
    regiontrack: str = None  # that of RegionTrack's


def small(name, words, **more):
    return Program(f"{SMALL}/{name}", f"-cp {name}.jar{':lib/servlet.jar' if name == 'hedc' else ''} {words}", listed=name,
                   aerodrome=name, **more)


def grande(name, kernel, percent, listed=None):
    """With less to do than the smallest size of the suite has (java/Grande.java): so many percent of its data size."""
    return Program(f"{GRANDE}/{name}", f"-cp original.jar:{{classes}} Grande {name}.JGF{kernel}Bench {THREADS} {percent}", listed=listed,
                   regiontrack=name, aerodrome=name)


def dacapo(name, words="Main", **more):
    return Program(f"{GRANDE}/{name}", f"-cp original.jar {words}", listed=name + "9", aerodrome=name, regiontrack=name + "9", **more)


PROGRAMS = {
    "elevator": small("elevator", "elevator.Elevator data2"),
    "hedc": small("hedc", "hedc.Tester"),
    "philo": small("philo", "Philo"),
    "sor (ETH)": dataclasses.replace(small("sor", "sor.Sor 100 3"), aerodrome=None),
    "tsp": small("tsp", "Tsp tspfiles/map14 8"),
    "crypt": grande("crypt", "Crypt", 5),
    "lufact": grande("lufact", "LUFact", 20),
    "series": grande("series", "Series", 100),
    "sor": grande("sor", "SOR", 15),
    "sparsematmult": grande("sparsematmult", "SparseMatmult", 5),
    "moldyn": grande("moldyn", "MolDyn", 38, "moldyn"),
    "montecarlo": grande("montecarlo", "MonteCarlo", 1, "montecarlo"),
    "raytracer": grande("raytracer", "RayTracer", 15, "raytracer"),
    "avrora": dacapo("avrora", "avrora.Main -seconds=0.4 -platform=mica2 -simulation=sensor-network -nodecount=4,2 "
                     "-stagger-start=1000000 scratch/test/tinyos/CntToRfm.elf scratch/test/tinyos/RfmToLeds.elf"),
    "luindex": dacapo("luindex"),
    "lusearch": dacapo("lusearch"),
    "sunflow": dacapo("sunflow"),
}


def read_list(folder, kind, name):
    """The lines of a published list, and those that DoubleChecker has for all programs."""
    if not name:
        return NAIVE
    text = ""
    for file in (name, "methodNames"):
        with open(os.path.join(folder, LISTS, kind, file + ".txt"), encoding="utf-8") as lines:
            text += lines.read() + "\n"
    return text


class Drawing:
    def __init__(self, seriatim, folder, scratch, options):
        self.seriatim, self.folder, self.scratch, self.options = seriatim, folder, scratch, options

    def run(self, words, cwd=None):
        done = subprocess.run([self.seriatim, *words], cwd=cwd, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{words[0]} failed: {done.stderr[-400:]}")
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def spec(self, program, kind):
        path = os.path.join(self.scratch, kind)
        with open(path, "w", encoding="utf-8") as file:
            file.write(read_list(self.folder, kind, program.listed))
        return path

    def record(self, program, trace):
        """The trace of a run. What the program says of itself by its exit status does not matter."""
        words = program.words.format(classes=self.scratch).split()
        with subprocess.Popen([self.seriatim, "record", "--quiet", "--no-follow", "--exclude=Grande", "-o", trace, "--", "java", *words],
                              cwd=os.path.join(self.folder, program.folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            run.wait()
        if not os.path.exists(trace):
            raise RuntimeError("no trace was recorded")

    def times(self, program, trace):
        return self.run(("compare", "--quiet", "--locks", "--format=csv", "--table=times", f"--timeout={self.options.timeout}",
                         "--engines=velodrome-rapid,aerodrome-reads,aerodrome", f"--spec={self.spec(program, 'atomicity-specifications')}",
                         trace))[0]

    def rounds(self, program, trace):
        rows = self.run(("refine", "--quiet", "--locks", "--format=csv", "--engine=velodrome,regiontrack,doublechecker",
                         f"--rounds={self.options.rounds}", f"--start={self.spec(program, 'iterative-refinement-start')}", trace))
        return {row["engine"]: row for row in rows}


def number(value):
    """126M, 9.8K: as the papers have it."""
    value = float(value)
    for unit, size in (("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:g}"


def seconds(text):
    return text if text in ("TO", "-") else f"{float(text):.2g}"


SIZES = ("events", "threads", "locks", "variables", "transactions")
TIMES = ("program", *SIZES, "serializable", "Velodrome (s)", "AeroDrome (s)", *(f"paper: {size}" for size in SIZES),
         "paper: serializable", "paper: Velodrome (s)", "paper: AeroDrome (s)")
ENGINES = ("velodrome", "regiontrack", "doublechecker")
ROUNDS = ("program", "distinct", "dynamic", "rounds", "paper: distinct", "paper: dynamic", "paper: rounds")


def times_row(name, program, row):
    ours = [*(number(row[size]) for size in SIZES), row["serializable"], seconds(row["velodrome-rapid"]), seconds(row["aerodrome-reads"])]
    shape, paper = {**shapes.AERODROME_1, **shapes.AERODROME_2}.get(program.aerodrome, (None, None))
    theirs = [*(number(getattr(shape, size)) for size in SIZES), *paper[:3]] if shape else ["-"] * 8
    return [name, *ours, *theirs]


def three(values):
    return " / ".join(f"{int(value):,}" for value in values)


def rounds_row(name, program, rows):
    ours = [three(rows[engine][column] for engine in ENGINES) for column in ("distinct", "dynamic", "rounds")]
    paper = shapes.REGIONTRACK_3.get(program.regiontrack)
    theirs = [" / ".join(shapes.REGIONTRACK[program.regiontrack][1][:3]), three(paper[:3]), three(paper[3:])] if paper else ["-"] * 3
    return [name, *ours, *theirs]


def write_table(title, heads, rows):
    print(f"## {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def draw(seriatim, scratch, options, names):
    """Two tables of these programs, with what is known when one of them fails."""
    subprocess.run(["javac", "-d", scratch, os.path.join(HERE, "java", "Grande.java")], check=True)
    drawing = Drawing(seriatim, options.published, scratch, options)
    times, rounds = [], []
    for name in names:
        program, trace = PROGRAMS[name], os.path.join(scratch, "trace")
        try:
            drawing.record(program, trace)
            times.append(times_row(name, program, drawing.times(program, trace)))
            rounds.append(rounds_row(name, program, drawing.rounds(program, trace)))
        except (OSError, RuntimeError) as problem:
            print(f"({name} is left out: {problem})\n", flush=True)
        if os.path.exists(trace):
            os.remove(trace)
    write_table("AeroDrome, Tables 1 and 2, with DoubleChecker's specifications", TIMES, times)
    write_table("RegionTrack, Tables 2 and 3: Velodrome / RegionTrack / DoubleChecker", ROUNDS, rounds)
