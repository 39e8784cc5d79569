"""The place of a step is a line of the user's own code, in every format.

C++ programs lock, wait and allocate in headers of the library. Those frames are in the stacks, and
nowhere else.
"""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import programs
from results import cut, edge, event, result
from seriatim import BINARY, RUNTIME, Case, environment, once

BUILD = BINARY.parent
HEADER = re.compile(r"/usr/(?:local/)?include/|/include/c\+\+/|bits/")
LIKE_MUTEX = "they differ from test_mutex in the program only"
LIBRARY = "/usr/include/c++/12/bits/std_mutex.h:100"


def locations(value, path=""):
    """(where in the JSON, text) of all texts that are in no stack."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("stack", "stacks"):
                yield from locations(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from locations(item, path + "[]")
    elif isinstance(value, str):
        yield path, value


def page_data(page):
    """The two pieces of JSON in a page: the result, and excerpts of sources."""
    found = re.findall(r'<script type="application/json" id="([a-z-]+)">(.*?)</script>', page, re.S)
    return {name: json.loads(text) for name, text in found}


class Programs(unittest.TestCase):
    """Programs that use the C++ library, with both compilers, without and with optimization."""

    def command(self, folder, *words, statuses=(0,), **variables):
        done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True,
                              env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), **variables),
                              text=True, check=False)
        self.assertIn(done.returncode, statuses, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def build(self, folder, program, compiler, optimize):
        self.command(folder, "gcc", "-O1", "-c", programs.FOLDER / "schedule.c", "-o", "schedule.o")
        self.command(folder, BUILD / "seriatim-c++", "-g", optimize, *program.flags, program.path,
                     "schedule.o", "-o", "program", "-pthread", SERIATIM_CXX=compiler)
        (folder / "spec").write_text(program.variants[0].specification)

    def reports(self, folder):
        """Texts of all formats: what `run` finds, and what `check` finds in a recording."""
        self.command(folder, BINARY, "record", "-o", "t.stt", "--spec", "spec", "--", "./program")
        for form in ("text", "json", "sarif", "html"):
            self.command(folder, BINARY, "run", "--spec", "spec", "--format", form, "--log", "log",
                         "--", "./program", statuses=(66,))
            yield "run", form, (folder / "log").read_text()
            yield "check", form, self.command(folder, BINARY, "check", "--format", form, "t.stt",
                                              statuses=(1,))

    def check(self, form, text):
        if form == "text":
            self.assertIsNone(HEADER.search(text), text)
            return
        parts = page_data(text) if form == "html" else {"": json.loads(text)}
        seen = [(where, loc) for part in parts.values() for where, loc in locations(part)]
        self.assertTrue(any(".cc" in text for _, text in seen))
        self.assertEqual([(where, loc) for where, loc in seen if HEADER.search(loc)], [])

    def check_program(self, name):
        program = programs.Program(programs.FOLDER / name)
        for compiler in ("g++", "clang++"):
            for optimize in ("-O0", "-O2"):
                with tempfile.TemporaryDirectory() as place:
                    folder = pathlib.Path(place)
                    self.build(folder, program, compiler, optimize)
                    for command, form, text in self.reports(folder):
                        with self.subTest(compiler=compiler, optimize=optimize, command=command,
                                          form=form):
                            self.check(form, text)

    def test_mutex(self):
        self.check_program("std_mutex.cc")

    @once(LIKE_MUTEX)
    def test_scoped_lock(self):
        self.check_program("std_scoped_lock.cc")

    @once(LIKE_MUTEX)
    def test_shared_mutex(self):
        self.check_program("std_shared_mutex.cc")

    @once(LIKE_MUTEX)
    def test_condition_variable(self):
        self.check_program("std_condition_variable.cc")


def locked(number, thread, op, function, line, caller="main"):
    """An event in the library, called from a function of the user."""
    return event(number, thread, op, LIBRARY, "std::mutex::lock",
                 stack=[("std::mutex::lock", LIBRARY), (function, f"a.cc:{line}"),
                        (caller, "m.cc:9")])


class SavedResults(Case):
    """Results of older versions have the innermost frame as their location."""

    def data(self):
        entry = event(1, "T1", "begin(f)", "a.cc:1", "f",
                      stack=[("f", "a.cc:1"), ("main", "m.cc:9")])
        out, there = locked(2, "T1", "rel(m)", "f", 2), locked(3, "T2", "acq(m)", "g", 33)
        back = locked(4, "T2", "rel(m)", "g", 34)
        proof = event(5, "T1", "acq(m)", LIBRARY, "std::mutex::lock",
                      stack=[("std::mutex::lock", LIBRARY), ("inner", "a.cc:50"), ("f", "a.cc:5"),
                             ("main", "m.cc:9")])
        return result(dict(cut(), entry=entry, begin_loc="a.cc:1", proof=proof,
                           closing=edge(back, proof, "lock", "m"),
                           path=[edge(out, there, "lock", "m"), edge(back, proof, "lock", "m")]))

    def report(self, form, *options):
        self.write("r.json", json.dumps(self.data()))
        return self.run_here("report", "--format", form, *options, "r.json")

    def test_location_and_function_are_the_users_and_the_stack_has_all(self):
        [violation] = self.report("json").json["violations"]
        proof = violation["proof"]
        self.assertEqual((proof["loc"], proof["function"]), ("a.cc:50", "inner"))
        self.assertEqual([frame["loc"] for frame in proof["stack"]],
                         [LIBRARY, "a.cc:50", "a.cc:5", "m.cc:9"])
        self.assertEqual([place["loc"] for place in (violation["path"][0]["from"],
                                                     violation["path"][0]["to"])],
                         ["a.cc:2", "a.cc:33"])

    def test_where_all_frames_are_the_librarys_the_innermost_stays(self):
        data = self.data()
        proof = data["violations"][0]["proof"]
        proof["stack"] = proof["stack"][:1]
        self.write("r.json", json.dumps(data))
        shown = self.run_here("report", "--format", "json", "r.json").json["violations"][0]["proof"]
        self.assertEqual((shown["loc"], shown["function"]), (LIBRARY, "std::mutex::lock"))

    def test_a_result_is_where_the_block_itself_was_cut(self):
        [run] = self.report("sarif").json["runs"]
        [place] = run["results"][0]["locations"]
        self.assertEqual(place["physicalLocation"]["region"]["startLine"], 5)
        self.assertEqual(place["logicalLocations"][0]["fullyQualifiedName"], "f")

    def test_a_saved_result_has_the_same_fingerprint(self):
        first = self.report("json")
        self.write("again.json", first.out)
        again = self.run_here("report", "--format", "json", "again.json")
        self.assertEqual(again.json["violations"], first.json["violations"])
        self.assertEqual(
            self.run_here("report", "--baseline", "again.json", "--format", "json",
                          "r.json").json["violations"][0]["state"], "known")

    def test_a_block_of_a_library_is_suppressed_by_its_own_file_or_the_users(self):
        data = self.data()
        violation = data["violations"][0]
        violation["entry"] = locked(1, "T1", "begin(f)", "caller", 77)
        self.write("r.json", json.dumps(data))
        self.assertEqual(self.run_here("report", "--format", "json", "r.json")
                         .json["violations"][0]["begin_loc"], "a.cc:77")
        for name, state in (("*/std_mutex.h", "suppressed"), ("a.cc", "suppressed"), ("b.cc", "new")):
            self.write("s.supp", f"suppress function f file {name} because of that\n")
            shown = self.run_here("report", "--suppressions", "s.supp", "--format", "json", "r.json")
            self.assertEqual(shown.json["violations"][0]["state"], state, name)


if __name__ == "__main__":
    unittest.main()
