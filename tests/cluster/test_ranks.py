"""Several ranks find what one process finds."""
import os
import signal
import subprocess
import unittest

import ranks
from hunting import ADDS_UP, UNHURRIED, build, built
from ranks import NEEDS_MPI, Job, RanksCase, wait_for_size
from seriatim import BINARY, CLEAN, CROSS, CUT, TRACES

# Prints the sum of what it reads and of what two threads count.
READS = ("#include <pthread.h>\n#include <stdio.h>\n" + ADDS_UP +
         '    printf("%d\\n", total + more);\n    return more != 41;\n}\n')
STANDARD = sorted(TRACES.glob("*.std"))


@NEEDS_MPI
class Check(RanksCase):
    def test_many_traces_are_one_result_as_report_makes_it(self):
        results = []
        for i, trace in enumerate(STANDARD[:12]):
            path = self.folder / f"{i:02}.json"
            subprocess.run([BINARY, "check", "--format", "json", "-o", path, trace],
                           cwd=self.folder, check=False)
            results.append(path)
        reported = subprocess.run([BINARY, "report", "--format", "json", *results],
                                  cwd=self.folder, capture_output=True, check=False)
        (self.folder / "reported.json").write_bytes(reported.stdout)
        self.assertEqual(self.alone("check", *STANDARD[:12])[0],
                         ranks.load(self.folder / "reported.json"))

    def test_the_result_is_that_of_one_process(self):
        listed = self.write("list", "".join(f"{path}\n" for path in STANDARD))
        for count in (2, 4):
            self.assert_same("check", f"@{listed}", ranks=count)

    def test_the_first_trace_with_a_finding_is_the_first_in_the_list(self):
        names = [self.write(f"{i}.std", text) for i, text in enumerate((CLEAN, CROSS, CUT, CUT, CLEAN))]
        self.assert_same("check", "--first", *names)

    def test_what_is_wrong_with_a_trace_is_told_in_order(self):
        good, bad = self.write("good.std", CUT), self.write("bad.std", "T1|rel(l)|1\n")
        words = ("check", good, bad, self.folder / "missing.std", good)
        _, status = self.alone(*words)
        alone = subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, check=False)
        job = Job(self, 3, "check", "-o", self.folder / "out", *words[1:])
        self.assertEqual((job.wait(), status, alone.returncode), (2, 2, 2))
        said = [line for line in job.said.splitlines() if line.startswith("seriatim: ")]
        self.assertEqual(said, alone.stderr.splitlines())
        self.assertEqual(len(said), 3)


@NEEDS_MPI
class Compare(RanksCase):
    def test_the_table_is_that_of_one_process(self):
        self.assert_same("compare", *STANDARD[:6])
        self.assert_same("compare", "--engines", "witness,doublechecker", *STANDARD[6:9], ranks=4)

    def test_a_trace_that_cannot_be_read_is_told(self):
        job = Job(self, 3, "compare", STANDARD[0], self.folder / "missing.std")
        self.assertEqual(job.wait(), 2)
        self.assertIn(f"seriatim: {self.folder}/missing.std: cannot open: No such file", job.said)


