"""Engines side by side on a live stream: seriatim run --engine, and seriatim compare --online."""

import csv
import io
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from schemas import complaints, strict, validator
from seriatim import ROOT, RUNTIME, Case

SCHEMA = json.loads((ROOT / "docs" / "schema" / "compare-online-1.json").read_text())
NAMING = ("witness", "velodrome", "regiontrack", "doublechecker")
SILENT = ("aerodrome", "rt-trace", "aerodrome-basic", "velodrome-rapid")

# The second thread writes between the two accesses of update(), in turns that are not instrumented,
# if there is an argument. All the while memory is freed and used again, which is no conflict.
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn(void) { __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST); }
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int get(void) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    return value;
}
static void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}
__attribute__((noinline)) void update(int cut) {
    int value = get();
    if (cut) {
        next_turn();
        wait_for(2);
    }
    set(value + 1);
}
__attribute__((noinline)) void use_memory(void) {
    for (int i = 0; i < 50; i++) {
        int *cell = malloc(24);
        *cell = i;
        *cell += 1;
        free(cell);
    }
}
static void *other(void *cut) {
    if (cut)
        wait_for(1);
    else
        update(0);
    use_memory();
    set(7);
    next_turn();
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, argc > 1 ? argv : NULL);
    if (argc == 1)
        pthread_join(thread, NULL);
    use_memory();
    update(argc > 1);
    if (argc > 1)
        pthread_join(thread, NULL);
    return 0;
}
"""


def build(folder):
    source = folder / "program.c"
    source.write_text(PROGRAM)
    for name, flags in (("program", ["-fsanitize=thread"]), ("plain", [])):
        subprocess.run(["gcc", "-g", "-O1", *flags, "-pthread", source, "-o", folder / name], check=True)


@unittest.skipUnless(RUNTIME.exists() and shutil.which("gcc"), "needs the runtime and gcc")
class Online(Case):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-test-online-"))
        cls.addClassCleanup(shutil.rmtree, folder)
        build(folder)
        cls.program, cls.plain = str(folder / "program"), str(folder / "plain")

    def watched(self, *words):
        return self.run_here(*words, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)})

    def checked(self, engine, *arguments):
        report = self.write(f"{engine}.json", "")
        result = self.watched("run", "--engine", engine, "--format=json", "-o", report, "--", self.program,
                              *arguments)
        return result.status, json.loads(pathlib.Path(report).read_text())


class Run(Online):
    def test_engines_find_what_happened_and_nothing_in_the_clean_run(self):
        for engine in NAMING + SILENT:
            status, result = self.checked(engine, "cut")
            self.assertEqual((status, result["serializable"]), (66, False), engine)
            if engine in NAMING:
                self.assertEqual({block["name"] for block in result["blocks"] if block["violated"]}, {"update"})
            status, result = self.checked(engine)
            self.assertEqual((status, result["serializable"]), (0, True), engine)

    def test_all_get_the_same_events(self):
        sizes = {tuple(self.checked(engine)[1]["trace"][key] for key in ("events", "threads", "variables", "blocks"))
                 for engine in NAMING + SILENT + ("empty",)}
        self.assertEqual(len(sizes), 1, sizes)
        [size] = sizes
        trace = self.write("t.stt", "")
        self.watched("record", "-q", "--every-access", "-o", trace, "--", self.program)
        recorded = self.run_here("check", "--engine=regiontrack", "--format=json", trace).json["trace"]
        self.assertEqual(size[0], recorded["events"])

    def test_without_the_option_witness_gets_less(self):
        report = self.write("usual.json", "")
        self.watched("run", "--format=json", "-o", report, "--", self.program)
        usual = json.loads(pathlib.Path(report).read_text())
        self.assertEqual(usual["engine"], "witness")
        self.assertLess(usual["trace"]["events"], self.checked("witness")[1]["trace"]["events"])

    def test_the_baseline_answers_nothing(self):
        status, result = self.checked("empty", "cut")
        self.assertEqual(status, 0)
        self.assertIsNone(result["serializable"])
        self.assertIn("baseline", result["gave_up"])

    def test_an_unknown_engine(self):
        result = self.run_here("run", "--engine=fast", "--", self.program)
        self.assertEqual((result.status, result.message), (
            2, "seriatim: run: unknown engine 'fast' in --engine; 'seriatim help run' lists them\n"))


class Compare(Online):
    def compare(self, *arguments):
        result = self.watched("compare", "--online", *arguments)
        self.assertEqual(result.status, 0, result.message)
        return result

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.compare("--format=csv", *arguments).text)))

    def test_each_engine_has_its_costs_and_findings(self):
        native, empty, *engines = self.rows("--engines=empty,all,rt-trace", "--native", self.plain, "--runs=2",
                                            "--", self.program, "cut")
        self.assertEqual((native["engine"], empty["engine"]), ("native", "empty"))
        self.assertEqual((native["slowdown_native"], empty["slowdown_empty"], empty["memory_empty"]),
                         ("1.00", "1.00", "1.00"))
        self.assertEqual((native["events"], native["not_serializable"], empty["not_serializable"]), ("-", "-", "-"))
        self.assertGreater(float(empty["bytes"]), float(native["bytes"]))
        for row in engines:
            self.assertEqual((row["not_serializable"], row["threads"], row["events"]),
                             ("2 of 2", "2", empty["events"]))
            names = row["engine"] not in ("aerodrome", "rt-trace")
            self.assertEqual(row["distinct"], "1" if names else "-")
            self.assertGreater(float(row["seconds"]), 0)

    def test_overhead_of_several_programs(self):
        programs = self.write("programs", f"# one line each\ncut: {self.program} cut\nnative: {self.plain} cut\n\n"
                                          f"clean: {self.program}\n")
        rows = self.rows("--table=overhead", "--engines=empty,regiontrack", "--programs", programs)
        self.assertEqual([row["program"] for row in rows], ["cut", "clean"])
        for row in rows:
            self.assertGreater(float(row["regiontrack slowdown"]), 0)
            self.assertGreater(float(row["native memory"]), 0)

    def test_json_has_everything(self):
        got = self.compare("--format=json", "--engines=empty,witness", "--", self.program).json
        self.assertEqual(complaints(validator(strict(SCHEMA)), got), [])
        native, empty, witness = got["programs"][0]["runs"]
        self.assertEqual((native["events"], empty["events"]), (None, witness["events"]))
        self.assertEqual((empty["not_serializable"], witness["not_serializable"]), (None, 0))

    def test_a_run_that_takes_too_long_is_given_up(self):
        script = self.write("programs", "endless: sleep 1000\n")
        [row] = self.rows("--timeout=0.05", "--table=overhead", "--engines=empty", "--programs", script)
        self.assertEqual((row["native time"], row["empty slowdown"]), ("TO", "TO"))

    def test_programs_are_recorded_without_online(self):
        programs = self.write("programs", f"cut: {self.program} cut\nclean: {self.program}\n")
        result = self.watched("compare", "--format=json", "--engines=regiontrack", "--programs", programs)
        self.assertEqual([(row["trace"], row["engines"][0]["serializable"]) for row in result.json["traces"]],
                         [("cut", False), ("clean", True)])

    def test_trouble(self):
        trace = self.write("t.std", "T1|begin(a)|1\nT1|w(x)|2\nT1|end|3\n")
        empty = self.write("nothing", "# nothing\n")
        wrong = self.write("wrong", "bank ./bank\n")
        for arguments, message in (
                ([trace], "--online needs a program behind '--', or --programs"),
                (["--table=times", "--", "true"], "--online has the tables overhead and cells, not times"),
                (["--", "true"], "true: was not built with seriatim-cc, so nothing of it could be checked"),
                (["--", "./nonesuch"], "./nonesuch: No such file or directory"),
                (["--programs", empty], "nothing: names no program for compare"),
                (["--programs", wrong], "wrong:1: a line is 'NAME: COMMAND', like 'bank: ./bank 4'"),
                (["--programs", empty, "--native=x"], "with --programs, a line 'native:' stands for --native")):
            result = self.watched("compare", "--online", *arguments)
            self.assertEqual(result.status, 2)
            self.assertIn(message, result.message)
            self.assertEqual(result.text, "")


if __name__ == "__main__":
    unittest.main()
