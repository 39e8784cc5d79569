"""Small copies of a known size are seen whole, whatever the compiler makes of the call."""

import pathlib
import subprocess

from seriatim import once
from wrapped import WrapperCase

RECORDER = pathlib.Path(__file__).resolve().parent / "copied_bytes.c"
OF_THE_COMPILER = "the compiler and its headers have no sanitizers"
SIZES = [*range(1, 20), 24, 31, 32, 33, 48, 64]


class Calls:
    """A table of calls, each with the bytes that it writes, reads, and reads in its target."""

    def __init__(self, scope):
        self.scope, self.functions, self.rows = scope, [], []

    def add(self, name, code, written=0, read=0, read_of_target=0):
        self.functions.append(f"void {name}(char *to, const char *from) {{ (void)to, (void)from; {code} }}")
        self.rows.append(f'{{"{name}", {name}, {written}, {read}, {read_of_target}}},')

    def add_sizes(self):
        for size in SIZES:
            call = lambda function: f"{self.scope}{function}"
            self.add(f"memcpy_{size}", f"{call('memcpy')}(to, from, {size});", size, size)
            self.add(f"memmove_{size}", f"{call('memmove')}(to, from, {size});", size, size)
            self.add(f"memset_{size}", f"{call('memset')}(to, 0, {size});", size)
            self.add(f"compare_{size}", f"if ({call('memcmp')}(to, from, {size}) == 0) seen++;", 0,
                     size, size)
            self.add(f"mempcpy_{size}", f"seen += mempcpy(to, from, {size}) != 0;", size, size)
            self.add(f"bzero_{size}", f"bzero(to, {size});", size)
            self.add(f"bcopy_{size}", f"bcopy(from, to, {size});", size, size)
            self.add(f"load_{size}", f"struct {{ char bytes[{size}]; }} value; "
                     f"{call('memcpy')}(&value, from, {size}); keep(&value);", 0, size)
        for size in (1, 2, 4, 8):
            number = {1: "char", 2: "short", 4: "int", 8: "long"}[size]
            self.add(f"number_{size}", f"unsigned {number} number; "
                     f"{call('memcpy')}(&number, from, {size}); seen += (int)number;", 0, size)
            self.add(f"store_{size}", f"unsigned {number} number = (unsigned {number})seen; "
                     f"{call('memcpy')}(to, &number, {size});", size)

    def add_texts(self, printed):
        for text in ("", "x", "abc", "abcdefg", "abcdefgh", "0123456789abcde"):
            whole = len(text) + 1
            of = f"of_{whole}"
            self.add(f"memcpy_{of}", f'{self.scope}memcpy(to, "{text}", {whole});', whole)
            self.add(f"strcpy_{of}", f'{self.scope}strcpy(to, "{text}");', whole)
            self.add(f"stpcpy_{of}", f'seen += stpcpy(to, "{text}") == to;', whole)
            self.add(f"strncpy_{of}", f'{self.scope}strncpy(to, "{text}", {whole});', whole)
            if text and printed:
                self.add(f"sprintf_{of}", f'sprintf(to, "{text}");', whole)
                self.add(f"sprintf_s_{of}", f'sprintf(to, "%s", "{text}");', whole)
        self.add("strcmp_ab", f'if ({self.scope}strcmp(from, "ab") == 0) seen++;', 0, 3)
        self.add("strncmp_ab", f'if ({self.scope}strncmp(from, "abc", 2) == 0) seen++;', 0, 2)

    def source(self, language):
        begin, end = ('extern "C" {', "}") if language == "c++" else ("", "")
        return "\n".join([
            f"#include <{'cstring' if language == 'c++' else 'string.h'}>",
            "#include <strings.h>", "#include <stdio.h>", begin,
            "struct call { const char *name; void (*make)(char *, const char *); int w, r, t; };",
            "extern const struct call calls[]; extern const int call_count; int seen;",
            "__attribute__((noinline)) void keep(const void *value) "
            "{ __asm__ volatile(\"\" : : \"r\"(value) : \"memory\"); }",
            *self.functions, "const struct call calls[] = {", *self.rows, "};",
            f"const int call_count = {len(self.rows)};", end, ""])


