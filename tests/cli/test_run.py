"""seriatim run and seriatim record: how they treat the program, its status, signals and files.

What they find in programs is tested in tests/programs; here one small program is enough."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from seriatim import BINARY, ROOT, RUNTIME, Case, environment, once, run

# The second thread writes between the two accesses of the first one's update(). They take turns
# through a counter that is not instrumented, so that every run has the same interleaving.
PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn(void) {
    __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
}

static int total, harmless;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void update(int cut) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    if (cut) {
        next_turn();
        wait_for(2);
    }
    set(value + 1);
}

static void *other(void *argument) {
    wait_for(1);
    set(7);
    next_turn();
    return argument;
}

static void cut(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    update(1);
    pthread_join(thread, NULL);
}

static void say(const char *word) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", word);
    if (write(1, line, length) != length)
        _exit(6);
}

static void on_signal(int number) {
    char text[] = "got 00\n"; /* in the middle of anything, so without stdio */
    text[4] += number / 10;
    text[5] += number % 10;
    _exit(write(1, text, 7) == 7 ? 5 : 6);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "cut") == 0)
            cut();
        else if (strcmp(word, "clean") == 0)
            update(0);
        else if (strcmp(word, "cat") == 0)
            for (int c; (c = getchar()) != EOF;)
                putchar(c);
        else if (strcmp(word, "kill") == 0)
            kill(getpid(), SIGKILL);
        else if (strcmp(word, "abort") == 0)
            abort();
        else if (strcmp(word, "handle") == 0)
            signal(SIGTERM, on_signal), signal(SIGINT, on_signal);
        else if (strcmp(word, "stay") == 0)
            for (;;)
                pause();
        else if (strcmp(word, "daemon") == 0) {
            if (daemon(1, 1) != 0)
                return 9;
        } else if (strcmp(word, "work") == 0)
            for (int n = 0; n < 100000; n++)
                set(n);
        else if (strcmp(word, "storm") == 0)
            for (int n = 0;; n++)
                set(n);
        else if (word[0] == '-')
            printf("option %s\n", word);
        else if (word[0] == '+')
            say(word + 1);
        else
            return atoi(word);
    }
    return 0;
}
"""


