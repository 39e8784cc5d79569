"""pbzip2: compresses and decompresses a tree with several threads."""

import filecmp
import os
import tarfile

import packages
from measuring import Trouble

PACKAGE = "pbzip2"
COPIES = 40  # copies of its own source, so that there is some work to do
THREADS = 4


def build(folder, way, compilers):
    """The program. Its makefile has no option to optimise, and adds its flags to ours."""
    program = os.path.join(folder, PACKAGE, way, "pbzip2")
    place = packages.copy(folder, PACKAGE, way)
    packages.make(place, ["make", "CXX=" + compilers.cxx, "CC=" + compilers.cc, "pbzip2"],
                  CXXFLAGS="-O2 -g")
    return program


def tree(folder, path):
    """Writes a tree of files as one file, the same every time."""
    source = packages.source(folder, PACKAGE)

    def without_time(member):
        member.mtime = member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(path, "w") as archive:
        for i in range(COPIES):
            archive.add(source, os.path.join(str(i), PACKAGE), filter=without_time)


def compress(program, path):
    return [program, "-k", "-c", f"-p{THREADS}", "-b1", path]


def decompress(program, path):
    return [program, "-d", "-k", "-c", f"-p{THREADS}", path]


class Work:
    """Two pieces of work: compress the tree, and decompress the result."""

    def __init__(self, folder):
        self.tree = os.path.join(folder, "tree.tar")
        self.compressed = self.tree + ".bz2"
        tree(folder, self.tree)
        if os.path.exists(self.compressed):
            os.remove(self.compressed)

    def pieces(self):
        return [("pbzip2: compress", self._compress), ("pbzip2: decompress", self._decompress)]

    def _compress(self, bench, program):
        run = bench.launch(compress(program, self.tree))
        # The native build comes first. Decompressing shows whether its result was right.
        if not os.path.exists(self.compressed):
            os.replace(bench.output, self.compressed)
        elif not filecmp.cmp(bench.output, self.compressed, shallow=False):
            raise Trouble(f"{program} compressed the tree to something else than the native one")
        return run

    def _decompress(self, bench, program):
        run = bench.launch(decompress(program, self.compressed))
        if not filecmp.cmp(bench.output, self.tree, shallow=False):
            raise Trouble(f"{program} did not give the tree back")
        return run
