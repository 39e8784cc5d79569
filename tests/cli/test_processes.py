"""seriatim run and record follow every process below the one that they start.

The program does what its words say, one after the other; words in braces are for a process that it
forks. Threads take turns through a counter that is not instrumented, so that `cut` is always cut
and `clean` never is."""

import contextlib
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from schemas import RESULT, complaints, strict, validator
from seriatim import BINARY, RUNTIME, SANITIZED, Case, environment

PROGRAM = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn, stopping;
HIDDEN static void wait_for(int n) {
    while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) < n)
        usleep(100);
}
HIDDEN static void next_turn(void) { __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST); }
HIDDEN static void first_turn(void) { __atomic_store_n(&turn, 0, __ATOMIC_SEQ_CST); }
HIDDEN static int goes_on(void) { return !__atomic_load_n(&stopping, __ATOMIC_SEQ_CST); }
HIDDEN static void stop(void) { __atomic_store_n(&stopping, 1, __ATOMIC_SEQ_CST); }
HIDDEN static void say(const char *text) {
    char line[64]; /* written at once, since others write, too */
    int length = snprintf(line, sizeof line, "%s\n", text);
    if (write(1, line, (size_t)length) < 0)
        _exit(6);
}
HIDDEN static void read_to_end(void) {
    char bytes[64];
    while (read(0, bytes, sizeof bytes) > 0)
        ;
}

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void update(int is_cut) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    if (is_cut) {
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

static void *quiet(void *argument) {
    update(0);
    return argument;
}

HIDDEN static void run(void *(*routine)(void *), int is_cut) {
    pthread_t thread;
    first_turn();
    pthread_create(&thread, NULL, routine, NULL);
    if (!is_cut)
        pthread_join(thread, NULL);
    update(is_cut);
    if (is_cut)
        pthread_join(thread, NULL);
}

/* Threads that are in the runtime, and hold its locks, whenever the process is copied. */
static pthread_t busy[3];
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static int atomic_count;
static void *short_life(void *argument) { return argument; }
static void *be_busy(void *argument) {
    while (goes_on()) {
        pthread_t thread;
        pthread_mutex_lock(&busy_lock);
        free(malloc(40));
        pthread_mutex_unlock(&busy_lock);
        __atomic_fetch_add(&atomic_count, 1, __ATOMIC_SEQ_CST);
        if (pthread_create(&thread, NULL, short_life, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return argument;
}

static int wait_for_child(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) != child)
        return 9;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static volatile sig_atomic_t forked;
static void fork_in_handler(int number) {
    (void)number;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10; i++)
            __atomic_fetch_add(&atomic_count, 1, __ATOMIC_SEQ_CST);
        _exit(0);
    }
    if (wait_for_child(child))
        _exit(7);
    forked++;
}

/* 50 times in the middle of whatever the runtime does. */
static void fork_by_signals(void) {
    signal(SIGALRM, fork_in_handler);
    while (forked < 50) {
        int before = forked;
        ualarm(300, 0);
        while (forked == before)
            set(before);
    }
}

/* Each worker answers on its own socket, with two threads. */
static int sockets[8][2];
static void *answer(void *number) {
    char byte;
    if (read(sockets[(long)number][1], &byte, 1) != 1)
        _exit(8);
    update(0);
    if (write(sockets[(long)number][1], &byte, 1) != 1)
        _exit(8);
    return NULL;
}
HIDDEN static int serve(int count, int bad) {
    pid_t workers[8];
    int status = 0;
    for (long i = 0; i < count; i++) {
        socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i]);
        workers[i] = fork();
        if (workers[i] == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, answer, (void *)i);
            pthread_join(thread, NULL);
            run(i == bad ? other : quiet, i == bad);
            _exit(0);
        }
    }
    for (int i = 0; i < count; i++) {
        char byte = 'x';
        if (write(sockets[i][0], &byte, 1) != 1 || read(sockets[i][0], &byte, 1) != 1)
            return 5;
    }
    for (int i = 0; i < count; i++)
        status |= wait_for_child(workers[i]);
    return status;
}

extern char **environ;
static int spawn(char **words, int also_environment) {
    pid_t child;
    char *none[] = {NULL};
    if (posix_spawn(&child, words[0], NULL, NULL, words, also_environment ? environ : none))
        return 9;
    return wait_for_child(child);
}