def build():
    """The program, built once for all tests; None where that is not possible."""
    if not RUNTIME.exists() or not shutil.which("gcc"):
        return None
    folder = tempfile.mkdtemp(prefix="seriatim-test-program-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    source = pathlib.Path(folder) / "program.c"
    source.write_text(PROGRAM)
    binary = pathlib.Path(folder) / "program"
    made = subprocess.run(["gcc", "-g", "-O1", "-fsanitize=thread", "-pthread", source, "-o", binary],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        raise AssertionError(made.stderr)
    return binary


PROGRAM_PATH = None


def setUpModule():
    global PROGRAM_PATH
    PROGRAM_PATH = build()
    if not PROGRAM_PATH:
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")


def state_of(process):
    """The letter that /proc has for its state."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def children_of(process, name):
    found = []
    for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split():
        if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name:
            found.append(int(child))
    return found


def stop_asleep(process):
    """Stops the watcher where it has nothing to do and waits for a signal."""
    while True:
        os.kill(process, signal.SIGSTOP)
        while state_of(process) != "T":
            time.sleep(0.001)
        if pathlib.Path(f"/proc/{process}/syscall").read_text().startswith("128 "):
            return  # rt_sigtimedwait
        os.kill(process, signal.SIGCONT)


class ProgramCase(Case):
    def start(self, *arguments, **more):
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.Popen([str(BINARY), *map(str, arguments)], cwd=self.folder,
                                env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME)),
                                stderr=subprocess.PIPE, start_new_session=True, **more)

    def seriatim(self, *arguments, env=None, **more):
        env = dict(env or {}, SERIATIM_RUNTIME_DIR=str(RUNTIME))
        return self.run_here(*arguments, env=env, **more)

    def run_program(self, *words, options=(), **more):
        return self.seriatim("run", *options, PROGRAM_PATH, *words, **more)

    def record(self, *words, options=(), **more):
        return self.seriatim("record", *options, PROGRAM_PATH, *words, **more)

    def wait_for_line(self, process, line):
        """Waits until the program has printed the line: then it is in the middle of its work."""
        self.assertEqual(process.stdout.readline().decode(), line + "\n")

    def finish(self, process):
        out, err = process.communicate()
        return process.returncode, out.decode(), err.decode()


class Status(ProgramCase):
    def test_nothing_found(self):
        result = self.run_program("clean")
        self.assertEqual(result.status, 0, result.message)
        self.assertIn(": nothing was checked: only one thread ran (witness: ", result.message)

    def test_a_violation_gives_66(self):
        result = self.run_program("cut")
        self.assertEqual(result.status, 66, result.message)
        self.assertIn("update was not atomic in thread main: T1 (other) came in between", result.message)
        self.assertEqual(result.out, b"")

    def test_another_status_can_be_chosen(self):
        self.assertEqual(self.run_program("cut", options=["--error-exitcode", "1"]).status, 1)
        self.assertEqual(self.run_program("cut", options=["--error-exitcode=0"]).status, 0)
        result = self.run_program("cut", options=["--error-exitcode=256"])
        self.assert_trouble(result, "run: option '--error-exitcode' needs a number up to 255")

    def test_the_status_of_the_program_comes_first(self):
        self.assertEqual(self.run_program("cut", "3").status, 3)
        self.assertEqual(self.record("cut", "3").status, 3)

    def test_a_signal_that_ended_the_program_is_part_of_the_status(self):
        for command in (self.run_program, self.record):
            self.assertEqual(command("cut", "kill").status, 128 + signal.SIGKILL)
            self.assertEqual(command("cut", "abort").status, 128 + signal.SIGABRT)

    def test_what_was_found_before_a_kill_is_reported(self):
        result = self.run_program("cut", "kill")
        self.assertIn("was not atomic in thread main", result.message)

    def test_a_program_without_the_runtime(self):
        for command in ("run", "record"):
            result = self.seriatim(command, "true")
            self.assertEqual(result.status, 2)
            self.assertRegex(result.message, r"\Aseriatim: warning: true could not be watched.*seriatim-cc")
            self.assertEqual(self.seriatim(command, "sh", "-c", "exit 4").status, 4)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_program_that_does_not_exist(self):
        for command in ("run", "record"):
            self.assert_trouble(self.seriatim(command, "./nonesuch"),
                                "./nonesuch: cannot run: No such file or directory")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_no_program_at_all(self):
        result = self.seriatim("run")
        self.assert_trouble_like(result, r"run: PROGRAM is missing; usage: .*")

    def test_a_program_that_is_started_by_another(self):
        result = self.seriatim("run", "sh", "-c", f"echo before; '{PROGRAM_PATH}' cut; echo behind")
        self.assertEqual(result.out, b"before\nbehind\n")
        self.assertEqual(result.status, 66, result.message)

    def test_a_program_that_goes_to_the_background_is_waited_for(self):
        result = self.run_program("daemon", "cut")
        self.assertEqual(result.status, 66, result.message)

    def test_a_program_that_stays_in_the_background_is_not_passed_over_in_silence(self):
        for command in (["run"], ["record", "-o", "t.stt"]):
            process = self.start(*command, "--no-follow", PROGRAM_PATH, "daemon", "cat", stdin=subprocess.PIPE)
            self.assertEqual(process.wait(), 0)
            process.stdin.close()  # the one in the background ends, too
            self.assertIn(b"a process that it started is still running and is not watched",
                          process.stderr.read())
            process.stdout.close()
            process.stderr.close()

    def test_a_program_without_room_for_the_runtime_is_not_called_clean(self):
        shell = f"ulimit -v 8000000; exec '{PROGRAM_PATH}' cut"
        for command in ("run", "record"):
            result = self.seriatim(command, "sh", "-c", shell)
            self.assertEqual(result.status, 2)
            self.assertIn("could not be watched: it may not reserve 64 TiB of addresses", result.message)
            self.assertNotIn("serializable", result.message)


class End(ProgramCase):
    def test_an_orderly_end_within_blocks_is_no_truncation(self):
        """The program exits inside of functions, with a lock that it has given back."""
        source = self.write("ends.c", "#include <pthread.h>\n#include <stdlib.h>\nstatic int total;\n"
                            "static void leave(void) { total++; exit(0); }\n"
                            "static void *work(void *a) { total++; return a; }\n"
                            "int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); leave(); }\n")
        subprocess.run(["gcc", "-g", "-O0", "-fsanitize=thread", "-pthread", source, "-o", self.folder / "ends"],
                       check=True)
        result = self.seriatim("run", "./ends")
        self.assertEqual(result.status, 0, result.message)
        self.assertNotIn("truncated", result.message)
        self.seriatim("record", "-o", "t.stt", "./ends")
        self.assertNotIn("truncated", self.run_here("check", "t.stt").text)


class Debugger(ProgramCase):
    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_it_can_stop_when_a_block_was_found_cut(self):
        """The program goes on until then, and would go on for ever."""
        result = self.seriatim("run", "gdb", "-q", "-batch", "-ex", "set breakpoint pending on",
                               "-ex", "break __seriatim_on_report", "-ex", "run", "-ex", "backtrace",
                               "--args", PROGRAM_PATH, "cut", "storm")
        self.assertRegex(result.text, r"hit Breakpoint 1, .*__seriatim_on_report")
        self.assertRegex(result.text, r"#\d+ .* in set ")

    @unittest.skipUnless(shutil.which("gdb"), "there is no gdb")
    def test_it_does_not_stop_where_nothing_was_found(self):
        result = self.seriatim("run", "gdb", "-q", "-batch", "-ex", "set breakpoint pending on",
                               "-ex", "break __seriatim_on_report", "-ex", "run",
                               "--args", PROGRAM_PATH, "clean", "work")
        self.assertNotIn("hit Breakpoint", result.text)
        self.assertIn("exited normally", result.text)


class Words(ProgramCase):
    def test_options_of_the_program_are_its_own(self):
        result = self.run_program("-q", "--spec", "-x", options=["-q"])
        self.assertEqual(result.text, "option -q\noption --spec\noption -x\n")
        self.assertEqual(result.status, 0)
        result = self.run_program("-q", options=["--"])
        self.assertEqual(result.text, "option -q\n")

    def test_input_and_output_are_untouched(self):
        text = bytes(range(256)) * 100
        for command in (self.run_program, self.record):
            result = command("cat", input=text)
            self.assertEqual(result.out, text)

    def test_a_report_of_what_was_told_in_json(self):
        result = self.run_program("cut", options=["--format", "json"])
        report = json.loads(result.message)
        self.assertEqual((report["schema"], report["engine"]), ("seriatim-run/1", "witness"))
        self.assertEqual(report["trace"]["file"], str(PROGRAM_PATH))
        self.assertIs(report["serializable"], False)
        self.assertEqual(report["violation_count"], 1)
        path = report["violations"][0]["path"]
        for edge in path:
            for place in (edge["from"], edge["to"]):
                self.assertLessEqual({"event", "thread", "op", "loc", "function", "stack", "locks"},
                                     place.keys())
                self.assertEqual(place["stack"][0]["function"], place["function"])
                self.assertEqual(place["stack"][0]["loc"], place["loc"])
        self.assertEqual([edge["from"]["locks"] for edge in path], [["lock"], ["lock"]])
        frames = [frame["function"] for frame in path[0]["from"]["stack"]]
        self.assertLess(frames.index("update"), frames.index("main"))
        self.assertRegex(path[0]["from"]["loc"], r"program\.c:\d+\Z")

    def test_the_same_report_in_other_formats_later(self):
        result = self.run_program("cut", options=["--format", "json"])
        self.write("result.json", result.err)
        again = self.run_here("report", "--format", "json", "result.json")
        self.assertEqual(again.out, result.err)
        words = self.run_here("report", "--format", "text", "result.json").text
        self.assertEqual(re.sub(r"\d+", "N", words),
                         re.sub(r"\d+", "N", self.run_program("cut").message))

    def test_a_page_with_the_source_of_the_program(self):
        result = self.run_program("cut", options=["--format", "html", "--log", "page.html"])
        self.assertEqual((result.status, result.message), (66, ""))
        page = (self.folder / "page.html").read_text()
        [sources] = re.findall(r'id="source-data">(.*?)</script>', page, re.S)
        [lines] = [part["lines"] for file in json.loads(sources)["files"]
                   if file["path"].endswith("program.c") for part in file["parts"]][:1]
        self.assertTrue([line for line in lines if "pthread_mutex_unlock(&lock);" in line], lines)

    def test_only_the_summary(self):
        result = self.run_program("cut", options=["-q"])
        self.assertEqual(result.message.count("\n"), 1)

    def test_the_first_finding_is_reported_at_once(self):
        process = self.start("run", "--first", PROGRAM_PATH, "cut", "+now", "stay")
        self.wait_for_line(process, "now")
        text = b""
        while b"\n" not in text.partition(b"stopped at the first finding")[2]:
            text += os.read(process.stderr.fileno(), 4096)
        os.killpg(process.pid, signal.SIGTERM)
        status, _, err = self.finish(process)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertEqual(err, "")

    def test_a_specification_leaves_blocks_out(self):
        spec = self.write("spec", "ignore function *\n")
        self.assertEqual(self.run_program("cut", options=["--spec", spec]).status, 0)
        result = self.record("cut", options=["--spec", spec, "-o", "t.stt"])
        self.assertEqual(result.status, 0)
        dump = self.seriatim("dump", "t.stt").text
        self.assertNotIn("begin", dump)
        self.assertIn("acq(", dump)

    def test_critical_sections_as_blocks(self):
        spec = self.write("spec", "ignore function *\natomic section\n")
        self.assertEqual(self.record("cut", options=["--spec", spec, "-o", "t.stt"]).status, 0)
        text = self.seriatim("dump", "t.stt").text
        self.assertEqual(text.count("begin(section of lock at "), 3)

    def test_a_bad_specification(self):
        spec = self.write("spec", "what\n")
        for command in (self.run_program, self.record):
            result = command("+no", options=["--spec", spec])
            self.assert_trouble_like(result, r".*/spec:1: expected 'atomic' or 'ignore'.*")

    def test_a_runtime_folder_that_is_not_there(self):
        result = self.run_here("run", PROGRAM_PATH, env={"SERIATIM_RUNTIME_DIR": "/no/where"})
        self.assertEqual(result.status, 2)
        self.assertIn("SERIATIM_RUNTIME_DIR", result.message)


class Log(ProgramCase):
    def test_the_report_goes_to_a_file(self):
        result = self.run_program("cut", options=["--log", "report"])
        self.assertEqual((result.status, result.message), (66, ""))
        self.assertIn("was not atomic", (self.folder / "report").read_text())

    def test_a_file_for_each_process(self):
        for _ in range(2):
            self.run_program("cut", options=["--log", "a%pb%p"])
        names = [re.fullmatch(r"a(\d+)b\1", path.name) for path in self.folder.iterdir()]
        self.assertEqual(len(names), 2)
        self.assertTrue(all(names))

    def test_a_file_that_cannot_be_written_is_noticed_before_the_program_runs(self):
        result = self.run_program("+no", options=["--log", "no/where"])
        self.assertEqual((result.status, result.out), (2, b""))
        self.assertIn("no/where", result.message)

    def test_a_folder_that_vanishes_while_the_program_runs(self):
        for word, status in (("cut", 66), ("clean", 2)):
            (self.folder / "logs").mkdir()
            process = self.start("run", "--log", "logs/report", PROGRAM_PATH, "+now", "cat", word,
                                 stdin=subprocess.PIPE)
            self.wait_for_line(process, "now")
            (self.folder / "logs").rmdir()
            got, _, err = self.finish(process)
            self.assertIn("logs/report: cannot create: No such file or directory", err)
            self.assertEqual(got, status)
            self.assertIn("was not atomic" if word == "cut" else "nothing was checked", err)


class Interrupted(ProgramCase):
    """The program has ended, and we have much left to do."""

    def lag(self, *arguments):
        """Both are there: a program that is dead, and its events, which we have not read."""
        process = self.start(*arguments, PROGRAM_PATH, "+now", "cat", "cut", stdin=subprocess.PIPE)
        self.wait_for_line(process, "now")
        stop_asleep(process.pid)
        [program] = children_of(process.pid, "program")
        process.stdin.close()
        process.stdin = None
        while state_of(program) != "Z":
            time.sleep(0.01)
        return process

    def end(self, process, number):
        """The first signal may have been meant for the program as well: the second is for us."""
        os.kill(process.pid, signal.SIGHUP)
        os.kill(process.pid, number)
        os.kill(process.pid, signal.SIGCONT)
        return self.finish(process)

    def test_a_report_of_what_was_read_so_far(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, _, err = self.end(self.lag("run"), number)
            self.assertEqual(status, 2, err)
            self.assertIn("undecided; no violated block; interrupted before all events were "
                          "checked (witness:", err)
            self.assertRegex(err, r"interrupted: \d+ events that \S+ had emitted were not read")

    def test_json_says_it_too(self):
        _, _, err = self.end(self.lag("run", "--format", "json"), signal.SIGTERM)
        report = json.loads(err[:err.rindex("}") + 1])
        self.assertIsNone(report["serializable"])
        self.assertEqual(report["gave_up"], "interrupted before all events were checked")

    def test_a_recording_is_readable_and_the_status_says_that_it_is_not_all(self):
        status, _, err = self.end(self.lag("record", "-o", "t.stt"), signal.SIGINT)
        self.assertEqual(status, 2, err)
        self.assertIn("had emitted were not read", err)
        self.assertTrue((self.folder / "t.stt").exists())

    def test_without_an_interrupt_nothing_is_lost(self):
        status, _, err = self.end(self.lag("run"), signal.SIGWINCH)
        self.assertEqual(status, 66, err)
        self.assertNotIn("interrupted", err)


class Signals(ProgramCase):
    def test_an_interrupt_from_the_terminal_ends_the_program_and_we_report(self):
        process = self.start("run", PROGRAM_PATH, "cut", "+now", "stay")
        self.wait_for_line(process, "now")
        os.killpg(process.pid, signal.SIGINT)
        status, _, err = self.finish(process)
        self.assertEqual(status, 128 + signal.SIGINT)
        self.assertIn("was not atomic in thread main", err)

    def test_a_program_that_handles_it_decides(self):
        process = self.start("run", PROGRAM_PATH, "handle", "cut", "+now", "stay")
        self.wait_for_line(process, "now")
        os.killpg(process.pid, signal.SIGINT)
        status, out, err = self.finish(process)
        self.assertEqual((status, out), (5, f"got {signal.SIGINT:02d}\n"))
        self.assertIn("was not atomic", err)

    def test_a_signal_to_us_alone_is_passed_on(self):
        process = self.start("run", PROGRAM_PATH, "handle", "+now", "stay")
        self.wait_for_line(process, "now")
        process.send_signal(signal.SIGTERM)
        status, out, _ = self.finish(process)
        self.assertEqual((status, out), (5, f"got {signal.SIGTERM:02d}\n"))

    def assert_report_on_request(self, *words):
        process = self.start("run", PROGRAM_PATH, "cut", "+now", *words)
        self.wait_for_line(process, "now")
        process.send_signal(signal.SIGUSR1)
        text = b""
        while b"\n" not in text.partition(b": not serializable")[2]:
            text += os.read(process.stderr.fileno(), 4096)
        self.assertIn(b"was not atomic in thread main", text)
        self.assertIsNone(process.poll())
        os.killpg(process.pid, signal.SIGTERM)
        status, _, err = self.finish(process)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertIn("was not atomic in thread main", err)

    def test_a_report_on_request(self):
        self.assert_report_on_request("stay")

    def test_a_report_on_request_from_a_program_that_is_faster_than_we_are(self):
        self.assert_report_on_request("storm")

    def test_the_program_gets_the_signals_as_they_were(self):
        result = self.seriatim("run", "sh", "-c", "kill -USR1 $$; exit 1")
        self.assertEqual(result.status, 128 + signal.SIGUSR1)


class Text(ProgramCase):
    """The report for people, of the program above: lines, functions, locks and calls."""

    def line(self, words):
        [line] = [n for n, text in enumerate(PROGRAM.splitlines(), 1) if words in text]
        return line

    def report(self, **env):
        return self.copied("cut", env=env).message

    def steps(self, report):
        """For each step: the thread and what it did, then function, line and source of each
        call."""
        steps = []
        for line in report.splitlines():
            # An event that stands for several steps has its number at the first of them.
            step = re.match(r"  (?:event \d+ +| {8,})(\w+) {2,}(\w.*?)(  |$)", line)
            call = re.match(r" +(in|from)  +(\S+) +\S*program\.c:(\d+)  (.*)", line)
            if call:
                steps[-1].append((call.group(1), call.group(2), int(call.group(3)), call.group(4)))
            elif step:
                steps.append([step.group(1, 2)])
        return steps

    def test_the_whole_story(self):
        code = PROGRAM.splitlines()
        at = {name: n for n, text in enumerate(code, 1) for name in ("update", "set", "other", "cut")
              if re.search(rf"void \*?{name}\(", text)}
        out, back, called = at["update"] + 2, at["update"] + 8, self.line("update(1);")
        write, under = at["set"] + 2, ", holding lock"

        def call(role, function, line):
            return role, function, line, code[line - 1].strip()

        self.assertEqual(self.steps(self.report()), [
            [("main", "began update"), call("in", "update", at["update"]),
             call("from", "cut", called), call("from", "main", self.line("            cut();"))],
            [("main", "read total" + under), call("in", "update", out)],
            [("T1", "wrote total" + under), call("in", "set", write),
             call("from", "other", at["other"] + 2)],
            [("main", "wrote total" + under), call("in", "set", write),
             call("from", "update", back)],
        ])

    def test_the_hint_names_the_lines_of_the_block(self):
        begin = self.line("void update(int cut)")
        self.assertRegex(" ".join(self.report().split()),
                         rf"Hint: all of these accesses were made under lock, but update let go of it "
                         rf"between its two, at \S*program.c:{begin + 2} and at \S*program.c:{begin + 8}\.")

    def test_no_wider_than_columns_allow(self):
        for columns in (60, 90):
            lines = self.report(COLUMNS=str(columns)).splitlines()
            quotes = [line for line in lines if line.endswith("...")]
            self.assertTrue(all(len(line) <= columns for line in quotes), quotes)
        self.assertNotEqual(self.report(COLUMNS="60"), self.report(COLUMNS="90"))

    def test_only_the_summary_when_quiet(self):
        result = self.run_program("cut", options=["--quiet"])
        self.assertRegex(result.message, r"\A\S*program: not serializable, .*; 1 violated block .*\n\Z")

    def copied(self, *words, **more):
        if not (self.folder / "program").exists():
            self.copy()
        return self.seriatim("run", "./program", *words, **more)

    def copy(self):
        """The program and its source, in a folder of its own."""
        source = self.write("program.c", PROGRAM)
        made = subprocess.run(["gcc", "-g", "-O1", "-fsanitize=thread", "-pthread", "program.c",
                               "-o", "program"], cwd=self.folder, capture_output=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return source

    def test_source_that_is_gone_is_not_quoted(self):
        source = self.copy()
        self.assertIn("  set(value + 1);\n", self.copied("cut").message)
        source.unlink()
        report = self.copied("cut").message
        self.assertRegex(report, r"\n +from +update +program\.c:\d+\n")
        self.assertNotIn("value + 1", report)

    def test_source_that_was_changed_is_not_quoted(self):
        source = self.copy()
        later = time.time() + 10
        os.utime(source, (later, later))
        report = self.copied("cut").message
        self.assertIn("program.c is newer than what ran, so its lines are not quoted.\n", report)
        self.assertNotIn("value + 1", report)


def without_numbers(part):
    """A part of a report, without the numbers of events, which are in sentences of stories, too, and
    without what only a second look at a recording says of races."""
    if isinstance(part, dict):
        return {key: without_numbers(value) for key, value in part.items()
                if key not in ("event", "begin", "end", "race")}
    if isinstance(part, str):
        return re.sub(r"\bevent \d+", "event", part)
    return [without_numbers(value) for value in part] if isinstance(part, list) else part


class Record(ProgramCase):
    def check(self, path):
        return self.seriatim("check", path, "--format", "json")

    def test_a_trace_and_the_next_command(self):
        result = self.record("cut")
        self.assertEqual((result.status, result.out), (0, b""))
        match = re.fullmatch(r"seriatim: (program\.\d+\.stt): (\d+) events of 2 threads, (\d+) bytes "
                             r"\([\d.]+ per event\)\nseriatim: next: seriatim check \1\n",
                             result.message)
        self.assertTrue(match, result.message)
        path = self.folder / match.group(1)
        self.assertEqual(path.stat().st_size, int(match.group(3)))
        report = self.check(path).json
        self.assertEqual(report["trace"]["events"], int(match.group(2)))
        self.assertFalse(report["trace"]["cut"])
        self.assertEqual(report["violation_count"], 1)

    def test_run_and_record_agree(self):
        """In everything except event numbers: also in functions, stacks and locks."""
        online = json.loads(self.run_program("cut", options=["--format", "json"]).message)
        self.record("cut", options=["-o", "t.stt"])
        offline = self.check("t.stt").json
        [there], [here] = online["violations"], offline["violations"]
        names = ("block", "thread", "depth", "begin_loc", "proof", "closing", "path")
        self.assertEqual(without_numbers([there[name] for name in names]),
                         without_numbers([here[name] for name in names]))
        steps = [edge[end] for edge in here["path"] for end in ("from", "to")]
        self.assertEqual([step["locks"] for step in steps], [["lock"]] * 4)
        self.assertEqual([frame["function"] for frame in steps[0]["stack"]][:3],
                         ["update", "cut", "main"])

    def test_the_text_of_both_is_the_same(self):
        def story(text):
            text = re.sub(r"\S+: not serializable.*", "", text)
            text = re.sub(r"(?m)^  (event +\d+| {7,}) +", "  ", text)
            return re.sub(r"event +\d+ *", "", text)
        online = self.run_program("cut").message
        self.record("cut", options=["-o", "t.stt"])
        self.assertEqual(story(online), story(self.seriatim("check", "t.stt").text))

    def test_a_specification_does_not_take_calls_from_the_stack(self):
        self.write("spec", "ignore function *\natomic function update\n")
        self.record("cut", options=["-o", "t.stt", "--spec", "spec"])
        report = self.run_program("cut", options=["--spec", "spec", "--format", "json"])
        [there], [here] = json.loads(report.message)["violations"], self.check("t.stt").json["violations"]
        self.assertEqual(without_numbers(there["path"]), without_numbers(here["path"]))
        self.assertEqual([frame["function"] for frame in here["proof"]["stack"]][:3],
                         ["set", "update", "cut"])

    def test_a_converted_trace_tells_the_same(self):
        self.record("cut", options=["-o", "t.stt"])
        for name in ("again.stt", "t.std"):
            self.assert_clean(self.seriatim("convert", "-q", "t.stt", name))
        [here], [there] = (self.check(name).json["violations"] for name in ("t.stt", "again.stt"))
        self.assertEqual(here, there)
        [plain] = self.seriatim("check", "--data", "t.std", "--format", "json").json["violations"]
        self.assertNotIn("stack", plain["proof"])
        self.assertEqual(plain["proof"]["loc"], here["proof"]["loc"])

    def test_the_name_of_the_trace(self):
        self.record("clean", options=["-o", "a%p.stt", "-q"])
        self.assertRegex(next(self.folder.iterdir()).name, r"\Aa\d+\.stt\Z")

    def test_nothing_to_say(self):
        result = self.record("clean", options=["-q"])
        self.assertEqual((result.status, result.message), (0, ""))

    def test_a_program_that_is_killed_leaves_all_that_it_did(self):
        self.record("cut", "work", "kill", options=["-o", "t.stt"])
        report = self.check("t.stt").json
        self.assertGreaterEqual(report["trace"]["events"], 300000)
        self.assertEqual(report["violation_count"], 1)

    def is_written(self, path, violations):
        """Is what the program did so far in the file?"""
        result = self.check(path)
        return result.status in (0, 1) and result.json["violation_count"] == violations

    def test_we_are_killed_and_the_trace_can_be_read(self):
        process = self.start("record", "-o", "t.stt", PROGRAM_PATH, "cut", "+now", "stay")
        self.wait_for_line(process, "now")
        while not self.is_written("t.stt", 1):
            time.sleep(0.05)
        process.kill()
        process.wait()
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        result = self.check("t.stt")
        self.assertEqual(result.json["violation_count"], 1)
        self.assertTrue(result.json["trace"]["cut"])

    def test_we_are_killed_and_the_program_goes_on(self):
        work = ["work"] * 12  # more than what is shared with us can hold
        process = self.start("record", "-o", "t.stt", PROGRAM_PATH, "+now", "cat", *work, "+done",
                             stdin=subprocess.PIPE)
        self.wait_for_line(process, "now")
        process.kill()
        process.wait()
        out, _ = process.communicate()
        self.assertEqual(out, b"done\n")

    def test_a_full_disk_stops_recording_but_not_the_program(self):
        result = self.record("work", "+done", options=["-o", "/dev/full"])
        self.assertEqual((result.status, result.out), (2, b"done\n"))
        self.assertIn("/dev/full: cannot write: No space left on device", result.message)
        self.assertIn("recording stops here; the program continues", result.message)

    def test_a_file_that_may_not_grow_can_be_read_up_to_there(self):
        process = self.start("record", "-o", "t.stt", PROGRAM_PATH, "cut", "+now", "cat", "work",
                             "work", "+done", stdin=subprocess.PIPE)
        self.wait_for_line(process, "now")
        while not self.is_written("t.stt", 1):
            time.sleep(0.05)
        limit = (self.folder / "t.stt").stat().st_size + 10
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
        status, out, err = self.finish(process)
        self.assertEqual((status, out), (2, "done\n"))
        self.assertIn("t.stt: cannot write: File too large", err)
        report = self.check("t.stt").json
        self.assertTrue(report["trace"]["cut"])
        self.assertEqual(report["violation_count"], 1)

    def test_a_place_where_nothing_can_be_written_is_noticed_before_the_program_runs(self):
        for path in ("no/where.stt", "."):
            result = self.record("+done", options=["-o", path])
            self.assertEqual((result.status, result.out), (2, b""))
            self.assertRegex(result.message, rf"\Aseriatim: {re.escape(path)}: cannot ")

    def test_a_failure_is_not_followed_by_advice(self):
        result = self.record("cut", options=["-o", "/dev/full"])
        self.assertEqual(result.status, 2)
        self.assertNotIn("next:", result.message)
        self.assertNotIn("events of", result.message)

    def test_an_old_trace_stays_when_the_program_cannot_be_run(self):
        self.write("t.stt", "precious")
        result = self.seriatim("record", "-o", "t.stt", "./nothing")
        self.assertEqual(result.status, 2)
        self.assertEqual((self.folder / "t.stt").read_text(), "precious")

    def test_a_program_without_events_leaves_an_empty_trace(self):
        self.write("empty.c", "int main(void) { return 0; }")
        subprocess.run(["gcc", "-fsanitize=thread", "empty.c", "-o", "empty"], cwd=self.folder,
                       check=True)
        result = self.seriatim("record", "-o", "t.stt", "./empty")
        self.assertEqual(result.status, 0)
        self.assertIn("t.stt: 0 events", result.message)
        self.assertIn("./empty emitted no events, so its trace is empty", result.message)
        self.assertNotIn("next:", result.message)
        self.assert_trouble(self.seriatim("check", "t.stt"), "t.stt: holds no event")
        self.assertEqual((self.folder / "t.stt").read_bytes()[:4], self.magic())

    def magic(self):
        self.record("clean", options=["-o", "other.stt"])
        return (self.folder / "other.stt").read_bytes()[:4]


# A library that is at work before the program is, and a plugin. `get` and `set` are its own.
LIBRARY = r"""
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
int get(void) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    return value;
}
void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void at_start(void) {
    set(1);
}
"""
PLUGIN = r"""
int get(void);
void set(int value);
void update(void (*pause)(void)) {
    int value = get();
    pause();
    set(value + 1);
}
"""
HOST = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <stdexcept>
#include <string>
static void test(int argc) {
    static std::string word("a word that is too long to be in the string itself");
    try {
        if (argc)
            throw std::runtime_error(word);
    } catch (const std::exception &) {
        puts("caught");
    }
}
void *operator new(size_t size) { return malloc(size); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
extern "C" {
#else
static void test(int argc) { (void)argc; puts("caught"); }
#endif
int get(void);
void set(int value);
int rt_head = 7, rt_free; /* names of the runtime library, but not for others */
#ifdef __cplusplus
}
#endif
static void *other(void *argument) {
    set(7);
    return argument;
}
static void pause_for_other(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
}
int main(int argc, char **argv) {
    void *plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin)
        return puts(dlerror()), 3;
    void (*update)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(plugin, "update");
    update(pause_for_other);
    test(argc);
    printf("%d %d\n", get(), rt_head);
    return 0;
}
"""


class Within(ProgramCase):
    """Programs with the runtime library inside."""

    def setUp(self):
        super().setUp()
        self.write("library.c", LIBRARY)
        self.write("plugin.c", PLUGIN)
        self.write("host.c", HOST)
        self.write("host.cc", HOST)
        self.write("spec", "atomic function update\natomic function at_start\n")

    def build(self, command, compiler, *words):
        result = self.seriatim(command, *words, env={"SERIATIM_CC": compiler,
                                                     "SERIATIM_CXX": compiler})
        self.assertEqual((result.message, result.status), ("", 0))

    def build_all(self, compiler, host, *options, libraries=()):
        """Of one kind of compiler, the host from host.c or host.cc."""
        for name in ("library", "plugin"):
            more = ["./library.so"] if name == "plugin" else []
            self.build("cc", compiler, *libraries, "-shared", "-fPIC", f"{name}.c", *more, "-o",
                       f"{name}.so")
        command = "c++" if host == "host.cc" else "cc"
        if command == "c++":
            compiler = {"gcc": "g++", "clang": "clang++"}[compiler]
        self.build(command, compiler, *options, host, "./library.so", "-o", "host", "-pthread",
                   "-Wl,-rpath,$ORIGIN")

    def findings(self):
        """What is the same in each run. How many events there are is not: an access that no longer
        matters is not told, and whether it matters depends on how far the watcher has come."""
        result = self.seriatim("run", "--spec", "spec", "--format", "json", self.folder / "host",
                               "./plugin.so")
        self.assertEqual(result.text, "caught\n2 7\n")
        self.assertEqual(result.status, 66)
        report = json.loads(result.message)
        self.assertEqual([v["block"] for v in report["violations"]], ["update"])
        names = ("serializable", "blocks", "violations")
        return without_numbers([report[name] for name in names])

    @once("what differs is how the runtime library gets into programs")
    def test_the_same_is_found_with_it_and_without(self):
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for host in ("host.c", "host.cc"):
                self.build_all(compiler, host)
                expected = self.findings()
                for pie in ("-pie", "-no-pie"):
                    for libraries in ([], ["-static-libtsan"]):
                        with self.subTest(compiler=compiler, host=host, pie=pie, libraries=libraries):
                            self.build_all(compiler, host, "-static-libtsan", pie,
                                           libraries=libraries)
                            self.assertEqual(self.findings(), expected)

    def test_an_access_to_nothing_that_has_a_name_takes_no_memory(self):
        """The path leads through a thread of which nothing is known but that it was there."""
        self.build_all("gcc", "host.c")
        process = self.start("run", "--spec", "spec", "--log", "report", self.folder / "host", "./plugin.so")
        with process.stdout, process.stderr:
            self.assertEqual(process.stdout.read(), b"caught\n2 7\n")
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 66)
        self.assertIn("so T1 comes after update", (self.folder / "report").read_text())
        self.assertLess(usage.ru_maxrss, 400 << 10)

    def test_a_program_that_runs_alone_needs_no_library(self):
        self.build_all("gcc", "host.c", "-static-libtsan", libraries=["-static-libtsan"])
        process = subprocess.run([self.folder / "host", "./plugin.so"], cwd=self.folder, text=True,
                                 capture_output=True, check=False)
        self.assertEqual((process.returncode, process.stdout, process.stderr),
                         (0, "caught\n2 7\n", ""))

    def test_constructors_of_libraries_are_seen(self):
        self.build_all("gcc", "host.c", "-static-libtsan", libraries=["-static-libtsan"])
        self.seriatim("record", "-q", "-o", "t.stt", self.folder / "host", "./plugin.so")
        self.assertIn("at_start", self.seriatim("dump", "t.stt").text)

    def test_one_runtime_is_at_work_when_two_are_loaded(self):
        self.build_all("gcc", "host.c", "-static-libtsan")
        needed = subprocess.run(["readelf", "-d", self.folder / "plugin.so"], check=True, text=True,
                                capture_output=True).stdout
        self.assertIn("libseriatim_rt.so", needed)
        self.findings()


