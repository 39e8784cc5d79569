"""Jobs that are killed, at random points: what was lost is done again, and the result is the same.

Each seed is another job. SERIATIM_CLUSTER_SEEDS says how many there are of each kind; 50 take half an hour."""
import os
import random
import unittest

import ranks
from hunting import UNHURRIED, built
from ranks import NEEDS_MPI, Job, RanksCase, wait_for_size
from seriatim import CLEAN, CROSS, CUT, BINARY, TRACES

SEEDS = range(1, int(os.environ.get("SERIATIM_CLUSTER_SEEDS", "3")) + 1)
RUNS = 24
WORKERS = 3


class Killed(RanksCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "out.json"

    def tearDown(self):
        """Who is killed cannot remove the file that it has not finished."""
        for path in self.folder.glob(".seriatim-*"):
            path.unlink()
        super().tearDown()

    def hunt(self):
        return ("hunt", *UNHURRIED, "--keep", self.folder / "kept", "--runs", RUNS, built("bank_audit.c"))

    def check(self):
        rng = random.Random(1)
        texts = [CUT, CLEAN, CROSS, (TRACES / "bank.std").read_text(encoding="utf-8")]
        names = [self.write(f"{i:03}.std", rng.choice(texts)) for i in range(150)]
        listed = self.write("list", "".join(f"{name}\n" for name in names))
        return ("check", f"@{listed}")

    def resumable(self, words, folder):
        self.path.unlink(missing_ok=True)
        return (words[0], "--resume", folder, "--format", "json", "-o", self.path, *words[1:])

    def full_size(self, words):
        """How large the journal is in the end: random points are somewhere before."""
        folder = self.folder / "whole"
        Job(self, WORKERS + 1, *self.resumable(words, folder)).wait()
        return (folder / "journal").stat().st_size


@NEEDS_MPI
class Ranks(Killed):
    """With --enable-recovery, a rank that dies costs its piece, not the job."""

    def run_with_losses(self, words, seed, size, expected):
        rng = random.Random(seed)
        folder = self.folder / f"resume-{seed}"
        job = Job(self, WORKERS + 1, *self.resumable(words, folder), recovery=True)
        processes = None
        for victim in rng.sample(range(1, WORKERS + 1), rng.randint(1, WORKERS)):
            if not wait_for_size(self, folder / "journal", rng.randrange(200, size), job):
                break
            processes = processes or job.ranks()
            if len(processes) <= WORKERS:  # some have come to their end already
                break
            ranks.kill(processes[victim])
        job.wait()
        result, status = expected
        self.assertTrue(self.path.exists() and (folder / "status").exists(), f"seed {seed}: {job.said}")
        self.assertEqual(ranks.load(self.path), result, f"seed {seed}: {job.said}")
        self.assertEqual((folder / "status").read_text(), f"{status}\n")

    def test_hunt(self):
        words = self.hunt()
        expected, size = self.alone(*words), self.full_size(words)
        for seed in SEEDS:
            self.run_with_losses(words, seed, size, expected)

    def test_check(self):
        words = self.check()
        expected, size = self.alone(*words), self.full_size(words)
        for seed in SEEDS:
            self.run_with_losses(words, seed, size, expected)


@NEEDS_MPI
class Jobs(Killed):
    """A job that is killed as a whole goes on from its journal, with any number of ranks."""

    def damage(self, rng, journal):
        """What the last write may have left: some of it, or something else."""
        size = journal.stat().st_size
        keep = size - rng.randrange(min(400, size // 2))
        content = bytearray(journal.read_bytes()[:keep])
        if rng.random() < 0.5:
            content[rng.randrange(size // 2, keep)] ^= 1 << rng.randrange(8)
        if rng.random() < 0.5:
            content += bytes(rng.randrange(256) for _ in range(rng.randrange(100)))
        journal.write_bytes(content)

    def kill_and_resume(self, words, seed, size, expected):
        rng = random.Random(seed)
        folder = self.folder / f"resume-{seed}"
        job = Job(self, WORKERS + 1, *self.resumable(words, folder))
        if wait_for_size(self, folder / "journal", rng.randrange(200, size), job):
            job.kill_all()
        job.wait()
        self.damage(rng, folder / "journal")
        count = rng.choice([1, 2, 4])
        job = Job(self, count, *self.resumable(words, folder))
        job.wait()
        self.assertTrue(self.path.exists(), f"seed {seed}: {job.said}")
        self.assertEqual(ranks.load(self.path), expected, f"seed {seed}: {job.said}")

    def test_hunt(self):
        words = self.hunt()
        expected, size = self.alone(*words)[0], self.full_size(words)
        for seed in SEEDS:
            self.kill_and_resume(words, seed, size, expected)

    def test_check(self):
        words = self.check()
        expected, size = self.alone(*words)[0], self.full_size(words)
        for seed in SEEDS:
            self.kill_and_resume(words, seed, size, expected)

    def test_what_is_done_is_not_done_again(self):
        words = self.check()
        folder = self.folder / "resume"
        Job(self, 3, *self.resumable(words, folder)).wait()
        journal, result = (folder / "journal").read_bytes(), self.path.read_bytes()
        Job(self, 3, *self.resumable(words, folder)).wait()
        self.assertEqual((folder / "journal").read_bytes(), journal)
        self.assertEqual(self.path.read_bytes(), result)  # times, too

    def test_a_folder_of_another_job_is_refused(self):
        words, folder = self.check(), self.folder / "resume"
        Job(self, 2, *self.resumable(words, folder)).wait()
        job = Job(self, 2, *self.resumable(("check", "--limit", "3", *words[1:]), folder))
        self.assertEqual(job.wait(), 2)
        self.assertIn(f"seriatim: {folder}/journal: is of another job or another build (", job.said)


class Alone(Killed):
    """One process has a journal, too."""

    def test_a_hunt_goes_on(self):
        words, folder = self.hunt(), self.folder / "resume"
        expected, _ = self.alone(*words)
        command = ["-n", "1", str(BINARY), *map(str, self.resumable(words, folder))]
        if ranks.LIBRARY.exists():
            job = Job(self, 1, command=command)
            wait_for_size(self, folder / "journal", 40000, job)
            job.kill_all()
        process = ranks.subprocess.run(list(map(str, (BINARY, *self.resumable(words, folder)))),
                                       cwd=self.folder, env=ranks.settings(), capture_output=True,
                                       check=False)
        self.assertTrue(self.path.exists(), process.stderr)
        self.assertEqual(ranks.load(self.path), expected, process.stderr)


if __name__ == "__main__":
    unittest.main()