class Copies:
    """Mixed into a case of one compiler."""

    language, words = "c", ["-Wall", "-Wextra", "-Wno-unused-result"]

    def setUp(self):
        super().setUp()
        self.suffix = "cc" if self.language == "c++" else "c"
        self.run_tool("gcc", "-O1", "-fno-builtin", "-c", RECORDER, "-o", "recorder.o")

    def run_tool(self, *words):
        subprocess.run([str(word) for word in words], cwd=self.folder, check=True)

    def check(self, *options, printed=True):
        calls = Calls("std::" if self.language == "c++" else "")
        calls.add_sizes()
        calls.add_texts(printed)
        self.write("calls." + self.suffix, calls.source(self.language))
        # The headers of the real runtime library.
        self.build("-c", "calls." + self.suffix, *self.words, "-D_GNU_SOURCE", *options, "-o",
                   "calls.o", SERIATIM_RUNTIME_DIR="")
        self.run_tool("gcc", "calls.o", "recorder.o", "-o", "copies")
        done = subprocess.run([self.folder / "copies"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, f"{len(calls.rows)} calls as they should be\n", options)

    def test_without_optimisation(self):
        self.check("-O0")

    def test_with_optimisation(self):
        for level in ("-O1", "-O2", "-O3", "-Os", "-Og"):
            self.check(level)

    def test_with_checks(self):
        # Known texts that are printed into memory are not seen by gcc then (docs/programs.md).
        for level in (1, 2, 3):
            self.check("-O2", f"-D_FORTIFY_SOURCE={level}", printed=False)


@once(OF_THE_COMPILER)
class CopiesOfGcc(Copies, WrapperCase):
    pass


@once(OF_THE_COMPILER)
class CopiesOfGxx(Copies, WrapperCase):
    language = command = "c++"
    words = ["-Wall", "-Wextra", "-Wno-unused-result", "-U_GNU_SOURCE"]


@once(OF_THE_COMPILER)
class CopiesOfClang(Copies, WrapperCase):
    variables = {"SERIATIM_CC": "clang"}
    words = ["-w"]


@once(OF_THE_COMPILER)
class CopiesOfClangxx(Copies, WrapperCase):
    language = command = "c++"
    variables = {"SERIATIM_CXX": "clang++"}
    words = ["-w"]


@once(OF_THE_COMPILER)
class Meaning(WrapperCase):
    """Our <string.h> changes nothing but what is seen. gcc alone finds it."""

    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wredundant-decls", "-Wshadow"]

    def result_of(self, source, *options, name="program.c", status=0):
        """What a program prints. It is built with the headers of the real runtime library, and does
        not need the library itself."""
        self.write(name, source)
        self.build(name, "-c", "-O2", *options, "-o", "program.o", SERIATIM_RUNTIME_DIR="")
        self.build("program.o", "-o", "program")
        done = subprocess.run([self.folder / "program"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def test_it_is_found(self):
        self.write("a.c", "#include <string.h>\n")
        found = self.compile("-E", "-dD", "a.c", "-O2", SERIATIM_RUNTIME_DIR="")
        self.assertIn("__SERIATIM_STRING", found.text)

    def test_in_all_languages(self):
        source = ("#include <string.h>\n"
                  "int main(void) { char a[8] = \"1234567\", b[8]; memcpy(b, a, 8);"
                  " memset(b, 'x', 2); memmove(b + 3, b + 2, 4); return b[0] == 'x' && b[1] == 'x'"
                  " && b[2] == '3' && b[3] == '3' && b[6] == '6' && !b[7] ? 0 : 1; }\n")
        for standard in ("c89", "c99", "c11", "gnu17"):
            self.result_of(source, *self.strict, f"-std={standard}")
            self.result_of(source, *self.strict, f"-std={standard}", "-D_FORTIFY_SOURCE=2")
        self.command = "c++"
        for standard in ("c++98", "c++11", "c++20"):
            self.result_of(source, *self.strict, f"-std={standard}", name="program.cc")

    def test_a_fill_has_only_the_lowest_byte(self):
        self.assertEqual(self.result_of(
            "#include <stdio.h>\n#include <string.h>\nint main(void) { unsigned long a; int b; "
            "memset(&a, 0x1fe, 8); memset(&b, -2, 4); printf(\"%lx %x\", a, b); return 0; }\n"),
            "fefefefefefefefe fefefefe")

    def test_the_address_is_that_of_the_c_library(self):
        self.assertEqual(self.result_of(
            "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <string.h>\n"
            "int main(void) { void *(*volatile copy)(void *, const void *, size_t) = memcpy; "
            "void *found = dlsym(RTLD_DEFAULT, \"memcpy\"); "
            "puts(memcmp((void *)&copy, &found, 8) ? \"another\" : \"the same\"); return 0; }\n"),
            "the same\n")

    def test_a_program_may_have_its_own(self):
        own = ("void *memcpy(void *restrict to, const void *restrict from, size_t size)"
               " { puts(\"own\"); return memmove(to, from, size); }\n")
        use = "int main(void) { volatile size_t size = 3; char a[4] = \"ab\", b[4];" \
              " memcpy(b, a, size); return b[1] != 'b'; }\n"
        heads = "#include <stdio.h>\n#include <string.h>\n"
        self.assertEqual(self.result_of(heads + own + use), "own\n")
        self.assertEqual(self.result_of(heads + use + own), "own\n")

    def test_a_macro_of_that_name_is_left_alone(self):
        source = ("#define memcpy my_copy\n#include <stdio.h>\n#include <string.h>\n"
                  "void *my_copy(void *restrict to, const void *restrict from, size_t size)"
                  " { puts(\"mine\"); return memmove(to, from, size); }\n"
                  "int main(void) { char a[8] = \"a\", b[8]; memcpy(b, a, 8); return b[0] != 'a'; }\n")
        self.assertEqual(self.result_of(source), "mine\n")

    def test_functions_with_options_of_their_own(self):
        self.result_of("#include <string.h>\n" + "".join(
            f"__attribute__(({attribute})) long f{i}(const char *a)"
            " { long b; memcpy(&b, a, 8); return b; }\n" for i, attribute in enumerate((
                'target("general-regs-only")', 'optimize("O0")', 'no_sanitize("thread")',
                'target("avx2")', 'optimize("O3", "fast-math")'))) +
            "int main(void) { return f0(\"\\0\\0\\0\\0\\0\\0\\0\") != 0; }\n", "-Wall", "-Werror")

    def test_checks_are_made(self):
        for call in ("memcpy(a, b, size)", "memset(a, 0, size)", "strcpy(a, b)", "strncpy(a, b, size)"):
            self.result_of("#include <string.h>\nchar a[4], b[40] = \"0123456789\"; size_t size = 9;\n"
                           "int main(int count, char **words) { size += (size_t)count * !words; "
                           f"{call}; return a[0] == 'x'; }}\n", "-D_FORTIFY_SOURCE=2", status=-6)

    def test_without_a_c_library(self):
        self.write("a.c", "#include <string.h>\nvoid f(void *a, void *b) { memcpy(a, b, 8); }\n")
        self.build("-c", "a.c", "-O2", "-ffreestanding", *self.strict, SERIATIM_RUNTIME_DIR="")
