"""Thread tests of other projects: where they come from, and how each suite builds them."""

import collections
import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "bench", "real")]

import packages  # pylint: disable=wrong-import-position

# A suite is a folder of source files, each of which is a program with its own main.
#   package, member: the Debian source package, and the part of it that has the suite
#   inner: in gcc's package, the sources are an archive in an archive
#   compiler: "gcc" or "clang"
#   flags, libraries: for all its programs; {source} is the folder of the unpacked package
#   native: files that only the native program needs, since a sanitizer's runtime has what is in them
#   arguments: of every program
Suite = collections.namedtuple(
    "Suite", "name package folder member inner compiler flags libraries native skip arguments")

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = os.path.join(HERE, "native.c")
GCC = "gcc-12.*-dfsg.tar.xz"

# glibc's tests have a library of their own, which is built without instrumentation. Of glibc's
# private headers they get those that do not stand in the way of the system's.
GLIBC_HEADERS = ["array_length.h", "intprops.h", "allocate_once.h"]
GLIBC_PARTS = ["support/*", "nptl/*", "sysdeps/pthread/*", "test-skeleton.c",
               *("include/" + name for name in GLIBC_HEADERS)]
GLIBC_FLAGS = ("-I{source} -I{source}/support -I{source}/few -I{source}/nptl "
               "-I{source}/sysdeps/pthread -D_GNU_SOURCE -D_ISOMAC")
GLIBC_LIBRARIES = "{source}/few/libsupport.a -lpthread -lrt -ldl -lm"


def _suite(name, package, folder, member=(), inner=None, compiler="gcc", flags="", libraries="",
           native=(), skip="", arguments=()):
    return Suite(name, package, folder, [folder + "/*", *member], inner, compiler, flags.split(),
                 libraries.split(), list(native), skip, list(arguments))


SUITES = {suite.name: suite for suite in [
    _suite("drd", "valgrind", "drd/tests", ["include/*", "drd/drd.h", "tests/*.h", "config.h*"],
           flags="-I{source} -I{source}/include -DHAVE_PTHREAD_BARRIER -DHAVE_PTHREAD_CREATE_GLIBC_2_0 "
                 "-D_GNU_SOURCE -DVGO_linux=1 -DVGA_amd64=1 -DVGP_amd64_linux=1 -fopenmp",
           libraries="-lpthread -lrt"),
    _suite("helgrind", "valgrind", "helgrind/tests",
           ["include/*", "helgrind/helgrind.h", "drd/drd.h", "tests/*.h"],
           flags="-I{source} -I{source}/include -D_GNU_SOURCE -DVGO_linux=1 -DVGA_amd64=1 "
                 "-DVGP_amd64_linux=1", libraries="-lpthread -lrt"),
    _suite("tsan-llvm", "llvm-toolchain-14", "compiler-rt/test/tsan",
           ["compiler-rt/test/sanitizer_common/*", "compiler-rt/include/*"], compiler="clang",
           flags="-O1 -I{source}/compiler-rt/test -I{source}/compiler-rt/include -msse4.2",
           libraries="-lpthread -ldl", native=[NATIVE], skip=r"/(Darwin|libcxx|libdispatch)/"),
    _suite("tsan-gcc-c", "gcc-12", "gcc/testsuite/c-c++-common/tsan", inner=GCC,
           flags="-O1 -I{source}/gcc/testsuite/c-c++-common/tsan", libraries="-lpthread -ldl",
           native=[NATIVE]),
    _suite("tsan-gcc-c++", "gcc-12", "gcc/testsuite/g++.dg/tsan", inner=GCC,
           flags="-O1 -I{source}/gcc/testsuite/c-c++-common/tsan", libraries="-lpthread -ldl",
           member=["gcc/testsuite/c-c++-common/tsan/*"], native=[NATIVE]),
    _suite("nptl", "glibc", "nptl", GLIBC_PARTS, flags=GLIBC_FLAGS, libraries=GLIBC_LIBRARIES,
           skip=r"/nptl/(?!tst-)", arguments=["--direct"]),
    _suite("pthread", "glibc", "sysdeps/pthread", GLIBC_PARTS, flags=GLIBC_FLAGS,
           libraries=GLIBC_LIBRARIES, skip=r"/pthread/(?!tst-)", arguments=["--direct"]),
    _suite("c++-threads", "gcc-12", "libstdc++-v3/testsuite/30_threads", inner=GCC,
           member=["libstdc++-v3/testsuite/util/*"],
           flags="-std=gnu++20 -I{source}/libstdc++-v3/testsuite/util", libraries="-lpthread"),
    _suite("c++-atomics", "gcc-12", "libstdc++-v3/testsuite/29_atomics", inner=GCC,
           member=["libstdc++-v3/testsuite/util/*"],
           flags="-std=gnu++20 -I{source}/libstdc++-v3/testsuite/util",
           libraries="-lpthread -latomic"),
    _suite("openmp-c", "gcc-12", "libgomp/testsuite/libgomp.c", inner=GCC,
           member=["libgomp/testsuite/libgomp.c-c++-common/*"], flags="-fopenmp -O1",
           libraries="-lm"),
    _suite("openmp-c++", "gcc-12", "libgomp/testsuite/libgomp.c++", inner=GCC,
           member=["libgomp/testsuite/libgomp.c-c++-common/*", "libgomp/testsuite/libgomp.c/*"],
           flags="-fopenmp -O1", libraries="-lm"),
]}


