"""What the tests of `cc` and `doctor` share: a runtime library that logs its calls, and functions
that inspect what was built with it."""

import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from seriatim import BINARY, Case, Result, environment

SOURCE = pathlib.Path(__file__).resolve().parent / "stub_runtime.c"


@functools.lru_cache(maxsize=None)
def stub_runtime():
    """The folder of the runtime library, named and laid out like the real one."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-stub-"))
    atexit.register(shutil.rmtree, folder)
    library = folder / "libseriatim_rt.so"
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-shared", "-fPIC", SOURCE, "-o", library,
                    f"-Wl,-soname,{library.name}"], check=True)
    for name in ("libtsan.so", "libtsan.so.2"):
        (folder / name).symlink_to(library.name)
    archived = folder / "libseriatim_rt.a"
    subprocess.run(["gcc", "-O1", "-fno-builtin", "-fPIC", "-c", SOURCE, "-o", folder / "stub.o"],
                   check=True)
    subprocess.run(["ar", "rcs", archived, folder / "stub.o"], check=True)
    (folder / "libtsan.a").symlink_to(archived.name)
    (folder / "libseriatim_rt.a.syms").write_text("{ __tsan_*; memcpy; };\n")
    return folder.resolve()


def clean_environment(**changes):
    env = environment(SERIATIM_RUNTIME_DIR=str(stub_runtime()))
    env.update({name: str(value) for name, value in changes.items()})
    return {name: value for name, value in env.items() if value != "None"}


def output_of(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True,
                          stdout=subprocess.PIPE, **more).stdout


def dynamic(path, tag):
    """The entries of an ELF file's dynamic section with this tag."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", output_of("readelf", "-dW", path))


def sections(path):
    return set(re.findall(r"\] (\.\S+)", output_of("readelf", "-SW", path)))


class Functions:
    """The functions of a program by address, demangled and without parameters."""

    def __init__(self, path):
        lines = output_of("nm", "-C", path).splitlines()
        found = (re.match(r"([0-9a-f]+) [tTwW] (.*)", line) for line in lines)
        self.starts = sorted((int(match.group(1), 16), match.group(2).split("(")[0])
                             for match in found if match)

    def at(self, offset):
        return max(start for start in self.starts if start[0] <= offset)[1]


class WrapperCase(Case):
    command = "cc"
    variables = {}

    def compile(self, *arguments, stdin=b"", by=None, **env):
        """Runs `seriatim cc` (or c++) with the compiler of the class."""
        words = [BINARY, self.command] if by is None else [by]
        process = subprocess.run([str(word) for word in [*words, *arguments]], cwd=self.folder,
                                 env=clean_environment(**{**self.variables, **env}), input=stdin,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return Result(process)

    def build(self, *arguments, **env):
        """The same; it must succeed and say nothing at all."""
        result = self.compile(*arguments, **env)
        self.assertEqual((result.message, result.text, result.status), ("", "", 0))

    def start(self, program, **env):
        """Runs what was built and returns its standard output."""
        process = subprocess.run([str(self.folder / program)], cwd=self.folder, check=False,
                                 env=clean_environment(SERIATIM_RUNTIME_DIR=None, **env),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        return process.stdout.decode()

    def log(self, program):
        """Runs it and returns what the runtime library was called for: functions and counts."""
        path = self.folder / "stub.log"
        self.start(program, STUB_LOG=path)
        symbols = Functions(self.folder / program)
        functions, counts = set(), {}
        for line in path.read_text().splitlines():
            kind, value, *module = line.split(" ", 2)
            if kind == "entered":
                if os.path.basename(module[0]) == program:
                    functions.add(symbols.at(int(value, 16)))
            else:
                counts[kind] = int(value)
        return functions, counts

    def assert_watched(self, program):
        """It needs our runtime library before all others, finds it by itself, and needs no
        other."""
        needed = dynamic(self.folder / program, "NEEDED")
        self.assertEqual(needed[0], "libseriatim_rt.so")
        self.assertFalse([name for name in needed if "san" in name and "ubsan" not in name], needed)
        [path] = dynamic(self.folder / program, "RUNPATH")
        self.assertIn(str(stub_runtime()), path.split(":"))

    def assert_watched_from_within(self, program):
        """The runtime library is inside it, and everything that is loaded finds it there."""
        needed = dynamic(self.folder / program, "NEEDED")
        self.assertFalse([name for name in needed if "san" in name or "seriatim" in name], needed)
        self.assertEqual(dynamic(self.folder / program, "RUNPATH"), [])
        names = output_of("nm", "-D", "--defined-only", self.folder / program)
        self.assertIn("__tsan_unaligned_read16", names)  # nothing here needs it