# Loads the plugins that it is given one after the other, and calls each. A plugin is cut by another
# thread that calls it.
LOADER = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn;
static int count;
static void (*set)(int);
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static int next_turn(void) {
    return __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
}
HIDDEN static void pause_for_other(void) {
    wait_for(next_turn() + 1);
}
static void *other(void *argument) {
    for (int i = 0; i < count; i++) {
        wait_for(2 * i + 1);
        set(7);
        next_turn();
    }
    return argument;
}
int main(int argc, char **argv) {
    void *before = NULL;
    int moved = 0;
    pthread_t thread;
    count = argc - 1;
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 1; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW);
        if (!plugin)
            return puts(dlerror()), 3;
        set = (void (*)(int))dlsym(plugin, "set");
        moved |= before && before != (void *)set;
        before = (void *)set;
        ((void (*)(void (*)(void)))dlsym(plugin, "call"))(pause_for_other);
        dlclose(plugin);
    }
    pthread_join(thread, NULL);
    puts(moved ? "elsewhere" : "in the same place");
    return 0;
}
"""
# All that differs is what it is called, and each word is as long as its counterpart.
LOADED = r"""
#include <pthread.h>
static pthread_mutex_t NAME_lock = PTHREAD_MUTEX_INITIALIZER;
static int NAME_value;
void set(int value) {
    pthread_mutex_lock(&NAME_lock);
    NAME_value = value;
    pthread_mutex_unlock(&NAME_lock);
}
static int NAME_get(void) {
    pthread_mutex_lock(&NAME_lock);
    int value = NAME_value;
    pthread_mutex_unlock(&NAME_lock);
    return value;
}
void NAME_update(void (*pause)(void)) {
    int value = NAME_get();
    pause();
    set(value + 1);
}
void call(void (*pause)(void)) { NAME_update(pause); }
"""


class Plugins(ProgramCase):
    """Modules that are loaded where others were before."""

    def setUp(self):
        super().setUp()
        self.write("loader.c", LOADER)
        self.build("loader.c", "-o", "loader", "-pthread")
        for name in ("one", "two"):
            self.write(f"{name}.c", LOADED.replace("NAME", name))
            # Each asks for the same place; otherwise it would be by chance that they get it.
            self.build("-shared", "-fPIC", "-Wl,-Ttext-segment=0x30000000", f"{name}.c", "-o",
                       f"{name}.so")
        self.write("spec", "atomic function one_update\natomic function two_update\n")

    def build(self, *words):
        result = self.seriatim("cc", "-O1", *words, env={"SERIATIM_CC": "gcc"})
        self.assertEqual((result.message, result.status), ("", 0))

    def assert_told_apart(self, report, times):
        """Each has its own names, for functions, lines, variables and locks."""
        blocks = sorted(violation["block"] for violation in report["violations"])
        self.assertEqual(blocks, sorted(["one_update", "two_update"] * times))
        for violation in report["violations"]:
            own, foreign = sorted(("one", "two"), key=lambda n: not violation["block"].startswith(n))
            text = json.dumps(violation)
            self.assertNotRegex(text, foreign + "[._]")
            self.assertIn(f"{own}.c:", text)
            self.assertIn(f"{own}_lock", text)
            self.assertIn(f"{own}_get", text)
            self.assertIn("loader.c:", text)

    def run_loader(self, *names):
        result = self.seriatim("run", "--spec", "spec", "--format", "json", "--limit", "0",
                               self.folder / "loader", *names)
        self.assertEqual(result.text, "in the same place\n")
        return json.loads(result.message)

    def test_each_is_called_by_its_own_names(self):
        self.assert_told_apart(self.run_loader("./one.so", "./two.so"), 1)

    def test_one_that_comes_back(self):
        self.assert_told_apart(self.run_loader(*["./one.so", "./two.so"] * 3), 3)

    def test_in_a_trace(self):
        self.seriatim("record", "-q", "-o", "t.stt", "--spec", "spec", self.folder / "loader",
                      "./one.so", "./two.so")
        self.assert_told_apart(self.seriatim("check", "t.stt", "--format", "json").json, 1)


BYTES = r"""
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
enum { LENGTH = 512 };
static unsigned char bytes[LENGTH];
static int sum;