static void *exec_in_thread(void *words) {
    execv(((char **)words)[0], words);
    _exit(9);
}

/* Whoever makes a socket is killed. */
HIDDEN static int shut_in(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int skip(char **words, int i) {
    for (int depth = 0; words[i]; i++) {
        depth += strchr(words[i], '{') != NULL;
        depth -= strchr(words[i], '}') != NULL;
        if (depth == 0)
            return i;
    }
    return i - 1;
}

HIDDEN static int do_words(char **words) {
    for (int i = 0; words[i]; i++) {
        const char *word = words[i];
        if (strcmp(word, "cut") == 0)
            run(other, 1);
        else if (strcmp(word, "clean") == 0)
            run(quiet, 0);
        else if (strcmp(word, "{") == 0 || strcmp(word, "&{") == 0) {
            pid_t child = fork();
            if (child == 0)
                continue;
            i = skip(words, i);
            if (word[0] == '{' && wait_for_child(child) > 127)
                return 7;
        } else if (strcmp(word, "}") == 0)
            _exit(0);
        else if (strcmp(word, "busy") == 0)
            for (int n = 0; n < 3; n++)
                pthread_create(&busy[n], NULL, be_busy, NULL);
        else if (strcmp(word, "idle") == 0) {
            stop();
            for (int n = 0; n < 3; n++)
                pthread_join(busy[n], NULL);
        } else if (strcmp(word, "handler") == 0)
            fork_by_signals();
        else if (strncmp(word, "serve", 5) == 0) {
            if (serve(4, word[5] ? word[5] - '0' : -1))
                return 7;
        } else if (strcmp(word, "spawn") == 0)
            return spawn(words + i + 1, 1);
        else if (strcmp(word, "spawn-bare") == 0)
            return spawn(words + i + 1, 0);
        else if (strcmp(word, "exec") == 0)
            exec_in_thread(words + i + 1);
        else if (strcmp(word, "exec-in-thread") == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, exec_in_thread, words + i + 1);
            pthread_join(thread, NULL);
        } else if (strcmp(word, "system") == 0)
            return WEXITSTATUS(system(words[i + 1]));
        else if (strcmp(word, "vfork") == 0) {
            pid_t child = vfork();
            if (child == 0) {
                execv(words[i + 1], words + i + 1);
                _exit(9);
            }
            return wait_for_child(child);
        } else if (strcmp(word, "daemon") == 0) {
            if (daemon(1, 1))
                return 9;
        } else if (strcmp(word, "twice") == 0) { /* as daemons do it */
            if (fork() > 0)
                _exit(0);
            setsid();
            if (fork() > 0)
                _exit(0);
        } else if (strcmp(word, "close") == 0)
            closefrom(3);
        else if (strcmp(word, "clear") == 0)
            clearenv();
        else if (strcmp(word, "shut-in") == 0) {
            if (shut_in())
                return 9;
        } else if (strcmp(word, "chroot") == 0) {
            if (chroot(words[++i]) || chdir("/"))
                return 9;
        } else if (strcmp(word, "cat") == 0)
            read_to_end();
        else if (strcmp(word, "kill") == 0)
            kill(getpid(), SIGKILL);
        else if (strcmp(word, "stay") == 0)
            for (;;)
                pause();
        else if (word[0] == '+')
            say(word + 1);
        else
            return atoi(word);
    }
    return 0;
}

