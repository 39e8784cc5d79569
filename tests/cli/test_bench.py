"""The benchmark's traces are what they claim to be, and the benchmark itself runs.

A figure measured on a trace that is malformed, or serializable by accident, would mean nothing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree

from seriatim import BINARY, ROOT, RUNTIME

BUILD = str(BINARY.parent)
SERIATIM = os.path.join(BUILD, "seriatim")
GENERATOR = os.path.join(BUILD, "bench-generate")
SCENARIOS = os.path.join(BUILD, "bench-scenarios")
BENCHMARK = os.path.join(ROOT, "bench", "run.py")
PREDICTING = os.path.join(ROOT, "bench", "predict.py")
SEGMENTS = os.path.join(ROOT, "bench", "segments.py")
UNLIKE = os.path.join(ROOT, "bench", "unlike_blocks.py")
COST = os.path.join(ROOT, "bench", "hunt_cost.py")

SERIALIZABLE = ["two-phase", "small-blocks", "giant-blocks", "partitioned", "contention"]
VIOLATING = ["violating-late"]
SEEDS = range(1, 6)

# From crowded (every block meets every other) to roomy; the last is the default of each kind.
SHAPES = [
    ["--events", "200", "--threads", "2", "--variables", "5", "--locks", "2"],
    ["--events", "3000", "--threads", "8", "--variables", "40", "--locks", "6"],
    ["--events", "5000", "--threads", "40", "--variables", "1000", "--locks", "16"],
    ["--events", "10000", "--threads", "4", "--variables", "500", "--locks", "8", "--fork-join"],
    ["--events", "20000"],
]


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=False)


class TraceTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.trace = os.path.join(directory.name, "trace.std")

    def generate(self, kind, shape, seed):
        done = run(GENERATOR, "--kind", kind, *shape, "--seed", str(seed), "-o", self.trace)
        self.assertEqual(done.returncode, 0, done.stderr)

    def lines(self):
        with open(self.trace, encoding="ascii") as file:
            return file.read().splitlines()

    def check(self):
        done = run(SERIATIM, "check", "--engine", "regiontrack", "--format", "json", self.trace)
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def for_every_trace(self, kinds, claim):
        for kind in kinds:
            for shape in SHAPES:
                for seed in SEEDS:
                    with self.subTest(kind=kind, shape=shape, seed=seed):
                        self.generate(kind, shape, seed)
                        claim(int(shape[1]))

    def test_every_kind_is_well_formed_and_as_long_as_asked(self):
        def claim(events):
            done = run(SERIATIM, "stats", self.trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.lines()), events)

        self.for_every_trace(SERIALIZABLE + VIOLATING, claim)

    def test_every_kind_is_complete(self):
        def claim(_events):
            operations = [line.split("|")[1].split("(")[0] for line in self.lines()]
            self.assertEqual(operations.count("begin"), operations.count("end"))
            self.assertEqual(operations.count("acq"), operations.count("rel"))
            self.assertEqual(operations.count("fork"), operations.count("join"))

        self.for_every_trace(SERIALIZABLE + VIOLATING, claim)

    def test_serializable_kinds_are_serializable(self):
        def claim(_events):
            status, result = self.check()
            self.assertEqual(status, 0, result)
            self.assertIs(result["serializable"], True)

        self.for_every_trace(SERIALIZABLE, claim)

    def test_violating_late_is_violated_only_at_its_end(self):
        def claim(events):
            status, result = self.check()
            self.assertEqual(status, 1, result)
            self.assertIs(result["serializable"], False)
            # The cut takes 13 events, with T0's joins after it: more than a hundredth of a short
            # trace.
            late = min(events - events // 100, events - 13 - 3)
            self.assertGreaterEqual(result["first_bad_event"], late)

        self.for_every_trace(VIOLATING, claim)

    def test_blocks_of_different_threads_interleave(self):
        for kind in SERIALIZABLE + VIOLATING:
            with self.subTest(kind=kind):
                self.generate(kind, ["--events", "5000"], 1)
                inside, most = set(), 0
                for line in self.lines():
                    thread, operation, _ = line.split("|")
                    if operation == "begin":
                        inside.add(thread)
                    elif operation == "end":
                        inside.discard(thread)
                    most = max(most, len(inside))
                self.assertGreaterEqual(most, 4)

    def test_the_seed_decides_the_trace(self):
        shape = ["--events", "2000"]
        self.generate("two-phase", shape, 7)
        first = self.lines()
        self.generate("two-phase", shape, 7)
        self.assertEqual(self.lines(), first)
        self.generate("two-phase", shape, 8)
        self.assertNotEqual(self.lines(), first)

    def test_wrong_options_are_refused(self):
        for options in (
            [],
            ["--kind", "no-such-kind"],
            ["--kind", "two-phase", "--events", "many"],
            ["--kind", "two-phase", "--events", "-1"],
            ["--kind", "violating-late", "--threads", "1"],
            ["--kind", "two-phase", "--events", "3", "--fork-join"],
        ):
            with self.subTest(options=options):
                done = run(GENERATOR, *options)
                self.assertEqual(done.returncode, 2)
                self.assertIn("bench-generate", done.stderr)
                self.assertEqual(done.stdout, "")


class ScenarioTest(unittest.TestCase):
    """The runs on which prediction is measured: exactly the intended blocks can be cut."""

    NAMES = ["philosophers", "elevator", "accounts", "pool", "barrier"]
    SHAPES = [
        ["--events", "1000", "--threads", "2", "--distinct", "3"],
        ["--events", "3000", "--threads", "5", "--distinct", "1"],
        ["--events", "5000", "--distinct", "500"],
    ]

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.trace = os.path.join(directory.name, "trace.std")

    def generate(self, name, *options):
        done = run(SCENARIOS, "--scenario", name, *options, "-o", self.trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.trace, encoding="ascii") as file:
            return file.read().splitlines()

    def predict(self, *options):
        done = run(SERIATIM, "predict", *options, "--format", "json", self.trace)
        return json.loads(done.stdout) if done.returncode in (0, 1) else self.fail(done.stderr)

    def for_every_run(self, bad, claim):
        for name in self.NAMES:
            for shape in self.SHAPES:
                for seed in ("1", "2", "3"):
                    with self.subTest(scenario=name, shape=shape, seed=seed):
                        claim(int(shape[1]), self.generate(name, *shape, "--seed", seed,
                                                           "--bad", bad))

    def test_runs_are_well_formed_complete_and_about_as_long_as_asked(self):
        def claim(events, lines):
            done = run(SERIATIM, "stats", self.trace)
            self.assertEqual(done.returncode, 0, done.stderr)
            threads = len({line.split("|")[0] for line in lines})
            self.assertLessEqual(len(lines), events)
            self.assertGreater(len(lines), events - 100 * threads)  # a round of the barrier
            operations = [line.split("|")[1].split("(")[0] for line in lines]
            for opens, closes in (("begin", "end"), ("acq", "rel"), ("fork", "join")):
                self.assertEqual(operations.count(opens), operations.count(closes))

        self.for_every_run("300", claim)

    def test_clean_runs_are_atomic_in_every_schedule(self):
        def claim(_events, _lines):
            result = self.predict("--engine", "commit-node")
            self.assertIs(result["atomic"], True)
            self.assertIs(result["deadlock_potential"], False)

        self.for_every_run("0", claim)

    def test_bad_blocks_can_be_cut(self):
        for name in self.NAMES:
            with self.subTest(scenario=name):
                self.generate(name, "--events", "5000", "--bad", "100", "--distinct", "8")
                verdicts = self.predict("--engine", "commit-node")["verdicts"]
                share = verdicts["potential"] / sum(verdicts.values())
                self.assertGreater(share, 0.05)
                self.assertLess(share, 0.15)

    def unlike(self, shape, *options):
        with open(self.trace, "w", encoding="ascii") as file:
            subprocess.run([sys.executable, UNLIKE, shape, "--events", "60000", *options], stdout=file, check=True)
        verdicts = self.predict("--engine", "commit-node")["verdicts"]
        return verdicts["potential"], sum(verdicts.values())

    def test_blocks_that_are_unlike_each_other_are_judged_together(self):
        # So many that they are not searched for one by one.
        cut, blocks = self.unlike("linked")
        self.assertEqual(cut, blocks)
        self.assertGreater(blocks, 5000)
        self.assertEqual(self.unlike("pairs")[0], 0)

    def test_more_different_transactions_are_more_units(self):
        def storage(distinct):
            self.generate("accounts", "--events", "20000", "--distinct", distinct)
            return self.predict("--engine", "reduction")["storage"]
        self.assertGreater(storage("400"), 3 * storage("16"))

    def test_the_seed_decides_the_run(self):
        first = self.generate("pool", "--events", "2000", "--seed", "7")
        self.assertEqual(self.generate("pool", "--events", "2000", "--seed", "7"), first)
        self.assertNotEqual(self.generate("pool", "--events", "2000", "--seed", "8"), first)

    def test_wrong_options_are_refused(self):
        for options in (
            [],
            ["--scenario", "chess"],
            ["--scenario", "pool", "--events", "many"],
            ["--scenario", "pool", "--events", "20", "--threads", "8"],
            ["--scenario", "pool", "--threads", "0"],
            ["--scenario", "pool", "--bad", "1001"],
            ["--scenario", "pool", "more"],
        ):
            with self.subTest(options=options):
                done = run(SCENARIOS, *options)
                self.assertEqual(done.returncode, 2)
                self.assertIn("bench-scenarios: ", done.stderr)
                self.assertEqual(done.stdout, "")


class BenchmarkTest(unittest.TestCase):
    def test_a_tiny_run_of_prediction_prints_all_tables_and_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(
                [sys.executable, PREDICTING, "--tiny", "--build", BUILD],
                capture_output=True,
                text=True,
                check=False,
                env=dict(os.environ, TMPDIR=directory),
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(os.listdir(directory), [])
        for heading in ("## Analyses", "## False alarms", "## Growth", "## Different transactions",
                        "## One thread and two", "## Long runs"):
            self.assertIn(heading, done.stdout)
        helped = run(SERIATIM, "predict", "--help").stdout
        for line in helped.partition("engines:\n")[2].splitlines()[:-1]:
            self.assertIn(f"| {line.split()[0]}", done.stdout)
        for name in ScenarioTest.NAMES:
            self.assertIn(f"| {name}", done.stdout)

    def test_a_tiny_run_of_segments_prints_a_line_for_each_search(self):
        done = subprocess.run([sys.executable, SEGMENTS, "--tiny"], capture_output=True, text=True,
                              check=False, env=dict(os.environ, SERIATIM_BUILD=os.path.abspath(BUILD)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ScenarioTest.NAMES:
            self.assertRegex(done.stdout, rf"(?m)^\| {name} \| 200 \|")
            self.assertRegex(done.stdout, rf"(?m)^\| {name}, dpor, whole trace \| 200 \|")

    def test_the_tables_of_a_paper_on_traces_of_its_shapes(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "bench", "papers", "tables.py"), "--most", "200",
                               "--timeout", "1000", "aerodrome-1", "regiontrack-2", "segments", "ppopp-1", "tse-3", "tse-4"],
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, SERIATIM_BUILD=os.path.abspath(BUILD)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^\| hedc \| 2\d\d \| 7 \| .* \| no \| .* \| no \| 0.07 \| 0.06 \| 1.16 \|$")
        self.assertRegex(done.stdout, r"(?m)^\| raytracer \| 2\d\d \| 4 \| .* \| yes \| ")
        self.assertIn("| eclipse6 | 1 | 1 | 180 | 181 | 183 | 1 | 2 | 180 | 181 | 183 |", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^\| conpool \| 100 \| 4 \| 1 \| 5 \| 4 \| ")
        self.assertRegex(done.stdout, r"(?m)^\| raytracer \| happen-before \| 2 \| .* \| 2-0-0 \| 36m17.6s \|$")

    def test_the_tables_of_a_paper_about_running_programs(self):
        java = bool(shutil.which("javac")) and os.path.exists(os.path.join(ROOT, BUILD, "runtime", "seriatim-java.jar"))
        only = "bank,elevator" if java else "bank"
        done = subprocess.run([sys.executable, os.path.join(ROOT, "bench", "papers", "programs.py"), "--runs", "1", "--size", "1",
                               "--timeout", "1000", "--only", only, "regiontrack-4", "regiontrack-2"],
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, SERIATIM_BUILD=os.path.abspath(BUILD)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in only.split(","):
            self.assertRegex(done.stdout, rf"(?m)^\| {name} \| [0-9.]+ [kMG]B \| [0-9.]+ \| ")
            self.assertRegex(done.stdout, rf"(?m)^\| {name} \| [01] \| [01] \| [01] \| [01] \| ")

    def test_the_cost_of_control_is_measured(self):
        done = subprocess.run([sys.executable, COST, "--build", BUILD, "--rounds", "1", "--runs", "1", "one_lock"],
                              capture_output=True, text=True, check=False,
                              env=dict(os.environ, SERIATIM_RUNTIME_DIR=str(RUNTIME)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^\| one_lock \| [0-9]+ ms \| -?[0-9]+ ms \| ")

    def test_quick_run_prints_all_tables_and_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(
                [sys.executable, BENCHMARK, "--quick", "--build", BUILD],
                capture_output=True,
                text=True,
                check=False,
                env=dict(os.environ, TMPDIR=directory),
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(os.listdir(directory), [])
        for heading in ("## Engines", "of events", "of threads", "of variables"):
            self.assertIn(heading, done.stdout)
        for kind in SERIALIZABLE + VIOLATING:
            self.assertIn(f"### {kind}", done.stdout)
        self.assertIn("| regiontrack", done.stdout)
        self.assertIn("LC_ALL=C grep -c 'w(' ", done.stdout)

    def test_quick_run_draws_a_well_formed_picture(self):
        options = ["--quick", "--build", BUILD, "--only", "events"]
        done = run(sys.executable, BENCHMARK, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        picture = ElementTree.parse(os.path.join(BUILD, "bench.svg")).getroot()
        self.assertTrue(picture.tag.endswith("svg"))


class RealPrograms(unittest.TestCase):
    """What bench/real does before there is anything to measure."""

    def setUp(self):
        folders = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "bench", "real")]
        sys.path[:0] = folders
        self.addCleanup(lambda: [sys.path.remove(folder) for folder in folders])
        import packages  # pylint: disable=import-outside-toplevel,import-error
        self.packages = packages

    def test_sources_come_from_where_packages_come_from(self):
        stanza = "Types: deb\nURIs: http://mirror/debian\nSuites: bookworm\nComponents: main"
        other = "Types: deb\nURIs: http://elsewhere/node\nSuites: x\nComponents: main"
        self.assertEqual(list(self.packages._deb822(f"{stanza}\n\n{other}\n")),
                         [stanza.replace("deb\n", "deb-src\n", 1)])
        lines = "# deb http://a/debian x main\ndeb http://b/debian x main\ndeb http://c/node x main\n"
        self.assertEqual(list(self.packages._one_line(lines)), ["deb-src http://b/debian x main"])

    def test_a_machine_without_apt_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.dict(os.environ, PATH=folder):
            with self.assertRaisesRegex(self.packages.Unavailable, "apt"):
                self.packages.source(folder, "pbzip2")

    def test_the_figures_of_a_program_follow_from_its_best_turns(self):
        import cost  # pylint: disable=import-outside-toplevel,import-error
        import plot  # pylint: disable=import-outside-toplevel,import-error
        seconds = {"native": 1, "floor": 2, "tsan": 6, "run": 4, "record": 12}
        turns = {way: [cost.Turn(cpu * 1.5, 1, 10, 0, 0), cost.Turn(cpu, 2, 20, cpu / 4, 0.5, 100, 70)]
                 for way, cpu in seconds.items()}
        row = cost.Row("a & b", turns)
        self.assertEqual(row.cpu, seconds)
        self.assertEqual(row.place(), "50 %")
        self.assertAlmostEqual(row.ratio("record"), 2)
        self.assertAlmostEqual(row.watcher_share("run"), 1 / 3)
        self.assertEqual(len(row.time_cells()), len(cost.TIMES))
        self.assertEqual(len(row.other_cells()), len(cost.OTHERS))
        self.assertIn("of `run` 0.67, of `record` 2.00", " ".join(cost.summary([row])))
        self.assertIn("50 % of CPU time in the middle", cost.noise([row]))
        picture = plot.draw_programs([(row.name, row.cpu)])
        self.assertIn("a & b", "".join(ElementTree.fromstring(picture).itertext()))

    def test_memory_is_that_of_all_processes_at_a_time(self):
        import usage  # pylint: disable=import-outside-toplevel,import-error
        # Two processes, which fill 40 MB each and end when their input does.
        script = "import os, sys; os.fork(); block = b'x' * (40 << 20); sys.stdin.read()"
        with tempfile.TemporaryDirectory() as folder:
            measured = subprocess.Popen(
                [os.path.join(BUILD, "bench-measure"), os.path.join(folder, "report"), "0",
                 sys.executable, "-c", script], stdin=subprocess.PIPE)
            use = usage.Usage(measured.pid)
            while use.peak_kib < 80 << 10 and measured.poll() is None:
                time.sleep(0.01)
            measured.communicate()
            use.join()
        self.assertGreaterEqual(use.peak_kib, 80 << 10)
        self.assertLess(use.peak_kib, 200 << 10)


if __name__ == "__main__":
    unittest.main()