NOINLINE static void put(int i) { bytes[i] = (unsigned char)i; }
NOINLINE static int get(int i) { return bytes[i]; }
NOINLINE static void work(void) {
    for (int i = 0; i < LENGTH; i++)
        put(i);
    for (int i = 0; i < LENGTH; i++)
        sum += get(i);
}
static void *start(void *unused) {
    work();
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, start, 0);
    pthread_join(thread, 0);
    return sum == 0;
}
"""


SILENT = r"""
#include <pthread.h>
#include <stdlib.h>
static __attribute__((noinline)) void inner(volatile int *array, int i) { array[i & 7]++; }
static __attribute__((noinline)) void outer(volatile int *array, int i) {
    array[8] = i;
    for (int k = 0; k < 10; k++)
        inner(array, k);
}
static __attribute__((noinline)) void turn(volatile int *array) {
    for (int i = 0; i < 10000; i++)
        outer(array, i);
}
static void *work(void *unused) {
    volatile int *array = calloc(16, sizeof *array);
    turn(array);
    free((void *)array);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


# Parts of eight bytes are written at many depths, all of which are open: more than the shadow has
# room for. Once before there is another thread, and once after that.
ALONE = r"""
#include <pthread.h>
#include <stdlib.h>
unsigned char bytes[1 << 12];
__attribute__((noinline)) static void descend(int depth, int at) {
    bytes[8 * at + depth] = 1;
    if (depth < 7)
        descend(depth + 1, at);
    bytes[8 * at] = 1;
}
__attribute__((noinline)) static void outer(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 512; i++)
        descend(0, i);
}
static pthread_barrier_t done;
static int looks;
static void *look(void *unused) {
    int sum = 0;
    pthread_barrier_wait(&done);
    for (int i = 0; looks && i < 1 << 12; i++)
        sum += bytes[i];
    return sum ? unused : NULL;
}
int main(int count, char **words) {
    pthread_t thread;
    pthread_barrier_init(&done, NULL, 2);
    looks = count < 3;
    if (count > 1)
        pthread_create(&thread, NULL, look, NULL);
    outer();
    if (count == 1)
        pthread_create(&thread, NULL, look, NULL);
    pthread_barrier_wait(&done);
    pthread_join(thread, NULL);
    return words == NULL;
}
"""


# Two threads take turns at a table, each at every other element. By what they know whose turn it is
# is data, which says also what was done to the table before; or a semaphore, which does not.
HANDED_ON = r"""
#include <pthread.h>
#include <semaphore.h>
static int table[1 << 10], turn, silently;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t turns[2];
__attribute__((noinline)) static void take(int me) {
    if (silently) {
        sem_wait(&turns[me]);
        return;
    }
    pthread_mutex_lock(&mutex);
    while (turn != me)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void give(int me) {
    if (silently) {
        sem_post(&turns[!me]);
        return;
    }
    pthread_mutex_lock(&mutex);
    turn = !me;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void change(int i) {
    table[i] += table[i ^ 1] + 1;
}
__attribute__((noinline)) static void change_all(int me) {
    for (int i = me; i < 1 << 10; i += 2)
        change(i);
}
static void *work(void *second) {
    int me = second != NULL;
    for (int round = 0; round < 10; round++) {
        take(me);
        change_all(me);
        give(me);
    }
    return NULL;
}
int main(int count, char **words) {
    pthread_t threads[2];
    (void)words;
    silently = count > 1;
    sem_init(&turns[0], 0, 1);
    sem_init(&turns[1], 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, i ? &turn : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


class PrivateMemory(ProgramCase):
    """What one thread does with memory that is its own is not emitted."""

    def variables(self, compiler):
        self.write("bytes.c", BYTES)
        self.seriatim("cc", "-g", "-O1", "bytes.c", "-o", "bytes", "-pthread",
                      env={"SERIATIM_CC": compiler})
        result = self.seriatim("run", "--format", "json", self.folder / "bytes")
        self.assertEqual(result.status, 0)
        return json.loads(result.message)["trace"]["variables"]

    def test_bytes_that_small_functions_access(self):
        """Each call is an epoch, and the shadow of eight bytes has room for two: so the calls that
        are over have to count as one."""
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                self.assertLess(self.variables(compiler), 4)

    def test_functions_in_which_nothing_is_shared(self):
        """They are counted, and cost nothing else, at any depth and in any thread."""
        self.write("silent.c", SILENT)
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                self.seriatim("cc", "-g", "-O1", "silent.c", "-o", "silent", "-pthread",
                              env={"SERIATIM_CC": compiler})
                result = self.seriatim("run", "--format", "json", self.folder / "silent")
                self.assertEqual(result.status, 0)
                report = json.loads(result.message)
                self.assertLess(report["trace"]["events"], 100)
                runs = {block["name"]: block["executed"] for block in report["blocks"]}
                self.assertEqual((runs["inner"], runs["outer"]), (300000, 30000))

    def test_nothing_is_emitted_as_long_as_nobody_else_can_see_it(self):
        """Be it that there is no other thread, or that it does not look: then what was accessed in
        many functions that are all open is kept where there is room for it."""
        self.write("alone.c", ALONE)
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                self.seriatim("cc", "-g", "-O1", "alone.c", "-o", "alone", "-pthread",
                              env={"SERIATIM_CC": compiler})
                events = []
                for words in ([], ["later", "unseen"], ["later"]):
                    result = self.seriatim("run", "--format", "json", self.folder / "alone", *words)
                    self.assertEqual(result.status, 0)
                    events.append(json.loads(result.message)["trace"]["events"])
                self.assertLess(events[0], 50)
                self.assertLess(events[1], 50)
                self.assertGreater(events[2], 500)  # so there was something to emit

    def test_memory_that_is_handed_on(self):
        """Who takes it depends already on all that was done to it, so nothing of that is emitted."""
        self.write("handed.c", HANDED_ON)
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                self.seriatim("cc", "-g", "-O1", "handed.c", "-o", "handed", "-pthread",
                              env={"SERIATIM_CC": compiler})
                events = []
                for words in ([], ["silently"]):
                    result = self.seriatim("run", "--format", "json", self.folder / "handed", *words)
                    events.append(json.loads(result.message)["trace"]["events"])
                self.assertLess(events[0], 2000)
                self.assertGreater(events[1], 10000)  # so there was something to emit


if __name__ == "__main__":
    unittest.main()