int main(int argc, char **argv) {
    (void)argc;
    return do_words(argv + 1);
}
"""

FOLDER = None


def setUpModule():
    global FOLDER
    if not RUNTIME.exists() or not shutil.which("gcc"):
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")
    FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-test-processes-")).resolve()
    unittest.addModuleCleanup(shutil.rmtree, FOLDER)
    (FOLDER / "program.c").write_text(PROGRAM)
    made = subprocess.run(["gcc", "-g", "-O1", "-fsanitize=thread", "-pthread", "program.c", "-o",
                           "bank"], cwd=FOLDER, capture_output=True, text=True, check=False)
    if made.returncode:
        raise AssertionError(made.stderr)
    shutil.copy(FOLDER / "bank", FOLDER / "shop")


class ProcessCase(Case):
    def setUp(self):
        super().setUp()
        self.bank, self.shop = str(FOLDER / "bank"), str(FOLDER / "shop")

    def surroundings(self):
        return environment(SERIATIM_RUNTIME_DIR=str(RUNTIME))

    def seriatim(self, *words, **more):
        return subprocess.run([str(BINARY), *map(str, words)], cwd=self.folder, check=False,
                              env=self.surroundings(), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def start(self, *words, **more):
        return subprocess.Popen([str(BINARY), *map(str, words)], cwd=self.folder,
                                env=self.surroundings(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True, **more)

    def shell(self, script):
        return ["sh", "-c", script.format(bank=self.bank, shop=self.shop)]

    def report(self, *words, options=(), status=None):
        """The result of a run as JSON, which must have followed its schema."""
        result = self.seriatim("run", "--format", "json", "--log", "r.json", *options, *words)
        if status is not None:
            self.assertEqual(result.returncode, status, result.stderr)
        data = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(complaints(validator(strict(RESULT)), data), [])
        return data

    def processes(self, report):
        """What was found in each process."""
        return sorted((process["program"], process["violation_count"])
                      for process in report["processes"])


class Found(ProcessCase):
    """A bug in one process, wherever it is, is found; the others are clean."""

    def assert_two(self, report, *expected):
        self.assertEqual(self.processes(report), sorted(expected))
        self.assertEqual(report["violation_count"], sum(count for _, count in expected))
        self.assertEqual(report["serializable"], report["violation_count"] == 0)
        for violation in report["violations"]:
            self.assertEqual(violation["block"], "update")
            [process] = [process for process in report["processes"]
                         if process["pid"] == violation["pid"]
                         and process["executable"] == violation["executable"]]
            self.assertEqual(process["violation_count"], 1)
            self.assertIn(f"In process {violation['pid']} of {violation['program']}",
                          " ".join(violation["story"]["notes"]))

    def test_a_script(self):
        script = self.shell("{bank} clean; {shop} cut; {bank} clean")
        self.assert_two(self.report(*script, status=66),
                        ("bank", 0), ("bank", 0), ("shop", 1))

    def test_a_script_without_bugs(self):
        self.assert_two(self.report(*self.shell("{bank} clean; {shop} clean"), status=0),
                        ("bank", 0), ("shop", 0))

    def test_make(self):
        self.write("Makefile", f"check: a b c\na:\n\t@{self.bank} clean\nb:\n\t@{self.bank} cut\n"
                               f"c:\n\t@{self.shop} clean\n")
        for jobs in ("-j1", "-j3"):
            report = self.report("make", "-s", jobs, "check", status=66)
            self.assert_two(report, ("bank", 0), ("bank", 1), ("shop", 0))

    def test_the_same_name_in_two_programs_is_counted_apart(self):
        report = self.report(*self.shell("{bank} clean clean; {shop} cut"), status=66)
        rows = {(row["program"], row["name"]): (row["executed"], row["violated"])
                for row in report["blocks"]}
        self.assertEqual(rows["bank", "update"], (4, 0))
        self.assertEqual(rows["shop", "update"], (1, 1))
        self.assertEqual(report["violations"][0]["story"]["frequency"], "cut in its only run")

    def test_equal_findings_are_one_with_a_count(self):
        script = self.shell("{bank} cut; {bank} cut; {bank} cut; {shop} cut")
        text = self.seriatim("run", *script).stderr
        self.assertEqual(text.count("update was not atomic"), 2)
        self.assertIn(", and in 2 other processes.", text)
        self.assertRegex(text, r"4 processes of 2 programs: not serializable .*; 4 violated blocks")
        self.assertRegex(text, r"(?m)^ +3 .* not serializable +\S+/bank$")

    def test_a_forked_process(self):
        self.assert_two(self.report(self.bank, "clean", "{", "cut", "}", status=66),
                        ("bank", 0), ("bank", 1))
        self.assert_two(self.report(self.bank, "cut", "{", "clean", "}", status=66),
                        ("bank", 1), ("bank", 0))
        self.assert_two(self.report(self.bank, "clean", "{", "clean", "}", status=0),
                        ("bank", 0), ("bank", 0))

    def test_a_forked_process_of_a_forked_process(self):
        report = self.report(self.bank, "clean", "{", "{", "cut", "}", "clean", "}", status=66)
        self.assert_two(report, ("bank", 0), ("bank", 0), ("bank", 1))
        self.assertEqual(sorted(process["forked"] for process in report["processes"]),
                         [False, True, True])

    def test_a_forked_process_without_threads_has_nothing_to_show(self):
        report = self.report(self.bank, "clean", "{", "0", "}", status=0)
        self.assertNotIn("processes", report)

    def test_fork_while_other_threads_are_in_the_runtime(self):
        words = ["busy"] + ["{", "cut", "}", "{", "clean", "}"] * 5 + ["idle"]
        report = self.report(self.bank, *words, status=66)
        self.assert_two(report, ("bank", 0), *[("bank", 1), ("bank", 0)] * 5)

    def test_fork_in_a_signal_handler(self):
        report = self.report(self.bank, "handler", "{", "cut", "}", status=66)
        self.assertIn(("bank", 1), self.processes(report))

    def test_a_prefork_server(self):
        self.assert_two(self.report(self.bank, "clean", "serve2", status=66),
                        *[("bank", 0)] * 4, ("bank", 1))
        self.assert_two(self.report(self.bank, "clean", "serve", status=0), *[("bank", 0)] * 5)

    def test_posix_spawn_vfork_system_and_exec(self):
        for word in ("spawn", "vfork", "exec", "exec-in-thread"):
            with self.subTest(word):
                self.assert_two(self.report(self.bank, "clean", word, self.shop, "cut", status=66),
                                ("bank", 0), ("shop", 1))
        report = self.report(self.bank, "clean", "system", f"{self.shop} cut; true", status=66)
        self.assert_two(report, ("bank", 0), ("shop", 1))

    def test_daemons(self):
        for word in ("daemon", "twice"):
            for more in ([], ["close"], ["clear"]):
                with self.subTest(word, more=more):
                    report = self.report(self.bank, "clean", word, *more, "cut", status=66)
                    self.assert_two(report, ("bank", 0), ("bank", 1))

    def test_one_process_is_reported_as_ever(self):
        report = self.report(*self.shell("{bank} cut; true"), status=66)
        self.assertNotIn("processes", report)
        self.assertEqual(report["trace"]["file"], self.bank)  # and not sh

    def test_the_name_that_the_user_gave(self):
        shutil.copy(self.bank, self.folder / "copy")
        self.assertEqual(self.report("./copy", "clean")["trace"]["file"], "./copy")


class Status(ProcessCase):
    def test_the_status_of_each_process(self):
        report = self.report(*self.shell("{bank} clean 3; {bank} clean; {shop} clean 4; exit 5"),
                             status=5)
        self.assertEqual(sorted((process["program"], process["status"])
                                for process in report["processes"]),
                         [("bank", 0), ("bank", 3), ("shop", 4)])

    def test_the_program_comes_first_then_findings(self):
        run = self.seriatim("run", *self.shell("{bank} cut; {bank} clean; exit 3"))
        self.assertEqual(run.returncode, 3)
        run = self.seriatim("run", "--error-exitcode=9", *self.shell("{bank} clean; {bank} cut"))
        self.assertEqual(run.returncode, 9)

    def test_no_follow_says_that_there_were_others(self):
        script = self.shell("{bank} clean; {shop} cut; {bank} cut")
        for command in (["run"], ["record", "-o", "t.stt"]):
            run = self.seriatim(*command, "--no-follow", *script)
            self.assertEqual(run.returncode, 0)
            self.assertIn("2 more processes that sh started could be watched, but only the first "
                          "one was (--no-follow)", run.stderr)
        self.assertEqual([path.name for path in self.folder.glob("*.stt")], ["t.stt"])


class Reports(ProcessCase):
    def test_a_log_for_each_process(self):
        run = self.seriatim("run", "--log", "r.%p", *self.shell("{bank} clean; {shop} cut"))
        self.assertEqual((run.returncode, run.stderr), (66, ""))
        texts = sorted(path.read_text().splitlines()[-1].split()[0:2]
                       for path in self.folder.glob("r.*"))
        self.assertEqual(texts, sorted([[self.bank + ":", "serializable"],
                                        [self.shop + ":", "not"]]))

    def test_a_saved_result_can_be_shown_in_every_format(self):
        self.report(*self.shell("{bank} clean; {shop} cut"))
        for name in ("text", "json", "sarif", "html"):
            shown = self.seriatim("report", "--format", name, "r.json")
            self.assertEqual((shown.returncode, shown.stderr), (1, ""))
            self.assertIn("of shop.", shown.stdout)

    def test_every_format(self):
        for name in ("text", "sarif", "html"):
            run = self.seriatim("run", "--format", name, *self.shell("{bank} clean; {shop} cut"))
            self.assertEqual(run.returncode, 66)
            self.assertIn("of shop.", run.stderr)

    def test_a_baseline_of_all_processes(self):
        script = self.shell("{bank} clean; {shop} cut")
        self.report(*script)
        shutil.move(self.folder / "r.json", self.folder / "base.json")
        report = self.report(*script, options=["--baseline", "base.json"], status=0)
        self.assertEqual([v["state"] for v in report["violations"]], ["known"])
        script = self.shell("{bank} clean; {shop} clean")
        report = self.report(*script, options=["--baseline", "base.json"], status=0)
        self.assertEqual(len(report["baseline"]["gone"]), 1)

    def test_the_first_finding_of_any_process(self):
        run = self.seriatim("run", "--first", *self.shell("{bank} clean; {shop} cut; {bank} cut"))
        self.assertEqual(run.returncode, 66)
        self.assertEqual(run.stderr.count("was not atomic"), 1)


class Recordings(ProcessCase):
    def verdicts(self):
        """Of each trace there is."""
        found = {}
        for path in self.folder.glob("*.stt"):
            check = self.seriatim("check", "--format", "json", path)
            found[path.name] = json.loads(check.stdout)["violation_count"]
        return found

    def test_one_for_each_process(self):
        run = self.seriatim("record", "-o", "t.%p.stt", *self.shell("{bank} clean; {shop} cut"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(sorted(self.verdicts().values()), [0, 1])
        for name in self.verdicts():
            self.assertIn(f"seriatim: {name}: ", run.stderr)

    def test_names_for_others_when_there_is_one(self):
        run = self.seriatim("record", "-o", "t.stt", self.bank, "clean", "{", "cut", "}")
        self.assertEqual(run.returncode, 0, run.stderr)
        verdicts = self.verdicts()
        self.assertEqual(verdicts.pop("t.stt"), 0)
        [(name, count)] = verdicts.items()
        self.assertRegex(name, r"\At\.\d+\.stt\Z")
        self.assertEqual(count, 1)
        self.assertIn("has the first process only", run.stderr)

    def test_names_after_the_program(self):
        self.seriatim("record", *self.shell("{bank} clean; {shop} clean"))
        self.assertEqual(sorted(name.split(".")[0] for name in self.verdicts()), ["bank", "shop"])


class Robust(ProcessCase):
    def test_many_short_processes(self):
        count = 100 if SANITIZED else 500
        script = self.shell(f"i=0; while [ $i -lt {count} ]; do {{bank}} clean; i=$((i+1)); done; "
                            "{shop} cut")
        report = self.report(*script, status=66)
        self.assertEqual(len(report["processes"]), count + 1)
        self.assertEqual(report["violation_count"], 1)

    def test_many_at_a_time(self):
        words = []
        for _ in range(40):
            words += ["&{", "clean", "cat", "}"]
        process = self.start("run", "--format", "json", "--log", "r.json", self.bank, *words,
                             "clean", "+all")
        self.assertEqual(process.stdout.readline(), b"all\n")
        process.communicate()
        report = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(len(report["processes"]), 41)

    def test_a_process_that_is_killed(self):
        for words in (["clean", "{", "cut", "kill", "}"], ["{", "clean", "}", "cut", "kill"]):
            with self.subTest(words):
                run = self.seriatim("run", "--format", "json", "--log", "r.json", self.bank, *words)
                report = json.loads((self.folder / "r.json").read_text())
                self.assertEqual(self.processes(report), [("bank", 0), ("bank", 1)])
                self.assertIn(run.returncode, (7, 128 + signal.SIGKILL))

    def watchers_of(self, process):
        """The broker, and the watchers that it has."""
        def children(pid):
            text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
            return [int(word) for word in text.split()]
        [broker] = [pid for pid in children(process.pid)
                    if pathlib.Path(f"/proc/{pid}/comm").read_text() == "seriatim\n"]
        return broker, children(broker)

    def start_two(self, *options):
        """A clean process that stays, and a forked one, both watched."""
        process = self.start("run", *options, self.bank, "clean", "&{", "cut", "+cut", "cat", "}",
                             "+here", "cat")
        lines = {process.stdout.readline(), process.stdout.readline()}
        self.assertEqual(lines, {b"cut\n", b"here\n"})
        return process

    def test_a_watcher_that_is_killed(self):
        process = self.start_two()
        _, [watcher] = self.watchers_of(process)
        os.kill(watcher, signal.SIGKILL)
        _, err = process.communicate()
        self.assertEqual(process.returncode, 2, err)
        self.assertIn(b"1 process could not be watched to the end", err)

    def test_the_broker_is_killed(self):
        process = self.start_two()
        broker, _ = self.watchers_of(process)
        os.kill(broker, signal.SIGKILL)
        _, err = process.communicate()
        self.assertIn(b"serializable", err)  # of the first process
        self.assertEqual(process.returncode, 2, err)
        self.assertIn(b"1 process could not be watched to the end", err)

    def test_we_are_killed_and_the_processes_go_on(self):
        process = self.start("run", self.bank, "clean", "&{", "clean", "+one", "cat", "clean",
                             "+two", "}", "+one", "cat", "cut", "+two")
        self.assertEqual([process.stdout.readline() for _ in range(2)], [b"one\n"] * 2)
        process.kill()
        out, _ = process.communicate()
        self.assertEqual(out, b"two\n" * 2)

    def test_an_interrupt_from_the_terminal(self):
        process = self.start_two()
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn(b"was not atomic", err)
        self.assertRegex(err, rb"2 processes of \S+/bank: not serializable")

    def test_a_process_that_outlives_the_program_is_waited_for(self):
        process = self.start("run", self.bank, "clean", "twice", "+now", "cat", "cut")
        self.assertEqual(process.stdout.readline(), b"now\n")
        _, err = process.communicate()
        self.assertEqual(process.returncode, 66, err)

    def test_waiting_can_be_interrupted(self):
        process = self.start("run", self.bank, "clean", "twice", "cut", "+now", "stay")
        self.assertEqual(process.stdout.readline(), b"now\n")
        daemon = self.wait_until_only_a_daemon_is_left()
        os.kill(process.pid, signal.SIGTERM)
        status = process.wait()
        os.kill(daemon, signal.SIGKILL)  # which holds our ends of the pipes
        _, err = process.communicate()
        self.assertEqual(status, 66, err)
        self.assertIn(b"was not atomic", err)
        self.assertIn(b"interrupted", err)

    def wait_until_only_a_daemon_is_left(self):
        while True:
            found = []
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if os.readlink(path / "exe") == self.bank:
                        found.append(int(path.name))
                except OSError:
                    pass
            if len(found) == 1:
                return found[0]
            time.sleep(0.01)

    def test_a_terminal_shows_what_we_wait_for(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([str(BINARY), "run", self.bank, "clean", "twice", "clean", "cat"],
                                   cwd=self.folder, env=self.surroundings(),
                                   stdin=subprocess.PIPE, stderr=slave)
        os.close(slave)
        seen = b""
        while b"waiting for bank (process " not in seen and process.poll() is None:
            if select.select([master], [], [], 0.01)[0]:
                with contextlib.suppress(OSError):  # it has just ended
                    seen += os.read(master, 4096)
        process.stdin.close()
        self.assertIn(b"waiting for bank (process ", seen)
        process.wait()
        os.close(master)

    def test_a_bare_environment_is_not_followed_and_does_no_harm(self):
        report = self.report(self.bank, "clean", "spawn-bare", self.shop, "cut")
        self.assertNotIn("processes", report)

    def test_a_process_that_may_not_ask_is_not_killed_for_it(self):
        run = self.seriatim("run", self.bank, "clean", "shut-in", "{", "cut", "+alive", "}", "clean")
        self.assertEqual((run.returncode, run.stdout), (0, "alive\n"), run.stderr)
        self.assertIn("forked 1 process, which was not watched, after it had given up rights "
                      "(seccomp)", run.stderr)

    @unittest.skipIf(os.geteuid(), "for root only")
    def test_another_root_folder(self):
        report = self.report(self.bank, "clean", "chroot", str(self.folder), "{", "cut", "}",
                             status=66)
        self.assertEqual(self.processes(report), [("bank", 0), ("bank", 1)])

    def test_on_request(self):
        process = self.start_two("--log", "report")
        os.kill(process.pid, signal.SIGUSR1)
        while not (self.folder / "report").exists():
            time.sleep(0.01)
        self.assertRegex((self.folder / "report").read_text(),
                         r"2 processes of \S+/bank: not serializable")
        process.communicate()
        self.assertEqual(process.returncode, 66)


if __name__ == "__main__":
    unittest.main()
