"""seriatim cc and seriatim c++, with real compilers."""

import os
import re
import shutil
import subprocess
import unittest

from seriatim import BINARY, once, run
from wrapped import (WrapperCase, clean_environment, dynamic, output_of, sections, stub_runtime)

SAME_AS_GCC = "what is done for clang alone is tested with other arguments, too"

THREADED = """\
#include <pthread.h>
#include <stdio.h>
static int x;
static void *count(void *argument) { x++; return argument; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    pthread_join(thread, 0);
    printf("%d\\n", x);
    return 0;
}
"""

# Each function but nothing() must be seen at every optimization level.
BLOCKS_C = """\
#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance, other, *where = &balance;
static long get(void) {
    pthread_mutex_lock(&lock);
    long value = *where;
    pthread_mutex_unlock(&lock);
    return value;
}
static inline void set(long value) {
    pthread_mutex_lock(&lock);
    *where = value;
    pthread_mutex_unlock(&lock);
}
static void reset(void) { set(0); }
static void deposit(long amount, int unused) { (void)unused; set(get() + amount); }
static long called_once(void) { return get() + get(); }
static long twin_a(void) { return get() + other; }
static long twin_b(void) { return get() + other; }
long tail(void) { other = 1; return twin_a(); }
int main(void) {
    reset();
    deposit(1, 7);
    deposit(2, 7);
    return called_once() + twin_a() + twin_b() + tail() > 12 ? 0 : 1;
}
"""
SEEN_C = {"main", "get", "set", "reset", "deposit", "called_once", "twin_a", "twin_b", "tail"}

BLOCKS_CXX = """\
#include <mutex>
#include <vector>
class Account {
    std::mutex lock;
    std::vector<long> history{0};
public:
    long get() { std::lock_guard<std::mutex> guard(lock); return history.back(); }
    void set(long value) { std::lock_guard<std::mutex> guard(lock); history.push_back(value); }
    void deposit(long amount) { set(get() + amount); }
    template <class T> void twice(T amount) { deposit(amount); deposit(amount); }
    long &first() { return history[0]; }
};
namespace { Account account; }
static void work() { account.twice(1); }
int main() { work(); return account.get() == 2 && account.first() == 0 ? 0 : 1; }
"""
SEEN_CXX = {"main", "work", "Account::get", "Account::set", "Account::deposit",
            "void Account::twice<int>"}

HELPER = "extern int shared;\nint shared;\nint helper(void) { return ++shared; }\n"
MAIN = """\
#ifdef __cplusplus
extern "C"
#endif
int helper(void);
int main(void) { return helper() == 1 ? 0 : 1; }
"""
OVERFLOW = """\
#include <limits.h>
int main(int count, char **words) { (void)words; int x = INT_MAX; x += count; return x > 0; }
"""