def unpack(suite, folder):
    """The folder of the suite's package, with what the suite needs of it."""
    place = os.path.join(folder, suite.package)
    archives = packages.archives(folder, suite.package)
    mark = os.path.join(place, f".{suite.name}")
    if not os.path.exists(mark):
        original = next(path for path in archives if ".orig.tar." in path)
        members = ["*/" + member for member in suite.member]
        if suite.inner:
            _unpack_inner(original, suite.inner, members, place)
        else:
            _tar(["-xf", original], members, place)
        source = _source(suite, place)
        if suite.package == "glibc":
            _build_support(source)
        with open(mark, "w", encoding="utf-8"):
            pass
    return _source(suite, place)


def _source(suite, place):
    return glob.glob(os.path.join(place, "*", suite.folder))[0][:-len(suite.folder) - 1]


def _build_support(source):
    """The library of glibc's tests, as far as it can be built outside glibc."""
    few = os.path.join(source, "few")
    os.makedirs(few, exist_ok=True)
    for name in GLIBC_HEADERS:
        shutil.copy(os.path.join(source, "include", name), few)
    with open(os.path.join(few, "config.h"), "w", encoding="utf-8"):
        pass
    paths = ["SRCDIR", "OBJDIR", "OBJDIR_ELF_LDSO", "INSTDIR", "LIBDIR", "BINDIR", "SBINDIR",
             "ROOTSBINDIR", "LOCALEDIR", "SYSCONFDIR", "COMPLOCALEDIR", "SLIBDIR"]
    flags = [flag.format(source=source) for flag in GLIBC_FLAGS.split()]
    flags += [f'-D{path}_PATH="/"' for path in paths]
    flags += ["-w", "-O1", "-DTIMEOUTFACTOR=1", "-include", "limits.h"]
    objects = []
    for path in sorted(glob.glob(os.path.join(source, "support", "*.c"))):
        name = os.path.basename(path)[:-2]
        if re.match(r"tst-|test-|.*_string_main|.*_blob_main", name):
            continue
        built = os.path.join(few, name + ".o")
        done = subprocess.run(["gcc", *flags, "-c", path, "-o", built], check=False,
                              capture_output=True)
        if done.returncode == 0:
            objects.append(built)
    subprocess.run(["ar", "rc", os.path.join(few, "libsupport.a"), *objects], check=True)


def _tar(words, members, place, **how):
    # tar fails if a pattern matches nothing; which patterns do depends on the version of the package.
    subprocess.run(["tar", *words, "--wildcards", *members], cwd=place, check=False,
                   stderr=subprocess.DEVNULL, **how)


def _unpack_inner(original, inner, members, place):
    with subprocess.Popen(["tar", "-xOf", original, "--wildcards", "*/" + inner], cwd=place,
                          stdout=subprocess.PIPE) as outer:
        _tar(["-xJ"], members, place, stdin=outer.stdout)


def programs(suite, source):
    """The source files of the suite that may be programs, in order."""
    found = []
    for path in glob.glob(os.path.join(source, suite.folder, "**", "*"), recursive=True):
        if re.search(r"\.(c|cc|cpp|C)$", path) and not (suite.skip and re.search(suite.skip, path)):
            found.append(path)
    return sorted(found)
