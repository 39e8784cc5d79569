"""How real programs are built from Debian's sources, and the work that they do for a measurement.

A recipe has a `package`, and builds its program in a folder with the source: `configure` is done
once, `make` each time, as the runtime is linked into the program. `work` runs the program through
`launch` (argv -> Run), and is done when it has. The size of the work is such that `seriatim run`
takes some seconds; `share` makes it smaller.
"""

import os
import pathlib
import random
import subprocess
import sys
import threading

import client
import memcached
import packages
from measuring import Trouble

HERE = pathlib.Path(__file__).resolve().parent
THREADS = 4


class Recipe:
    """What the programs have in common. `keep`: the folder for sources, builds and inputs."""

    name, package, program = None, None, None
    prints_results = True  # the same ones each time

    def __init__(self, keep, share=1.0):
        self.keep, self.share = pathlib.Path(keep), share

    def configure(self, place, compilers, flags):
        return []

    def build(self, way, compilers, flags="-O2 -g"):
        """The path of the program, built in one way. It is linked anew, its objects are kept."""
        place = self.keep / self.package / way
        program = place / self.program
        if not (place / "configured").exists():
            packages.copy(os.fspath(self.keep), self.package, way)
            packages.make(place, *self.configure(place, compilers, flags))
            (place / "configured").touch()
        program.unlink(missing_ok=True)
        packages.make(place, *self.make(place, compilers, flags))
        return program

    def scaled(self, amount):
        return max(1, int(amount * self.share))

    def text(self, size):
        """A file of `size` bytes: the source of the program itself, as often as it takes."""
        source = pathlib.Path(packages.source(os.fspath(self.keep), self.package))
        files = sorted(path for path in source.rglob("*") if path.suffix in (".c", ".h", ".cc"))
        whole = b"".join(path.read_bytes() for path in files if path.is_file())
        path = self.keep / f"{self.package}-{size}.txt"
        path.write_bytes((whole * (size // len(whole) + 1))[:size])
        return path

    def words(self, program):
        """The command line."""
        raise NotImplementedError

    def work(self, launch, program):
        return launch([os.fspath(word) for word in self.words(program)])


class Xz(Recipe):
    name, package, program = f"xz -T{THREADS}", "xz-utils", "src/xz/xz"

    def configure(self, place, compilers, flags):
        return [["./configure", "CC=" + compilers.cc, "CFLAGS=" + flags, "--disable-shared",
                 "--disable-nls", "--disable-scripts", "--disable-doc"]]

    def make(self, place, compilers, flags):
        return [["make", "-j2", "-C", folder] for folder in ("lib", "src/liblzma", "src/xz")]

    def words(self, program):
        size = self.scaled(200_000)
        return [program, f"-T{THREADS}", f"--block-size={size // THREADS}", "-k", "-c", self.text(size)]


class Zstd(Recipe):
    name, package, program = f"zstd -T{THREADS}", "libzstd", "programs/zstd"

    def make(self, place, compilers, flags):
        return [["make", "-j2", "-C", "programs", "zstd", "CC=" + compilers.cc, "CFLAGS=" + flags,
                 "HAVE_ZLIB=0", "HAVE_LZMA=0", "HAVE_LZ4=0"]]

    def words(self, program):
        size = self.scaled(2_000_000)
        return [program, f"-T{THREADS}", f"-B{size // THREADS}", "-k", "-q", "-c", self.text(size)]


class Leveldb(Recipe):
    """Threads that write to a store while its compaction runs (store.cc)."""

    name, package, program = "leveldb", "leveldb", "store"

    def configure(self, place, compilers, flags):
        return [["cmake", "-B", "built", "-DCMAKE_CXX_COMPILER=" + compilers.cxx.split()[0],
                 "-DCMAKE_C_COMPILER=" + compilers.cc.split()[0], "-DBUILD_SHARED_LIBS=OFF",
                 "-DCMAKE_CXX_FLAGS=" + " ".join([flags] + compilers.cxx.split()[1:]),
                 "-DHAVE_SNAPPY=0", "-DHAVE_CRC32C=0", "-DLEVELDB_BUILD_TESTS=OFF",
                 "-DLEVELDB_BUILD_BENCHMARKS=OFF"]]

    def make(self, place, compilers, flags):
        return [["make", "-j2", "-C", "built", "leveldb"],
                compilers.cxx.split() + flags.split() +
                ["-pthread", "-I", "include", os.fspath(HERE / "store.cc"), "-o", "store",
                 "built/libleveldb.a"]]

    def words(self, program):
        return [program, self.keep / "leveldb-data", str(self.scaled(1_000))]


class Minimap2(Recipe):
    """Maps reads with errors to a random genome."""

    name, package, program = f"minimap2 -t{THREADS}", "minimap2", "minimap2"

    def make(self, place, compilers, flags):
        return [["make", "-j2", "minimap2", "CC=" + compilers.cc, "CFLAGS=" + flags]]

    def words(self, program):
        chance = random.Random(1)
        genome = "".join(chance.choices("ACGT", k=200_000))
        reference, reads = self.keep / "genome.fa", self.keep / "reads.fa"
        reference.write_text(f">genome\n{genome}\n")
        with open(reads, "w", encoding="ascii") as file:
            for i in range(self.scaled(60)):
                at = chance.randrange(len(genome) - 2000)
                read = [chance.choice("ACGT") if chance.random() < 0.1 else letter
                        for letter in genome[at:at + 2000]]
                file.write(f">read{i}\n{''.join(read)}\n")
        return [program, "-a", f"-t{THREADS}", "-K", "100k", reference, reads]


class Clustalo(Recipe):
    """Aligns proteins that stem from one, with OpenMP."""

    name, package, program = "clustalo (OpenMP)", "clustalo", "src/clustalo"

    def configure(self, place, compilers, flags):
        return [["./configure", "CC=" + compilers.cc, "CXX=" + compilers.cxx, "CFLAGS=" + flags,
                 "CXXFLAGS=" + flags + " -std=gnu++11", "--disable-shared"]]

    def make(self, place, compilers, flags):
        return [["make", "-j2"]]

    def words(self, program):
        chance = random.Random(1)
        letters = "ACDEFGHIKLMNPQRSTVWY"
        first = chance.choices(letters, k=120)
        path = self.keep / "proteins.fa"
        with open(path, "w", encoding="ascii") as file:
            for i in range(self.scaled(40)):
                protein = [chance.choice(letters) if chance.random() < 0.3 else letter
                           for letter in first if chance.random() < 0.97]
                file.write(f">protein{i}\n{''.join(protein)}\n")
        return [program, f"--threads={THREADS}", "--force", "-i", path]


class Pigz(Recipe):
    name, package, program = f"pigz -p{THREADS}", "pigz", "pigz"

    def make(self, place, compilers, flags):
        return [["make", "-j2", "pigz", "CC=" + compilers.cc, "CFLAGS=" + flags]]

    def words(self, program):
        return [program, f"-p{THREADS}", "-k", "-c", "-n", self.text(self.scaled(8_000_000))]


class Sudoku(Recipe):
    """The example of oneTBB that finds all solutions, three or, with ten times the work, 3,319. The library is Debian's
    own."""

    name, package, program = "oneTBB sudoku", "onetbb", "sudoku"
    folder = "examples/task_group/sudoku"

    def make(self, place, compilers, flags):
        return [compilers.cxx.split() + flags.split() +
                ["-pthread", "-I", "examples/common", "-I", "examples", f"{self.folder}/sudoku.cpp",
                 "-o", "sudoku", "-ltbb"]]

    def words(self, program):
        puzzle = "input1" if self.share >= 10 else "input2"
        return [program, str(THREADS), program.parent / self.folder / puzzle]


class Server(Recipe):
    """A program that clients end. `ask` does their work and checks it, `end` ends the server."""

    prints_results = False

    def work(self, launch, program):
        runs, troubles = [], []
        self.port = memcached.free_port()
        words = [os.fspath(word) for word in self.words(program)]

        def run():
            try:
                runs.append(launch(words))
            except Trouble as trouble:
                troubles.append(trouble)

        server = threading.Thread(target=run)
        server.start()
        try:
            memcached.wait_until_served(self.port, server.is_alive)
            self.ask()
        finally:
            self.end(server)
        if troubles:
            raise troubles[0]
        return runs[0]


class Redis(Server):
    """Its threads spin for work."""

    name, package, program = f"redis, {THREADS} io-threads", "redis", "src/redis-server"

    def make(self, place, compilers, flags):
        return [["make", "-j2", "-C", "src", "redis-server", "CC=" + compilers.cc, "MALLOC=libc",
                 "OPTIMIZATION=" + flags.split()[0], "BUILD_TLS=no", "USE_SYSTEMD=no"]]

    def data(self):
        folder = self.keep / "redis-data"
        folder.mkdir(exist_ok=True)
        return folder

    def words(self, program):
        return [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no", "--dir", self.data(), "--io-threads", str(THREADS),
                "--io-threads-do-reads", "yes"]

    def client(self, *words):
        return subprocess.run([sys.executable, HERE / "entries.py", str(self.port), *words],
                              capture_output=True, text=True, check=False)

    def ask(self):
        asked = self.client("32", str(self.scaled(100)))
        if asked.returncode != 0:
            raise Trouble(f"redis gave wrong answers: {asked.stdout}{asked.stderr}")

    def end(self, server):
        while server.is_alive():
            self.client("0")
            server.join(0.5)


class Memcached(Server):
    name, package, program = "memcached", "memcached", "memcached"

    def configure(self, place, compilers, flags):
        return [["./configure", "CC=" + compilers.cc, "CFLAGS=" + flags]]

    def make(self, place, compilers, flags):
        return [["make", "-j2", "memcached"]]

    def words(self, program):
        self.pid_file = self.keep / "memcached.pid"
        self.pid_file.unlink(missing_ok=True)
        return [program, *memcached.arguments(self.port, os.fspath(self.pid_file))]

    def ask(self):
        client.work(self.port, THREADS, self.scaled(1500))

    def end(self, server):
        memcached.end(server, self.pid_file)


RECIPES = {"xz": Xz, "zstd": Zstd, "leveldb": Leveldb, "minimap2": Minimap2, "clustalo": Clustalo,
           "pigz": Pigz, "redis": Redis, "sudoku": Sudoku, "memcached": Memcached}