class EachCompiler:
    """What must work with each; the classes at its end say which."""

    def setUp(self):
        super().setUp()
        self.main = "main.cc" if self.command == "c++" else "main.c"
        self.threaded = "threaded.cc" if self.command == "c++" else "threaded.c"
        self.write(self.main, MAIN)
        self.write(self.threaded, THREADED)
        helper = HELPER
        if self.command == "c++":
            helper = f'extern "C" {{\n{HELPER}}}\n'
        self.helper = "helper" + self.main[4:]
        self.write(self.helper, helper)

    # -- Linking

    def test_in_one_step(self):
        self.build(self.threaded, "-o", "program", "-pthread")
        self.assert_watched("program")
        self.assertEqual(self.start("program"), "1\n")
        self.assertIn("__tsan_func_entry", output_of("nm", "-D", self.folder / "program"))

    def test_with_the_runtime_library_inside(self):
        for more in ([], ["-no-pie"], ["-O2", "-fno-sanitize=thread"], ["-fsanitize=thread"]):
            self.build("-static-libtsan", self.threaded, "-o", "program", "-pthread", *more)
            self.assert_watched_from_within("program")
            self.assertEqual(self.start("program"), "1\n")
        functions, _ = self.log("program")
        self.assertLessEqual({"main", "count"}, functions)

    def test_with_the_runtime_library_inside_in_two_steps(self):
        self.build("-c", "-static-libtsan", self.threaded, "-o", "threaded.o")
        self.build("threaded.o", "-o", "program", "-pthread", "-static-libtsan")
        self.assert_watched_from_within("program")
        self.assertEqual(self.start("program"), "1\n")

    def test_a_shared_library_uses_the_runtime_library_inside_the_program(self):
        self.build("-static-libtsan", "-shared", "-fPIC", self.helper, "-o", "libhelper.so")
        self.assertFalse([name for name in dynamic(self.folder / "libhelper.so", "NEEDED")
                          if "san" in name or "seriatim" in name])
        self.build("-static-libtsan", self.main, "-L.", "-lhelper", "-Wl,-rpath,.", "-o", "program")
        log = self.folder / "log"
        self.start("program", STUB_LOG=log)
        self.assertRegex(log.read_text(), r"libhelper\.so\n(.*\n)*writes 1\n")

    def test_in_two_steps_with_an_archive_in_between(self):
        self.build("-c", self.main)
        self.build("-c", "-O2", self.helper, "-o", "other.o")
        output_of("ar", "rcs", "libhelper.a", "other.o", cwd=self.folder)
        self.build("main.o", "-L.", "-lhelper", "-o", "program")
        self.assert_watched("program")
        functions, counts = self.log("program")
        self.assertEqual(functions, {"main", "helper"})
        self.assertEqual((counts["reads"], counts["writes"]), (1, 1))

    def test_executables_that_are_position_independent_and_not(self):
        for flags, kind in (([], "DYN"), (["-pie", "-fPIE"], "DYN"), (["-no-pie"], "EXEC")):
            self.build(self.threaded, "-o", "program", *flags)
            self.assert_watched("program")
            self.assertIn(kind, output_of("readelf", "-h", self.folder / "program"))
            self.assertEqual(self.start("program"), "1\n")

    def test_shared_libraries(self):
        for flags in (["-Wl,-z,defs", "-Wl,--as-needed"], ["-nostdlib", "-Wl,-z,defs"]):
            self.build("-shared", "-fPIC", "-O1", *flags, self.helper, "-o", "libhelper.so")
            self.assert_watched("libhelper.so")
            self.build(self.main, "-L.", "-lhelper", f"-Wl,-rpath,{self.folder}", "-o", "program")
            self.assert_watched("program")
            self.assertEqual(self.log("program")[1]["writes"], 1)

    # -- Compiling

    def test_functions_are_not_inlined(self):
        source, seen = self.blocks()
        for level in self.levels:
            with self.subTest(level=level):
                self.build(level, source, "-o", "program")
                functions, _ = self.log("program")
                self.assertLessEqual(seen, functions)

    def test_functions_are_inlined_on_demand(self):
        source, seen = self.blocks()
        self.build("-O2", source, "-o", "program", SERIATIM_INLINE=1)
        self.assertLess(len(seen & self.log("program")[0]), len(seen))
        self.build("-O2", source, "-o", "program", SERIATIM_INLINE=0)
        self.assertLessEqual(seen, self.log("program")[0])

    def test_both_accesses_of_an_increment_are_seen(self):
        for level in ("-O0", "-O2"):
            self.build(level, self.helper, self.main, "-o", "program")
            _, counts = self.log("program")
            self.assertGreaterEqual(counts["reads"], 1, level)
            self.assertEqual(counts["writes"], 1, level)

    def test_small_copies_are_seen(self):
        name = "copy" + self.main[4:]
        self.write(name, "#include <string.h>\nchar a[48], b[48];\n"
                   "int main(void) { memcpy(a, b, 24); memcpy(b, a, sizeof b); return 0; }\n")
        self.build("-O2", name, "-o", "program")
        self.assertEqual(self.log("program")[1]["copies"], 2)

    def test_nothing_is_said_whatever_the_step(self):
        self.write("plain.s", ".globl plain\nplain: ret\n.section .note.GNU-stack,\"\"\n")
        self.write("with.S", "#define NAME with\n.globl NAME\nNAME: ret\n"
                   ".section .note.GNU-stack,\"\"\n")
        strict = ["-Wall", "-Wextra", "-Werror"]
        for arguments in (["-c", self.main], ["-S", self.main], ["-fsyntax-only", self.main],
                          ["-MMD", "-MF", "deps", "-c", self.main], ["-c", "plain.s"],
                          ["-c", "with.S"], ["-c", self.helper, "-fPIC"],
                          ["main.o", "helper.o", "plain.o", "with.o", "-o", "program"],
                          [self.main, "helper.o", "plain.s", "with.S", "-o", "program"],
                          ["-shared", "helper.o", "-o", "libhelper.so"]):
            with self.subTest(arguments=arguments):
                self.build(*strict, *arguments)
        fence = "fence" + self.main[4:]
        self.write(fence, "void fence(void);\nvoid fence(void) { __atomic_thread_fence(5); }\n")
        self.build(*strict, "-c", fence)
        for option in ("-E", "-M", "-MM"):
            result = self.compile(*strict, option, self.main)
            self.assertEqual((result.status, result.message), (0, ""))
            self.assertIn("main", result.text)

    def test_headers_are_compiled_and_not_linked(self):
        header = "pre.hpp" if self.command == "c++" else "pre.h"
        self.write(header, "#define ANSWER 42\n")
        self.build(header)
        self.assertTrue((self.folder / f"{header}.gch").exists())
        (self.folder / "plain").write_text("#define ANSWER 42\n")
        language = "c++-header" if self.command == "c++" else "c-header"
        self.build("-x", language, "plain", "-o", "plain.gch")
        self.build(f"-x{language}", "plain", "-o", "plain.gch")

    def test_a_program_from_standard_input(self):
        language = "c++" if self.command == "c++" else "c"
        result = self.compile("-x", language, "-", "-o", "program", stdin=THREADED.encode())
        self.assertEqual((result.message, result.status), ("", 0))
        self.assert_watched("program")

    def test_undefined_behaviour_may_be_watched_as_well(self):
        name = "overflow" + self.main[4:]
        self.write(name, OVERFLOW)
        self.build("-fsanitize=undefined", name, "-o", "one-step")
        self.build("-c", "-fsanitize=undefined", name)
        self.build("-fsanitize=undefined", "overflow.o", "-o", "two-steps")
        self.build("-fsanitize=thread,undefined", "overflow.o", "-o", "three-steps")
        self.build("-fsanitize=undefined", "-shared", "-fPIC", self.helper, "-o", "library.so")
        for program in ("one-step", "two-steps", "three-steps"):
            self.assert_watched(program)
            process = subprocess.run([self.folder / program], stderr=subprocess.PIPE, check=False)
            self.assertIn(b"signed integer overflow", process.stderr)


