"""The job scripts of docs/cluster, in a Slurm of this one machine: its own daemons, on loopback, with
files in a folder of the test."""
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import ranks
from hunting import built
from ranks import NEEDS_MPI, ROOT, RanksCase
from seriatim import BINARY

SCRIPTS = ROOT / "docs" / "cluster"
DAEMONS = ["munged", "slurmctld", "slurmd"]
os.environ["PATH"] = f"{BINARY.parent}:{os.environ['PATH']}:/usr/sbin:/sbin"

CONFIGURATION = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={daemon}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Slurm:
    """The daemons, as children of ours, which end with the test."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "key").write_bytes(os.urandom(1024))
        (folder / "key").chmod(0o600)
        text = CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=folder,
                                    controller=free_port(), daemon=free_port())
        (folder / "slurm.conf").write_text(text, encoding="utf-8")
        self.variables = {**ranks.settings(), "SLURM_CONF": str(folder / "slurm.conf"),
                          "SLURM_TIME_FORMAT": "standard"}

    def start(self, *words):
        log = open(self.folder / f"{words[0]}.out", "wb")
        self.processes.append(subprocess.Popen(words, cwd=self.folder, env=self.variables, stdout=log,
                                               stderr=log, stdin=subprocess.DEVNULL,
                                               start_new_session=True))
        log.close()

    def run(self, *words):
        return subprocess.run([str(word) for word in words], cwd=self.folder, env=self.variables,
                              capture_output=True, text=True, check=False)

    def begin(self):
        """None, or why it does not work here."""
        folder = self.folder
        self.start("munged", "--foreground", "--force", f"--key-file={folder}/key",
                   f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                   f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
        while not (folder / "munge.socket").exists():
            if self.processes[0].poll() is not None:
                return self.last_words()
            time.sleep(0.05)
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        while "idle" not in self.run("sinfo", "--noheader", "--format=%T").stdout:
            if any(process.poll() is not None for process in self.processes):
                return self.last_words()
            time.sleep(0.1)
        return None

    def last_words(self):
        texts = [path.read_text(errors="replace").strip().splitlines()[-1:]
                 for path in self.folder.glob("*.out")]
        return "; ".join(line for text in texts for line in text)

    def end(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait()


@NEEDS_MPI
@unittest.skipUnless(all(shutil.which(name) for name in DAEMONS), "needs slurm-wlm and munge")
@unittest.skipUnless(os.geteuid() == 0, "a Slurm for a test needs root")
class Scripts(RanksCase):
    def setUp(self):
        super().setUp()
        self.slurm_folder = self.folder / "slurm"
        self.slurm_folder.mkdir()
        self.slurm = Slurm(self.slurm_folder)
        self.addCleanup(self.slurm.end)
        trouble = self.slurm.begin()
        if trouble:
            self.skipTest(f"no Slurm can be started here: {trouble}")
        self.program = built("bank_audit.c")
        self.kept = self.folder / "job" / "schedules"
        self.kept.parent.mkdir()

    def alone_with(self, *options):
        return self.alone("hunt", *options, "--keep", self.kept, self.program)

    def submit(self, *words):
        result = self.slurm.run("sbatch", "--parsable", f"--output={self.folder}/%x-%a.out", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.strip()

    def wait_for(self, job):
        """Until it is no longer in the queue."""
        while self.slurm.run("squeue", "--noheader", "--jobs", job).stdout.strip():
            time.sleep(0.1)

    def said(self):
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("*.out"))

    def test_a_job_a_signal_and_the_job_again(self):
        expected, status = self.alone_with("--time", "10000", "--run-time", "1000", "--runs", "40")
        words = (SCRIPTS / "job.sh", self.folder / "job", "hunt", "--time", "10000", "--run-time", "1000",
                 "--runs", "40", self.program)
        job = self.submit("--ntasks=3", *words)
        journal, result = self.folder / "job" / "journal", self.folder / "job" / "result.json"
        while not (journal.exists() and journal.stat().st_size > 60000):
            self.assertTrue(self.slurm.run("squeue", "--noheader", "--jobs", job).stdout.strip(),
                            self.said())
            time.sleep(0.02)
        self.slurm.run("scancel", "--signal=USR1", "--batch", job)  # as before the end of its time
        self.wait_for(job)
        self.assertTrue(ranks.load(result)["interrupted"], self.said())
        self.wait_for(self.submit("--ntasks=4", *words))
        self.assertEqual(ranks.load(result), expected, self.said())
        self.assertEqual((self.folder / "job" / "status").read_text(), f"{status}\n")
        self.assertTrue(list(self.kept.glob("*.schedule")))

    def test_an_array_and_its_collection(self):
        folder = self.folder / "array"
        array = self.submit("--array=1-2", SCRIPTS / "array.sh", folder, "--runs", "8", self.program)
        self.wait_for(self.submit(f"--dependency=afterany:{array}", SCRIPTS / "collect.sh", folder))
        self.assertEqual(sorted(path.name for path in (folder / "results").iterdir()),
                         ["1.json", "2.json"], self.said())
        merged = ranks.load(folder / "result.json")
        self.assertEqual(merged["runs"], 16)
        self.assertTrue(merged["violations"])
        self.assertTrue((folder / "report.html").exists())

    def test_srun_starts_ranks_too(self):
        expected, status = self.alone_with("--run-time", "1000", "--runs", "12")
        path = self.folder / "srun.json"
        result = self.slurm.run("srun", "--mpi=pmix", "-n", "3", BINARY, "hunt", "--run-time", "1000",
                                "--runs", "12", "--format", "json", "-o", path, "--keep", self.kept,
                                self.program)
        if not path.exists() and "pmix" in result.stderr.lower():
            self.skipTest(f"this Slurm has no PMIx: {result.stderr}")
        self.assertEqual((ranks.load(path), result.returncode), (expected, status), result.stderr)


if __name__ == "__main__":
    unittest.main()