@NEEDS_MPI
class Predict(RanksCase):
    def scenario(self, name, *options):
        path = self.folder / f"{name}.std"
        subprocess.run([BINARY.parent / "bench-scenarios", "--scenario", name, "--bad", "20", "-o", path,
                        *options], check=True)
        return path

    def test_the_prediction_is_that_of_one_process(self):
        for name in ("pool", "accounts"):
            self.assert_same("predict", self.scenario(name, "--events", "20000", "--distinct", "800"))

    def test_so_it_is_with_all_engines(self):
        for trace in (TRACES / "bank.std", TRACES / "nested.std"):
            self.assert_same("predict", "--engine", "all", trace)

    def test_a_rank_that_dies_changes_nothing(self):
        trace = self.scenario("pool", "--events", "20000", "--distinct", "800")
        expected, status = self.alone("predict", trace)
        path, folder = self.folder / "out.json", self.folder / "resume"
        job = Job(self, 4, "predict", "--resume", folder, "--format", "json", "-o", path, trace,
                  recovery=True)
        if wait_for_size(self, folder / "journal", 200, job):
            job.kill_rank(2)
        job.wait()
        self.assertEqual(ranks.load(path), expected, job.said)
        self.assertEqual((folder / "status").read_text(), f"{status}\n")

    def test_a_connection_that_breaks_changes_nothing(self):
        """Who writes to a rank that has just died gets a signal for it."""
        trace = self.scenario("pool", "--events", "20000", "--distinct", "800")
        expected, status = self.alone("predict", trace)
        path, folder = self.folder / "out.json", self.folder / "resume"
        job = Job(self, 3, "predict", "--resume", folder, "--format", "json", "-o", path, trace)
        if wait_for_size(self, folder / "journal", 200, job):
            for rank in range(3):
                job.kill_rank(rank, signal.SIGPIPE)
        self.assertEqual(job.wait(), status, job.said)
        self.assertEqual(ranks.load(path), expected, job.said)

    def test_standard_input_is_refused(self):
        job = Job(self, 2, "predict", "-")
        self.assertEqual(job.wait(), 2)
        self.assertIn("seriatim: predict: several ranks cannot read standard input", job.said)


@NEEDS_MPI
class Hunt(RanksCase):
    @classmethod
    def setUpClass(cls):
        cls.program = built("bank_audit.c")

    def words(self, *more):
        return ("hunt", *UNHURRIED, "--keep", self.folder / "kept", *more, self.program)

    def test_the_result_is_that_of_one_process(self):
        self.assert_same(*self.words("--runs", "24"), ranks=3)

    def test_it_stops_at_the_first_finding(self):
        self.assert_same(*self.words("--until", "first"), ranks=4)

    def test_every_run_gets_standard_input(self):
        source = self.write("reads.c", READS)
        binary = build(source, self.folder / "reads")
        path, expected = self.folder / "out.json", None
        for words in ([BINARY], ["mpirun", "-n", "3", BINARY]):
            result = subprocess.run([*words, "hunt", *UNHURRIED, "--runs", "6", "--format", "json", "-o",
                                     path, "--keep", self.folder / "kept", binary], input=b"41\n",
                                    cwd=self.folder, env=ranks.settings(), capture_output=True,
                                    check=False)
            self.assertTrue(path.exists(), result.stderr)
            expected = expected or ranks.load(path)
            self.assertEqual(ranks.load(path), expected)
            path.unlink()
        self.assertTrue(expected["violations"])

    def test_a_signal_leaves_what_is_known_and_the_same_command_goes_on(self):
        """There are far more runs than can be done before the signal. That a job which goes on comes to
        the same result as one that was never stopped is seen in test_faults.py."""
        path, folder = self.folder / "out.json", self.folder / "resume"
        journal = folder / "journal"
        arguments = ("hunt", "--resume", folder, "--format", "json", "-o", path,
                     *self.words("--runs", "100000")[1:])
        done = size = 0
        for _ in range(2):
            job = Job(self, 3, *arguments)
            self.assertTrue(wait_for_size(self, journal, size + 60000, job))
            os.kill(job.process.pid, signal.SIGUSR1)
            job.wait()
            partial = ranks.load(path)
            self.assertTrue(partial["interrupted"])
            self.assertIn("stopped before all runs were done", job.said)
            self.assertGreater(partial["runs"], done)
            self.assertLess(partial["runs"], 100000)
            done, size = partial["runs"], journal.stat().st_size

    def test_a_rank_that_hangs_changes_nothing(self):
        words = self.words("--runs", "24")
        expected, status = self.alone(*words)
        path, folder = self.folder / "out.json", self.folder / "resume"
        job = Job(self, 4, "hunt", "--resume", folder, "--format", "json", "-o", path, *words[1:],
                  recovery=True)
        if wait_for_size(self, folder / "journal", 30000, job):
            job.kill_rank(2, signal.SIGSTOP)
        job.wait()
        self.assertEqual(ranks.load(path), expected, job.said)
        self.assertEqual((folder / "status").read_text(), f"{status}\n")