class GccC(EachCompiler, WrapperCase):
    compiler, levels = "gcc", ("-O1", "-O2", "-O3")

    def blocks(self):
        return self.write("blocks.c", BLOCKS_C), SEEN_C


class GccCxx(EachCompiler, WrapperCase):
    command, compiler, levels = "c++", "g++", ("-O2",)

    def blocks(self):
        return self.write("blocks.cc", BLOCKS_CXX), SEEN_CXX


@once(SAME_AS_GCC)
class ClangC(EachCompiler, WrapperCase):
    compiler, levels = "clang", GccC.levels
    variables = {"SERIATIM_CC": "clang"}
    blocks = GccC.blocks


@once(SAME_AS_GCC)
class ClangCxx(EachCompiler, WrapperCase):
    command, compiler, levels = "c++", "clang++", ("-O2",)
    variables = {"SERIATIM_CXX": "clang++"}
    blocks = GccCxx.blocks


class Options:
    """What does not depend on the language."""

    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)
        self.write("helper.c", HELPER)
        self.write("threaded.c", THREADED)

    def test_the_default_output_is_the_compilers(self):
        self.build("threaded.c", "-pthread")
        self.assert_watched("a.out")

    def test_as_needed_does_not_drop_the_runtime_library(self):
        self.write("main.c", "int main(void) { return 0; }\n")
        self.build("-Wl,--as-needed", "main.c", "-o", "program", "-fno-sanitize=thread")
        self.assert_watched("program")
        self.start("program")

    def test_the_users_library_folders_do_not_hide_ours(self):
        gcc = os.path.dirname(output_of("gcc", "-print-libgcc-file-name").strip())
        self.build("-L", gcc, f"-L{gcc}", "threaded.c", "-o", "program", "-ltsan")
        self.assert_watched("program")

    def test_the_users_run_paths_stay(self):
        self.build("threaded.c", "-o", "program", "-Wl,-rpath,/nowhere")
        self.assertIn("/nowhere", dynamic(self.folder / "program", "RUNPATH")[0].split(":"))

    def test_a_relocatable_object_gets_no_library(self):
        self.build("-c", "helper.c", "main.c")
        for flags in (["-r"], ["-nostdlib", "-no-pie", "-Wl,-r"],
                      ["-nostdlib", "-no-pie", "-Xlinker", "--relocatable"]):
            self.build(*flags, "helper.o", "main.o", "-o", "both.o")
            self.build("both.o", "-o", "program")
            self.start("program")

    def test_debug_information_is_there_unless_it_is_declined(self):
        for flags, expected in (([], True), (["-g0"], False), (["-g1"], True), (["-ggdb"], True)):
            self.build("-c", *flags, "main.c", "-o", "main.o")
            self.assertEqual(".debug_info" in sections(self.folder / "main.o"), expected, flags)

    def test_the_users_options_win(self):
        self.build("-O2", "-fno-sanitize=thread", "-fomit-frame-pointer", "-c", "helper.c")
        self.assertNotIn("tsan", output_of("nm", self.folder / "helper.o"))

    def test_the_macros_are_the_same_in_every_step(self):
        self.write("main.c", "#ifndef __has_feature\n#define __has_feature(x) 0\n#endif\n"
                   "#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)\n"
                   "int watched;\n#endif\n")
        result = self.compile("-E", "main.c")
        self.assertEqual((result.status, result.message), (0, ""))
        self.assertIn("int watched;", result.text)


class OptionsOfGcc(Options, WrapperCase):
    pass


class OptionsOfClang(Options, WrapperCase):
    variables = {"SERIATIM_CC": "clang"}


class PassingThrough:
    """What the compiler answers is what the user gets."""

    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)
        self.write("helper.c", HELPER)
        self.write("threaded.c", THREADED)

    def test_a_build_system_can_put_us_before_the_compiler(self):
        compiler = self.variables.get(f"SERIATIM_{'CC' if self.command == 'cc' else 'CXX'}", "gcc")
        other = {"SERIATIM_CC": "/no/such", "SERIATIM_CXX": "/no/such"}  # they do not count then
        path = self.write("ccache", '#!/bin/sh\necho "cached: $1"\nexec "$@"\n')
        path.chmod(0o755)
        shown = self.compile("--launch", compiler, "-###", "-c", "main.c", **other)
        self.assertIn("-fsanitize=thread", shown.message)
        shown = self.compile("--launch", path, compiler, "-dumpmachine", **other)
        self.assertRegex(shown.text, rf"cached: {compiler}\n.*x86_64")
        self.assert_trouble(self.compile("--launch"),
                            f"{self.command}: --launch needs a compiler behind it, with its arguments")

    def test_errors_and_their_status_are_the_compilers(self):
        self.write("main.c", "int main(void) { return nowhere; }\n")
        result = self.compile("-c", "main.c")
        self.assertEqual(result.status, 1)
        self.assertIn("nowhere", result.message)
        self.assertNotIn("seriatim:", result.message)
        plain = subprocess.run([self.compiler, "-c", "main.c"], cwd=self.folder, check=False,
                               stderr=subprocess.PIPE, env=clean_environment())
        self.assertEqual(result.err, plain.stderr)

    def test_questions_are_answered_by_the_compiler(self):
        for question in (["--version"], ["-dumpmachine"], ["-dumpversion"], ["-v"], ["--help"],
                         ["-print-file-name=libc.so"], ["-print-search-dirs"], ["-###"],
                         ["-print-prog-name=ld"], []):
            with self.subTest(question=question):
                plain = subprocess.run([self.compiler, *question], cwd=self.folder, check=False,
                                       capture_output=True, env=clean_environment())
                result = self.compile(*question)
                self.assertEqual((result.status, result.text, result.message),
                                 (plain.returncode, plain.stdout.decode(), plain.stderr.decode()))

    def test_what_would_be_done_is_shown(self):
        for option in ("-v", "-###"):
            result = self.compile(option, "main.c", "helper.c", "-o", "program")
            self.assertEqual(result.status, 0)
            self.assertIn("-fsanitize=thread", result.message)
            self.assertIn("libseriatim_rt.so", result.message)

    def test_macros_are_listed(self):
        result = self.compile("-dM", "-E", "-x", "c", os.devnull)
        self.assertEqual((result.status, result.message), (0, ""))
        self.assertIn("#define __GNUC__", result.text)

    def test_arguments_from_a_file(self):
        self.write("inner.txt", f"'-DTEXT=\"a b\"' \"-I{self.folder}\"\n")
        self.write("step.txt", f"-c -O2\nthreaded.c @inner.txt\n-o thread\\ ed.o")
        self.build("@step.txt")
        self.write("link.txt", "'thread ed.o' -o \"the program\"")
        self.build("@link.txt", "-pthread")
        self.assert_watched("the program")
        self.write("static.txt", "-static")
        self.assertEqual(self.compile("@static.txt", "main.c").status, 2)

    def test_names_with_blanks_and_odd_characters(self):
        folder = self.folder / "my, $(odd) 'dir'"
        folder.mkdir()
        shutil.copy(self.folder / "threaded.c", folder / "threaded.c")
        self.build(folder / "threaded.c", '-DX="a b"', "-o", folder / "a program")
        self.assertEqual(self.start(folder / "a program"), "1\n")

    def test_very_many_arguments(self):
        many = [f"-DMACRO_{i}=value" for i in range(4000)]
        self.build(*many, "-c", "main.c")


class PassingThroughGcc(PassingThrough, WrapperCase):
    compiler = "gcc"


@once(SAME_AS_GCC)
class PassingThroughClang(PassingThrough, WrapperCase):
    compiler = "clang"
    variables = {"SERIATIM_CC": "clang"}


class Refusals(WrapperCase):
    def setUp(self):
        super().setUp()
        self.write("main.c", MAIN)

    def assert_refused(self, option, reason, *arguments, command="cc"):
        self.command = command
        for compiler in ("gcc", "clang"):
            result = self.compile(*arguments, option, SERIATIM_CC=compiler, SERIATIM_CXX=compiler)
            self.assert_trouble(result, f"{command}: '{option}' does not work with seriatim: {reason}")

    def test_static_programs(self):
        reason = ("the runtime library can only watch a shared C library; link without this "
                  "option")
        for option in ("-static", "--static", "-static-pie"):
            self.assert_refused(option, reason, "main.c")
            self.assert_refused(option, reason, "main.c", command="c++")
        self.command = "cc"
        self.build("-static", "-c", "main.c")  # means nothing here

    def test_a_static_cxx_library(self):
        self.assert_refused("-static-libstdc++", "the runtime library can only watch a "
                            "shared C++ library; link without this option", "main.c")

    def test_other_sanitizers(self):
        reason = ("two runtime libraries cannot watch one program; use this option in a separate "
                  "build")
        for name in ("address", "leak", "memory", "hwaddress", "kernel-address",
                     "undefined,address", "thread,address"):
            self.assert_refused(f"-fsanitize={name}", reason, "main.c")
            self.assert_refused(f"-fsanitize={name}", reason, "-c", "main.c")
        self.assert_refused("-fsanitize=address", reason, "main.c", command="c++")

    def test_a_sanitizer_that_is_switched_off_again_is_none(self):
        for off in ("address", "undefined,address", "all"):
            self.build("-c", "-fsanitize=address", f"-fno-sanitize={off}", "main.c")

    def test_32_bits(self):
        reason = "the runtime library is for 64-bit programs only; build without this option"
        for option in ("-m32", "-mx32"):
            self.assert_refused(option, reason, "-c", "main.c")
        self.build("-c", "-m32", "-m64", "main.c")

    def test_an_option_among_arguments_from_a_file(self):
        self.write("options", "-O2 -static main.c")
        result = self.compile("@options")
        self.assertEqual(result.status, 2)
        self.assertIn("'-static'", result.message)


FAKE = """\
#!/bin/sh
case $* in
-print-prog-name=cc1) echo /usr/lib/fake/cc1 ;;
*) printf '%s\\0' "$@" >arguments ;;
esac
"""