@NEEDS_MPI
class Configuration(RanksCase):
    """What is wrong with the machines is told at the start, in one sentence."""

    def hidden(self, folder, *words):
        """A command for which that folder is empty, as on a machine that does not share it."""
        script = f'mount -t tmpfs none "{folder}" && exec "$@"'
        return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh", *map(str, words)]

    def need_namespaces(self):
        probe = subprocess.run(self.hidden(self.folder, "true"), capture_output=True, check=False)
        if probe.returncode:
            self.skipTest("cannot make a folder of its own for one rank: " +
                          probe.stderr.decode().strip())

    def test_two_builds(self):
        other = self.folder / "seriatim"
        other.write_bytes(BINARY.read_bytes() + b"another build")
        other.chmod(0o755)
        words = ["check", str(STANDARD[0]), str(STANDARD[1])]
        job = Job(self, 2, command=["-n", "1", str(BINARY), *words, ":", "-n", "1", str(other), *words])
        self.assertEqual(job.wait(), 2)
        self.assertIn("runs another build of seriatim than rank 0: install the same one on all "
                      "machines\n", job.said)

    def test_a_program_that_a_machine_does_not_have(self):
        self.need_namespaces()
        shared = self.folder / "shared"
        shared.mkdir()
        program = shared / "program"
        program.write_bytes(built("bank_audit.c").read_bytes())
        program.chmod(0o755)
        words = ["hunt", str(program)]
        job = Job(self, 2, command=["-n", "1", str(BINARY), *words, ":", "-n", "1",
                                    *self.hidden(shared, BINARY, *words)])
        self.assertEqual(job.wait(), 2)
        self.assertIn(f" cannot read {program}: it must be the same on all machines", job.said)

    def test_a_trace_that_a_machine_does_not_have_is_sent_there(self):
        self.need_namespaces()
        shared = self.folder / "shared"
        shared.mkdir()
        names = []
        for i, trace in enumerate(STANDARD[:6]):
            names.append(str(shared / f"{i}.std"))
            (shared / f"{i}.std").write_bytes(trace.read_bytes())
        for words in (["check", *names], ["compare", *names[:2]], ["predict", names[4]]):
            expected, status = self.alone(*words)
            path = self.folder / "out.json"
            arguments = [words[0], "--format", "json", "-o", str(path), *words[1:]]
            job = Job(self, 3, command=["-n", "1", str(BINARY), *arguments, ":", "-n", "2",
                                        *self.hidden(shared, BINARY, *arguments)])
            self.assertEqual(job.wait(), status, job.said)
            self.assertEqual(ranks.load(path), expected)

    def test_what_is_wrong_with_the_command_line_is_told_once(self):
        for words in (["hunt", "--nosuch", "x"], ["check"], ["predict", "--engine", "nosuch", "x"],
                      ["hunt", "./nosuch"], ["hunt", "/bin/true"], ["compare", "-"]):
            alone = subprocess.run([BINARY, *words], cwd=self.folder, env=ranks.settings(),
                                   stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            job = Job(self, 3, *words)
            self.assertEqual((job.wait(), alone.returncode), (2, 2), job.said)
            said = [line for line in job.said.splitlines() if line.startswith("seriatim: ")]
            self.assertEqual(said, alone.stderr.splitlines(), words)

    def test_a_file_gets_no_colors(self):
        job = Job(self, 2, "check", self.write("cut.std", CUT))
        job.wait()
        self.assertIn("not serializable", job.said)
        self.assertNotIn("\x1b", job.said)

    def test_one_rank_is_as_none(self):
        self.assert_same("check", *STANDARD[:3], ranks=1)


if __name__ == "__main__":
    unittest.main()