class Arguments(WrapperCase):
    """What the compiler gets, according to a fake one that logs its arguments."""

    def setUp(self):
        super().setUp()
        self.write("fake", FAKE).chmod(0o755)

    def given(self, *arguments, **env):
        env.setdefault("SERIATIM_CC", self.folder / "fake")
        result = self.compile(*arguments, **env)
        self.assertEqual((result.status, result.message), (0, ""))
        given = (self.folder / "arguments").read_text().split("\0")[:-1]
        return [] if given == [""] else given  # printf writes its format once in any case

    def added(self, *arguments, **env):
        """What is added before the arguments, which follow unchanged."""
        given = self.given(*arguments, **env)
        count = len(given) - len(arguments)
        self.assertEqual(given[count:], [*arguments])
        return given[:count]

    def test_they_are_untouched_and_in_order(self):
        odd = ["a b.c", "-o", "", "-DX='\"'", "@missing", "--", "*", "$HOME", "\\", "-DU=\u00e4"]
        self.assertIn("-fsanitize=thread", self.added(*odd))

    def test_there_may_be_very_many(self):
        self.added("a.c", *(f"-DMACRO_{i}=value" for i in range(30000)))

    def test_too_many_are_an_error_that_says_what_to_do(self):
        def attempt(count):
            try:
                return self.compile("-c", "a.c", *["-D" + "x" * 97] * count, SERIATIM_CC="./brief")
            except OSError:
                return None

        self.write("brief", "#!/bin/sh\necho /cc1\n").chmod(0o755)
        # As many as we can receive; with what is added there are too many.
        low, high = 0, os.sysconf("SC_ARG_MAX") // 100
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if attempt(middle) is None else (middle, high)
        result = attempt(low)
        self.assert_trouble(result, "cc: the command line is too long for this system; put "
                            "the arguments into a file and give @FILE instead")

    def test_without_input_nothing_is_added(self):
        for question in (["--version"], ["-v"], ["-print-file-name=x"], ["-o", "x"], ["-###"],
                         ["-I", "x"], ["-L", "x", "-fsanitize=address"], ["-m32", "-dumpmachine"],
                         ["-static", "-print-multi-lib"], ["-Wl,--version"], ["-Xlinker", "x"],
                         ["-include", "x.h"], ["-MF", "x.c"], ["--param", "x"], ["-x", "c"], []):
            self.assertEqual(self.added(*question), [], question)

    def test_whether_it_links(self):
        runtime = str(stub_runtime() / "libseriatim_rt.so")
        for arguments in (["a.c"], ["a.o"], ["-la"], ["-l", "a"], ["x/lib.so.1"], ["strange"],
                          ["a.h", "a.c"], ["-x", "c", "a", "-x", "none"], ["-shared", "a.o"],
                          ["a.c", "-o", "-c"], ["a.c", "-MT", "-S"], ["a.c", "-MMD"], ["-"],
                          ["--", "-c"]):
            self.assertIn(runtime, self.added(*arguments), arguments)
        for arguments in (["-c", "a.c"], ["a.c", "-S"], ["-E", "a.c"], ["-M", "a.c"],
                          ["-MM", "a.c"], ["-fsyntax-only", "a.c"], ["a.h"], ["a.hpp", "b.hh"],
                          ["-x", "c++-header", "a"], ["-r", "a.o"], ["--compile", "a.c"],
                          ["-Wl,-z,now,-r", "a.o"]):
            self.assertNotIn(runtime, self.added(*arguments), arguments)

    def test_what_is_added(self):
        compiling = self.added("-c", "a.c")
        self.assertEqual(compiling, [
            "-fsanitize=thread", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
            "-fno-jump-tables",
            *("-fno-builtin-" + name for name in (
                "memcpy", "memmove", "memset", "mempcpy", "bzero", "bcopy", "memcmp", "bcmp",
                "strcpy", "stpcpy", "strncpy", "stpncpy", "strcat", "strncat", "strcmp", "strncmp",
                "sprintf", "snprintf")),
            "-fno-ipa-icf", "-fno-ipa-cp", "-fno-ipa-sra", "--param=max-completely-peel-times=0", "-Wno-tsan",
            "-fno-inline-functions",
            "-fno-inline-small-functions", "-fno-inline-functions-called-once", "-fno-partial-inlining",
            "--param=early-inlining-insns=0", "--param=max-inline-insns-single=0"])
        self.assertEqual(set(compiling) - set(self.added("-c", "a.c", SERIATIM_INLINE=1)),
                         {word for word in compiling if "inlin" in word})
        shutil.copy(self.folder / "fake", self.folder / "my-clang-99")
        clang = self.added("-c", "a.c", SERIATIM_CC=self.folder / "my-clang-99")
        self.assertEqual(clang, [
            "-fsanitize=thread", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
            "-fno-jump-tables", "-fno-unroll-loops", "-mllvm", "-tsan-instrument-read-before-write=1", "-finline-hint-functions",
            "-mllvm", "-inline-threshold=0", "-mllvm", "-inlinehint-threshold=0"])
        place = str(stub_runtime())
        linking = ["-L" + place]
        for word in ("--push-state", "--no-as-needed", place + "/libseriatim_rt.so", "--pop-state",
                     "-rpath", place):
            linking += ["-Xlinker", word]
        self.assertEqual(self.added("a.c"), compiling + linking)
        self.assertEqual(self.added("a.c", SERIATIM_CC=self.folder / "my-clang-99"),
                         clang + linking + ["-fno-sanitize-link-runtime"])
        self.assertEqual(self.added("a.o", SERIATIM_CC=self.folder / "my-clang-99"), linking)

    def test_headers_are_added_where_they_are(self):
        place = self.folder / "runtime"
        shutil.copytree(stub_runtime(), place, symlinks=True)
        (place / "include").mkdir()
        without = self.added("-c", "a.c", SERIATIM_RUNTIME_DIR=place)
        (place / "include" / "string.h").touch()
        with_them = self.added("-c", "a.c", SERIATIM_RUNTIME_DIR=place)
        at = with_them.index("-isystem")
        self.assertEqual(with_them[at + 1], str((place / "include").resolve()))
        self.assertEqual(with_them[:at] + with_them[at + 2:], without)
        # Whoever compiles alone needs no runtime library.
        self.assertEqual(self.added("-c", "a.c", SERIATIM_RUNTIME_DIR=self.folder), without)

    def test_options_from_the_environment_are_not_for_the_compiler(self):
        self.added("-c", "a.c", SERIATIM_OPTIONS="--nonesuch")

    def test_signals_are_those_of_the_caller(self):
        script = "#!/bin/sh\ncase $* in -print*) echo /cc1;; *) sh -c " \
                 "'grep SigIgn /proc/$PPID/status >ignored';; esac\n"
        self.write("shell", script).chmod(0o755)
        subprocess.run(["env", "--default-signal", str(BINARY), "cc", "a.o"], cwd=self.folder,
                       env=clean_environment(SERIATIM_CC=self.folder / "shell"), check=True)
        ignored = int((self.folder / "ignored").read_text().split()[1], 16)
        # env cannot set 32 and 33, which the C library keeps for itself.
        self.assertEqual(ignored & ~(0b11 << 31), 0)


class TheCompiler(WrapperCase):
    def setUp(self):
        super().setUp()
        self.write("main.c", "int main(void) { return 0; }\n")

    def built_by(self, **env):
        self.build("main.c", "-o", "program", **env)
        self.assert_watched("program")
        comment = output_of("readelf", "-p", ".comment", self.folder / "program")
        return "clang" if "clang" in comment else "gcc"

    def test_it_is_gcc_unless_another_is_chosen(self):
        for chosen in (None, "", "  "):
            self.assertEqual(self.built_by(SERIATIM_CC=chosen), "gcc")
        self.command = "c++"
        self.write("main.cc", "int main() { return 0; }\n")
        self.build("main.cc", SERIATIM_CXX=None)

    def test_it_may_have_any_name_that_is_a_gcc_or_a_clang(self):
        for name, kind in (("gcc-12", "gcc"), ("x86_64-linux-gnu-gcc-12", "gcc"), ("cc", "gcc"),
                           ("clang-14", "clang"), (shutil.which("clang"), "clang"),
                           (shutil.which("gcc"), "gcc")):
            self.assertEqual(self.built_by(SERIATIM_CC=name), kind, name)

    def test_a_script_is_asked_what_it_is(self):
        for name, kind in (("one", "gcc"), ("two", "clang")):
            self.write(name, f'#!/bin/sh\nexec {kind} "$@"\n').chmod(0o755)
            self.assertEqual(self.built_by(SERIATIM_CC=f"./{name}"), kind)

    def test_it_may_have_several_words(self):
        for words, kind in (("env gcc", "gcc"), (" env  -u HOME\tclang ", "clang"),
                            ("env A=b gcc -O2", "gcc")):
            self.assertEqual(self.built_by(SERIATIM_CC=words), kind)

    def test_its_path_may_hold_blanks(self):
        (self.folder / "my tools").mkdir()
        (self.folder / "my tools" / "cc").symlink_to(shutil.which("clang"))
        self.assertEqual(self.built_by(SERIATIM_CC=self.folder / "my tools" / "cc"), "clang")

    def test_a_missing_one_is_an_error(self):
        for arguments in (["main.c"], ["--version"]):
            self.assert_trouble(self.compile(*arguments, SERIATIM_CC="nonesuch"),
                                "cc: there is no compiler 'nonesuch'; install it (Debian: apt-get "
                                "install gcc) or set SERIATIM_CC to another gcc or clang")
        self.command = "c++"
        self.assert_trouble(self.compile("main.c", PATH="/nowhere"),
                            "c++: there is no compiler 'g++'; install it (Debian: apt-get install "
                            "g++) or set SERIATIM_CXX to another gcc or clang")
        self.command = "cc"
        self.assert_trouble(self.compile("main.c", SERIATIM_CC="./clang"),
                            "cc: there is no compiler './clang'; install it (Debian: apt-get "
                            "install gcc) or set SERIATIM_CC to another gcc or clang")
        self.assert_trouble(self.compile("main.c", SERIATIM_CC="./main.c"),
                            "cc: cannot run the compiler './main.c': Permission denied; set "
                            "SERIATIM_CC to a gcc or clang that works")

    def test_another_program_is_an_error(self):
        self.assert_trouble(self.compile("main.c", SERIATIM_CC="true"),
                            "cc: 'true' is neither gcc nor clang; set SERIATIM_CC to one of "
                            "them")

    def test_seriatim_itself_is_an_error(self):
        for name in (f"{BINARY} cc", f"{BINARY}-cc", f"env {BINARY}-c++"):
            self.assert_trouble(self.compile("main.c", SERIATIM_CC=name),
                                "cc: SERIATIM_CC names seriatim itself; set it to the compiler that "
                                "seriatim is to call")

    def test_the_commands_have_names_of_their_own(self):
        for name in ("seriatim-cc", "seriatim-c++"):
            result = self.compile("--version", by=BINARY.parent / name)
            self.assertEqual((result.status, result.message), (0, ""))
            self.assertIn("g++" if name.endswith("++") else "gcc", result.text)

    def test_help_is_ours_or_the_compilers(self):
        self.assertIn("Usage: gcc", self.compile("--help").text)
        for command, variable in (("cc", "SERIATIM_CC"), ("c++", "SERIATIM_CXX")):
            text = run("help", command).text
            self.assertTrue(text.startswith(f"usage: seriatim {command} ARGUMENTS...\n"))
            self.assertIn(variable, text)


class TheRuntimeLibrary(WrapperCase):
    """Where it is searched for, and that the error says so if it is missing."""

    def setUp(self):
        super().setUp()
        self.write("main.c", "int main(void) { return 0; }\n")

    def move(self, binary, library):
        binary, library = self.folder / binary, self.folder / library
        binary.parent.mkdir(parents=True)
        shutil.copy(BINARY, binary)
        (binary.parent / "seriatim-cc").symlink_to("seriatim")
        if library:
            shutil.copytree(stub_runtime(), library, symlinks=True)
        return binary.parent / "seriatim-cc", library

    def built_with(self, wrapper):
        result = self.compile("main.c", "-o", "program", by=wrapper, SERIATIM_RUNTIME_DIR=None)
        self.assertEqual((result.message, result.status), ("", 0))
        return dynamic(self.folder / "program", "RUNPATH")

    def test_beside_a_program_that_was_built(self):
        wrapper, library = self.move("a, b/seriatim", "a, b/runtime")
        self.assertEqual(self.built_with(wrapper), [str(library.resolve())])
        self.start("program")

    def test_among_the_libraries_of_a_program_that_was_installed(self):
        cache = (BINARY.parent / "CMakeCache.txt").read_text()
        libraries = re.search(r"^CMAKE_INSTALL_LIBDIR:PATH=(.*)$", cache, re.M).group(1)
        wrapper, library = self.move("prefix/bin/seriatim", f"prefix/{libraries}/seriatim")
        self.assertEqual(self.built_with(wrapper), [str(library.resolve())])
        link = self.folder / "elsewhere-cc"
        link.symlink_to(wrapper)  # a link that is not called seriatim-cc does not count
        self.assertEqual(self.compile("main.c", by=link).status, 2)

    def test_where_the_variable_says(self):
        shutil.copytree(stub_runtime(), self.folder / "own", symlinks=True)
        self.build("main.c", "-o", "program", SERIATIM_RUNTIME_DIR="own")
        self.assertEqual(dynamic(self.folder / "program", "RUNPATH"),
                         [str((self.folder / "own").resolve())])
        self.start("program")

    def test_a_missing_one_is_an_error_when_linking(self):
        self.build("-c", "main.c", SERIATIM_RUNTIME_DIR="/nowhere")
        self.assert_trouble(self.compile("main.o", SERIATIM_RUNTIME_DIR="/nowhere"),
                            "cc: SERIATIM_RUNTIME_DIR is '/nowhere', where libseriatim_rt.so and "
                            "libtsan.so are not; set it to the folder that holds them, or unset it")
        wrapper, _ = self.move("alone/seriatim", "elsewhere")
        self.assert_trouble_like(self.compile("main.o", by=wrapper, SERIATIM_RUNTIME_DIR=None),
                                 r"cc: the runtime library libseriatim_rt\.so is not there \(looked "
                                 r"in '.*'\); build or install seriatim again, or set "
                                 r"SERIATIM_RUNTIME_DIR to its folder")

    def test_without_its_second_name_gcc_would_take_its_own(self):
        folder = self.folder / "half"
        folder.mkdir()
        shutil.copy(stub_runtime() / "libseriatim_rt.so", folder)
        self.assertEqual(self.compile("main.c", SERIATIM_RUNTIME_DIR=folder).status, 2)

    def test_an_archive_that_is_missing_is_an_error_when_it_is_to_be_linked(self):
        for name in ("libseriatim_rt.a", "libseriatim_rt.a.syms", "libtsan.a"):
            folder = self.folder / ("without " + name)
            shutil.copytree(stub_runtime(), folder, symlinks=True)
            (folder / name).unlink()
            self.build("main.c", "-o", "program", SERIATIM_RUNTIME_DIR=folder)
            self.build("-static-libtsan", "-c", "main.c", SERIATIM_RUNTIME_DIR=folder)
            result = self.compile("main.c", "-static-libtsan", SERIATIM_RUNTIME_DIR=folder)
            self.assert_trouble(result, "cc: -static-libtsan: libseriatim_rt.a, "
                                "libseriatim_rt.a.syms and libtsan.a are not all beside "
                                "libseriatim_rt.so; build or install seriatim again, or link "
                                "without this option")

    def test_programs_of_gccs_own_find_it_under_the_name_they_know(self):
        self.write("threaded.c", THREADED)
        subprocess.run(["gcc", "-fsanitize=thread", "threaded.c", "-o", "program"],
                       cwd=self.folder, check=True)
        self.assertIn("libtsan.so.2", dynamic(self.folder / "program", "NEEDED"))
        log = self.folder / "log"
        self.start("program", STUB_LOG=log, LD_LIBRARY_PATH=stub_runtime())
        self.assertIn("entered", log.read_text())

    def test_a_library_of_gccs_own_shares_it_with_the_program(self):
        self.write("helper.c", HELPER)
        self.write("main.c", MAIN)
        subprocess.run(["gcc", "-fsanitize=thread", "-shared", "-fPIC", "helper.c", "-o",
                        "libhelper.so"], cwd=self.folder, check=True)
        self.build("main.c", "-L.", "-lhelper", "-Wl,-rpath,.", "-o", "program",
                   f"-Wl,-rpath-link,{stub_runtime()}")
        log = self.folder / "log"
        self.start("program", STUB_LOG=log, LD_LIBRARY_PATH=stub_runtime())
        self.assertRegex(log.read_text(), r"libhelper\.so\n(.*\n)*writes 1\n")


MAKEFILE = """\
CC = gcc
CXX = g++
CFLAGS = -O2 -Wall -Wextra -Werror
program: main.o libhelper.a
\t$(CXX) $(LDFLAGS) $^ -o $@
libhelper.a: helper.o
\t$(AR) rcs $@ $^
main.o: main.cc
\t$(CXX) $(CFLAGS) -c $<
"""

# What configure scripts ask a compiler, as those that autoconf makes do.
CONFIGURE = """\
#!/bin/sh
: ${CC=gcc} ${CFLAGS=-g -O2}
echo "int main(void) { return 0; }" >conftest.c
$CC $CFLAGS conftest.c && ./a.out || { echo "cannot run C compiled programs"; exit 77; }
$CC --version >/dev/null && $CC -v 2>/dev/null || exit 1
$CC -c conftest.c && test -f conftest.o || exit 1
echo "#ifndef __GNUC__" >conftest.c; echo "choke me" >>conftest.c; echo "#endif" >>conftest.c
$CC -E conftest.c >conftest.i && $CC -c -Werror conftest.c 2>conftest.err || exit 1
test -s conftest.err && exit 1
for flag in -Wall -fno-such-flag -Wl,--as-needed -fPIC; do
    echo "int main(void) { return 0; }" >conftest.c
    if $CC -Werror $flag conftest.c -o conftest 2>/dev/null; then echo "$flag yes"
    else echo "$flag no"; fi
done
for name in pthread_create no_such_function; do
    echo "char $name(); int main(void) { return $name(); }" >conftest.c
    if $CC -w conftest.c -o conftest -lm 2>/dev/null; then echo "$name yes"; else echo "$name no"; fi
done
echo "CC = $CC" >config.mk
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(user C CXX)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wall HAS_WALL)
check_c_compiler_flag(-fno-such-flag HAS_NONSENSE)
if(NOT HAS_WALL OR HAS_NONSENSE)
  message(FATAL_ERROR "flags are not checked")
endif()
add_library(static_helper STATIC helper.c)
add_library(shared_helper SHARED helper.c)
add_executable(with_static main.cc)
target_link_libraries(with_static PRIVATE static_helper Threads::Threads)
add_executable(with_shared main.cc)
target_link_libraries(with_shared PRIVATE shared_helper)
add_executable(plain threaded.c)
"""


class Projects:
    """Whole projects, unchanged except for the choice of the compiler."""

    def setUp(self):
        super().setUp()
        self.write("main.cc", MAIN)
        self.write("helper.c", HELPER)
        self.write("threaded.c", THREADED)

    def tool(self, *command):
        process = subprocess.run([str(word) for word in command], cwd=self.folder, check=False,
                                 env=clean_environment(**self.variables), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        self.assertEqual(process.returncode, 0, process.stdout.decode())
        return process.stdout.decode()

    def test_make(self):
        self.write("Makefile", MAKEFILE)
        output = self.tool("make", f"CC={BINARY}-cc", f"CXX={BINARY}-c++")
        self.assertNotIn("warning", output)
        self.assert_watched("program")
        self.assertEqual(self.log("program")[0], {"main", "helper"})

    def test_configure(self):
        self.write("configure", CONFIGURE).chmod(0o755)
        expected = self.tool("env", f"CC={self.variables.get('SERIATIM_CC', 'gcc')}", "./configure")
        output = self.tool("env", f"CC={BINARY} cc", "./configure")
        self.assertEqual(output, expected)
        self.assertIn("-fno-such-flag no\n", output)
        self.assertIn("pthread_create yes\nno_such_function no\n", output)

    def test_cmake(self):
        self.write("CMakeLists.txt", CMAKE)
        self.tool("cmake", "-S", ".", "-B", "build", "-G", "Unix Makefiles",
                  f"-DCMAKE_C_COMPILER={BINARY}-cc", f"-DCMAKE_CXX_COMPILER={BINARY}-c++",
                  "-DCMAKE_BUILD_TYPE=Release")
        output = self.tool("cmake", "--build", "build", "-j2")
        self.assertNotIn("warning", output)
        for name in ("with_static", "with_shared", "libshared_helper.so"):
            self.assert_watched(f"build/{name}")
        self.start("build/with_static")
        self.start("build/with_shared")
        self.assertEqual(self.start("build/plain"), "1\n")
        found = "".join(path.read_text() for path in
                        (self.folder / "build/CMakeFiles").glob("*/CMake*Compiler.cmake"))
        self.assertEqual(re.findall(r"COMPILER_ID \"(\w+)\"", found), [self.identity] * 2)


class ProjectsWithGcc(Projects, WrapperCase):
    identity = "GNU"


@once(SAME_AS_GCC)
class ProjectsWithClang(Projects, WrapperCase):
    identity = "Clang"
    variables = {"SERIATIM_CC": "clang", "SERIATIM_CXX": "clang++"}


if __name__ == "__main__":
    unittest.main()
