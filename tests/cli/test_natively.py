"""Programs that do something unusual behave under the runtime as they do without it, and what
cannot be watched is said."""

import os
import pathlib
import shutil
import subprocess
import unittest

from seriatim import ROOT, RUNTIME, Case, environment


def setUpModule():
    if not RUNTIME.exists() or not shutil.which("gcc"):
        raise unittest.SkipTest("there is no runtime in this build, or no gcc")


class UnusualCase(Case):
    def seriatim(self, *arguments, **more):
        return self.run_here(*arguments, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME)}, **more)

    def build(self, text, *options):
        """A program from this text, built with the wrapper."""
        self.write("program.c", text)
        made = self.seriatim("cc", "-g", "-O1", "program.c", "-o", "program", "-pthread", *options)
        self.assertEqual((made.message, made.status), ("", 0))
        return self.folder / "program"

    def alone(self, program, *words, **more):
        """Without a watcher."""
        return subprocess.run([program, *words], cwd=self.folder, text=True, capture_output=True,
                              check=False, **more)


# Prints the first bytes behind a descriptor, and whether it is still open after that.
DESCRIPTOR = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char text[7] = "";
    int fd = atoi(argv[argc - 1]);
    ssize_t got = pread(fd, text, 6, 0);
    printf("%zd %s\n", got, text);
    return 0;
}
"""


class Stream(UnusualCase):
    """The descriptor that SERIATIM_STREAM names."""

    def test_a_descriptor_that_is_not_ours_is_left_alone(self):
        for options in ([], ["-static-libtsan"]):
            program = self.build(DESCRIPTOR, *options)
            path = self.write("file", b"mine, " + bytes(100_000))
            before = path.read_bytes()
            with open(path, "r+b") as file:
                fd = file.fileno()
                result = self.alone(program, str(fd), pass_fds=[fd],
                                    env=environment(LD_LIBRARY_PATH=str(RUNTIME),
                                                    SERIATIM_STREAM=str(fd)))
            self.assertEqual((result.stdout, result.returncode), ("6 mine, \n", 0), result.stderr)
            self.assertEqual(path.read_bytes(), before)

    def test_a_text_that_is_no_number_names_no_descriptor(self):
        program = self.build(DESCRIPTOR)
        path = self.write("file", b"mine, " + bytes(100_000))
        with open(path, "r+b") as file:
            fd = file.fileno()
            for text in (f"{fd}x", f"-{fd}", " ", "99999999999999999999", ""):
                result = self.alone(program, str(fd), pass_fds=[fd],
                                    env=environment(LD_LIBRARY_PATH=str(RUNTIME),
                                                    SERIATIM_STREAM=text))
                self.assertEqual((result.stdout, result.returncode), ("6 mine, \n", 0))

    @unittest.skipUnless(os.getuid() == 0, "only root can make such a program for this test")
    def test_a_program_with_more_rights_does_not_listen_to_its_caller(self):
        program = self.build(DESCRIPTOR, "-static-libtsan")
        os.chmod(self.folder, 0o755)
        result = self.seriatim("run", program, "0")
        self.assertNotIn("could not be watched", result.message)
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        if pathlib.Path("/proc/self/status").read_text().split("NoNewPrivs:\t")[1][0] == "1":
            self.skipTest("programs cannot gain rights here")
        result = self.seriatim("run", program, "0")
        self.assertIn("could not be watched", result.message)


# A fiber and the thread that runs it both write `shared`. The switch orders that, or nothing does.
FIBERS = r"""
#include <stdio.h>
#include <ucontext.h>

void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void *__tsan_get_current_fiber(void);

static ucontext_t caller, made;
static void *thread_itself;
static char stack[256 * 1024];
int shared;

static void work(void) {
    shared++;
    __tsan_switch_to_fiber(thread_itself, FLAGS);
    swapcontext(&made, &caller);
}

int main(void) {
    getcontext(&made);
    made.uc_stack.ss_sp = stack;
    made.uc_stack.ss_size = sizeof stack;
    makecontext(&made, work, 0);
    thread_itself = __tsan_get_current_fiber();
    void *fiber = __tsan_create_fiber(0);
    shared++;
    __tsan_switch_to_fiber(fiber, FLAGS);
    swapcontext(&caller, &made);
    shared++;
    __tsan_destroy_fiber(fiber);
    printf("%d\n", shared);
    return 0;
}
"""


class Fibers(UnusualCase):
    def races(self, *options):
        program = self.build(FIBERS, *options)
        self.assertEqual(self.alone(program, env=environment(LD_LIBRARY_PATH=str(RUNTIME))).stdout,
                         "3\n")
        result = self.seriatim("record", "-o", "t.stt", program)
        self.assertEqual((result.text, result.status), ("3\n", 0), result.message)
        self.assertIn(" of 2 threads", result.message)
        return self.seriatim("stats", "--format", "json", "t.stt").json["races"]["accesses"]

    def test_a_switch_orders_unless_the_program_says_otherwise(self):
        for options in ([], ["-static-libtsan"]):
            self.assertEqual(self.races("-DFLAGS=0", *options), 0)
            self.assertGreater(self.races("-DFLAGS=1", *options), 0)


# One call of everything, with what must come out.
INTERFACE = r"""
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sanitizer/tsan_interface.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int RunningOnValgrind(void);
double ValgrindSlowdown(void);
const char *ThreadSanitizerQuery(const char *query);
void __tsan_java_mutex_lock_rec(void *lock, int levels);
int __tsan_java_mutex_unlock_rec(void *lock);
void __tsan_testonly_barrier_init(unsigned long *barrier, unsigned count);
void __tsan_testonly_barrier_wait(unsigned long *barrier);

int some_variable;

int main(void) {
    char bytes[16] = "", text[64];
    void *offset;
    __sanitizer_unaligned_store16(bytes + 1, 0x1234);
    __sanitizer_unaligned_store32(bytes + 3, 0x12345678);
    __sanitizer_unaligned_store64(bytes + 7, 0x123456789abcdef0);
    assert(__sanitizer_unaligned_load16(bytes + 1) == 0x1234);
    assert(__sanitizer_unaligned_load32(bytes + 3) == 0x12345678);
    assert(__sanitizer_unaligned_load64(bytes + 7) == 0x123456789abcdef0);
    assert(!RunningOnValgrind() && ValgrindSlowdown() > 1);
    assert(!strcmp(ThreadSanitizerQuery("pure_happens_before"), "1"));
    assert(!strcmp(ThreadSanitizerQuery("pure"), "0"));

    int lock;
    __tsan_java_mutex_lock_rec(&lock, 3);
    assert(!SERIATIM_RUNS || __tsan_java_mutex_unlock_rec(&lock) == 3);
    __tsan_mutex_create(&lock, __tsan_mutex_not_static);
    __tsan_mutex_pre_lock(&lock, 0);
    __tsan_mutex_post_lock(&lock, __tsan_mutex_recursive_lock, 2);
    assert(!SERIATIM_RUNS || __tsan_mutex_pre_unlock(&lock, __tsan_mutex_recursive_unlock) == 2);
    __tsan_mutex_post_unlock(&lock, 0);
    __tsan_mutex_pre_signal(&lock, 0);
    __tsan_mutex_pre_divert(&lock, 0);
    __tsan_mutex_post_divert(&lock, 0);
    __tsan_mutex_post_signal(&lock, 0);
    __tsan_mutex_destroy(&lock, 0);
    void *tag = __tsan_external_register_tag("a"), *other = __tsan_external_register_tag("b");
    assert(tag && other && tag != other);
    __tsan_external_register_header(tag, "header");
    __tsan_external_assign_tag(&lock, tag);
    __tsan_external_write(&lock, __builtin_return_address(0), tag);
    __tsan_external_read(&lock, __builtin_return_address(0), tag);
    unsigned long barrier;
    __tsan_testonly_barrier_init(&barrier, 1);
    __tsan_testonly_barrier_wait(&barrier);
    __tsan_testonly_barrier_wait(&barrier);
    __tsan_flush_memory();

    void *memory = malloc(100);
    assert(__sanitizer_get_ownership(memory) && !__sanitizer_get_ownership(NULL));
    assert(!__sanitizer_get_ownership(&some_variable));
    assert(__sanitizer_get_allocated_size(memory) >= 100);
    assert(__sanitizer_get_estimated_allocated_size(100) >= 100);
    assert(__sanitizer_get_heap_size() >= __sanitizer_get_current_allocated_bytes());
    assert(__sanitizer_get_current_allocated_bytes() >= 100);
    assert(__sanitizer_get_free_bytes() <= __sanitizer_get_heap_size());
    assert(__sanitizer_get_unmapped_bytes() == 0);
    free(memory);

    assert(__sanitizer_get_module_and_offset_for_pc((void *)main, text, sizeof text, &offset) == 1);
    assert(strstr(text, "program") && offset);
    assert(__sanitizer_get_module_and_offset_for_pc((void *)16, text, sizeof text, &offset) == 0);
    memset(text, 'x', sizeof text);
    __sanitizer_symbolize_pc((void *)main, "<%f>", text, sizeof text);
    assert(!strcmp(text, "<main>") && text[strlen(text) + 1] == '\0');
    __sanitizer_symbolize_global(&some_variable, "%g", text, sizeof text);
    assert(!strcmp(text, "some_variable"));
    memset(text, 'x', sizeof text);
    __sanitizer_symbolize_pc((void *)main, "%f %m %p", text, 4);
    assert(strlen(text) <= 3 && text[4] == 'x');
    assert(__sanitizer_acquire_crash_state() == 1 && __sanitizer_acquire_crash_state() == 0);
    __sanitizer_set_report_path("nowhere");
    __sanitizer_set_report_fd((void *)2);
    __sanitizer_set_death_callback(NULL);
    __sanitizer_syscall_pre_read(0, bytes, 1);
    __sanitizer_syscall_post_read(1, 0, bytes, 1);
    __sanitizer_report_error_summary("all is well");
    __sanitizer_print_stack_trace();
    puts("ok");
    return 0;
}
"""

# A thread writes, and another one reads what it wrote, in an order that no tool sees.
HANDED_OVER = r"""
#include <pthread.h>
#include <stdio.h>
#include <sched.h>

#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
static volatile int turn;
HIDDEN static void wait_for(int n) {
    while (turn < n)
        sched_yield();
}
HIDDEN static void go(int n) {
    turn = n;
}

void AnnotateCondVarSignal(const char *file, int line, const volatile void *condition);
void AnnotateCondVarWait(const char *file, int line, const volatile void *condition,
                         const volatile void *lock);
void AnnotatePCQPut(const char *file, int line, const volatile void *queue);
void AnnotatePCQGet(const char *file, int line, const volatile void *queue);
void WTFAnnotateHappensBefore(const char *file, int line, const volatile void *object);
void WTFAnnotateHappensAfter(const char *file, int line, const volatile void *object);
void AnnotateNewMemory(const char *file, int line, const volatile void *memory, unsigned long size);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *give(void *argument) {
    BEFORE;
    data = 1;
    GIVE;
    go(1);
    return argument;
}

static void *take(void *argument) {
    wait_for(1);
    TAKE;
    data++;
    AFTER;
    return argument;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, give, NULL);
    pthread_create(&two, NULL, take, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", data);
    return 0;
}
"""


class Annotations(UnusualCase):
    def test_all_of_the_interface_is_there(self):
        for options in ([], ["-static-libtsan"]):
            for compiler in ("gcc", "clang"):
                if not shutil.which("clang"):
                    continue  # its headers are those that have all of it
                headers = subprocess.run(["clang", "-print-resource-dir"], text=True, check=True,
                                         capture_output=True).stdout.strip() + "/include"
                self.write("program.c", INTERFACE)
                made = self.run_here("cc", "-g", "-rdynamic", "-DSERIATIM_RUNS=1", "-idirafter", headers,
                                     "program.c", "-o", "program", *options,
                                     env={"SERIATIM_RUNTIME_DIR": str(RUNTIME),
                                          "SERIATIM_CC": compiler})
                self.assertEqual((made.message, made.status), ("", 0))
                result = self.seriatim("run", "-q", self.folder / "program")
                self.assertEqual((result.text, result.status), ("ok\n", 0), result.message)
                self.assertIn("SUMMARY: all is well\n    #0 0x", result.message)
                self.write("program.c", INTERFACE.replace("SERIATIM_RUNS", "0"))
                made = self.run_here("cc", "-g", "-rdynamic", "-idirafter", headers, "program.c",
                                     "-o", "program", *options,
                                     env={"SERIATIM_RUNTIME_DIR": str(RUNTIME),
                                          "SERIATIM_CC": compiler})
                self.assertEqual((made.message, made.status), ("", 0))
                result = self.alone(self.folder / "program",
                                    env=environment(LD_LIBRARY_PATH=str(RUNTIME)))
                self.assertEqual((result.stdout, result.returncode), ("ok\n", 0), result.stderr)

    def test_every_name_of_the_other_runtimes_exists(self):
        """Except for the callbacks that a program may define."""
        callbacks = {"__sanitizer_on_print", "__sanitizer_malloc_hook", "__sanitizer_free_hook",
                     "__tsan_on_report", "__tsan_default_options", "__tsan_default_suppressions",
                     "__tsan_symbolize_external", "__tsan_symbolize_external_ex",
                     "__tsan_test_only_on_fork", "__tsan_on_initialize", "__tsan_on_finalize",
                     "__sancov_default_options"}
        ours = self.names(RUNTIME / "libseriatim_rt.so")
        for other in self.other_runtimes():
            for name in sorted(self.names(other)):
                if (name.startswith(("__tsan_", "__sanitizer_", "Annotate", "WTFAnnotate",
                                     "RunningOn", "Valgrind", "ThreadSanitizer", "__sancov_"))
                        and not name.startswith("__sanitizer_weak_hook_")
                        and name not in callbacks):
                    self.assertIn(name, ours, other)

    @staticmethod
    def names(library):
        output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                                capture_output=True).stdout
        return {line.split()[-1].split("@")[0] for line in output.splitlines()}

    @staticmethod
    def other_runtimes():
        asked = [["gcc", "-print-file-name=libtsan.so"],
                 ["clang", "-print-file-name=libclang_rt.tsan-x86_64.so"]]
        found = []
        for command in asked:
            if shutil.which(command[0]):
                path = subprocess.run(command, check=True, text=True,
                                      capture_output=True).stdout.strip()
                if os.path.isabs(path) and os.path.exists(path):
                    found.append(path)
        return found

    def races(self, **macros):
        words = {"BEFORE": "", "AFTER": "", "GIVE": "", "TAKE": "", **macros}
        program = self.build(HANDED_OVER, *(f"-D{name}={value}" for name, value in words.items()))
        result = self.seriatim("record", "-o", "t.stt", program)
        self.assertEqual((result.text, result.status), ("2\n", 0), result.message)
        return self.seriatim("stats", "--format", "json", "t.stt").json["races"]["accesses"]

    def test_what_orders_orders(self):
        self.assertGreater(self.races(), 0)
        self.assertEqual(self.races(GIVE="AnnotateCondVarSignal(0,0,&data)",
                                    TAKE="AnnotateCondVarWait(0,0,&data,&lock)"), 0)
        self.assertEqual(self.races(GIVE="AnnotatePCQPut(0,0,&lock)",
                                    TAKE="AnnotatePCQGet(0,0,&lock)"), 0)
        self.assertEqual(self.races(GIVE="WTFAnnotateHappensBefore(0,0,&data)",
                                    TAKE="WTFAnnotateHappensAfter(0,0,&data)"), 0)
        self.assertEqual(self.races(TAKE="AnnotateNewMemory(0,0,&data,4)"), 0)

    def test_what_is_ignored_is_ignored(self):
        both = "pthread_mutex_lock(&lock);pthread_mutex_unlock(&lock)"
        self.assertEqual(self.races(GIVE=both, TAKE=both), 0)
        self.assertGreater(self.races(GIVE=f"AnnotateIgnoreSyncBegin(0,0);{both};"
                                           "AnnotateIgnoreSyncEnd(0,0)", TAKE=both), 0)
        self.assertEqual(self.races(BEFORE="__tsan_ignore_thread_begin()",
                                    GIVE="__tsan_ignore_thread_end()"), 0)
        self.assertGreater(self.races(BEFORE="__tsan_ignore_thread_begin();"
                                             "__tsan_ignore_thread_end()"), 0)


# Calls that the kernel refuses, and some that it does not, with results that the program checks.
PAGES = r"""
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define REFUSED(call, error) (errno = 0, (call) == -1 && errno == (error))

int main(void) {
    enum { PAGE = 4096 };
    char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(p, 1, 8 * PAGE);
    assert(REFUSED(munmap(0, -1), EINVAL));
    assert(REFUSED(munmap(p, 1ul << 60), EINVAL));
    assert(REFUSED(munmap(p, -1ul), EINVAL));
    assert(REFUSED(munmap(p, 0), EINVAL));
    assert(REFUSED(munmap(p + 1, PAGE), EINVAL));
    assert(REFUSED(munmap((void *)(1ul << 63), PAGE), EINVAL));
    assert(REFUSED((long)mremap(p, -PAGE, PAGE, 0), EINVAL) || errno == EFAULT);
    assert(REFUSED((long)mremap(p + 1, PAGE, PAGE, MREMAP_MAYMOVE), EINVAL));
    assert(REFUSED((long)mremap(p, 8 * PAGE, 1ul << 60, MREMAP_MAYMOVE), ENOMEM) || errno == EINVAL);
    assert(REFUSED((long)mmap(NULL, -1ul, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), ENOMEM));
    assert(REFUSED((long)mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EINVAL));
    assert(munmap(p + 7 * PAGE, 1) == 0);
    assert(mremap(p, 7 * PAGE, 6 * PAGE, 0) == p && p[6 * PAGE - 1] == 1);
    p = mremap(p, 6 * PAGE, 600 * PAGE, MREMAP_MAYMOVE);
    assert(p != MAP_FAILED && p[6 * PAGE - 1] == 1 && p[600 * PAGE - 1] == 0);
    p[599 * PAGE] = 1;
    assert(munmap(p, 600 * PAGE) == 0);
    /* Where nothing is, nothing goes away. */
    size_t half = 1ul << 40;
    char *far = mmap(NULL, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(far != MAP_FAILED && munmap(far, 2 * half) == 0);
    puts("ok");
    return 0;
}
"""

# A child by clone: 0 with its own memory, 1 in that of its parent who waits, 2 beside it.
CLONE = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared;
static char stack[256 * 1024];

__attribute__((noinline)) static void deep(int n) {
    shared++;
    if (n)
        deep(n - 1);
    else
        _exit(7);
}

static int child(void *argument) {
    deep(*(int *)argument);
    return 0;
}

__attribute__((noinline)) static int work(int value) {
    for (int i = 0; i < 1000; i++)
        value += shared;
    return value;
}

static void *thread(void *argument) {
    return work(1) ? argument : NULL;
}

int main(int argc, char **argv) {
    static const int flags[] = {0, CLONE_VM | CLONE_VFORK, CLONE_VM};
    int levels = 5, status;
    pthread_t id;
    int process = clone(child, stack + sizeof stack, flags[atoi(argv[argc - 1])] | SIGCHLD, &levels);
    work(0);
    if (process < 0 || waitpid(process, &status, 0) != process)
        return 3;
    printf("%d %d\n", WEXITSTATUS(status), shared);
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    work(1);
    return 0;
}
"""

# Has so much room as it asked for, and no more.
LIMIT = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int total;
static void *add(void *argument) {
    total++;
    return argument;
}

int main(void) {
    struct rlimit limit = {1ul << 30, 2ul << 30}, now;
    pthread_t thread;
    assert(setrlimit(RLIMIT_AS, &limit) == 0);
    assert(getrlimit(RLIMIT_AS, &now) == 0 && now.rlim_cur == limit.rlim_cur);
    assert(now.rlim_max == limit.rlim_max);
    char *some = malloc(300ul << 20);
    assert(some);
    some[0] = some[(300ul << 20) - 1] = 1;
    free(some);
    assert(!malloc(2ul << 30));
    assert(pthread_create(&thread, NULL, add, NULL) == 0);
    pthread_join(thread, NULL);
    limit.rlim_cur = 2ul << 30;
    assert(setrlimit(RLIMIT_AS, &limit) == 0); /* up to the hard limit */
    printf("%d\n", total);
    return 0;
}
"""


# Makes threads until there is no room for another stack, twice.
FULL = r"""
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int total, round;

static void *wait_for_round(void *argument) {
    pthread_mutex_lock(&lock);
    total++;
    while (round < *(int *)argument)
        pthread_cond_wait(&over, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    static pthread_t threads[1000];
    static int rounds[] = {1, 2};
    struct rlimit limit = {1ul << 30, 1ul << 30};
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 8 << 20);
    assert(setrlimit(RLIMIT_AS, &limit) == 0);
    for (int i = 0; i < 2; i++) {
        int made = 0, error;
        while (!(error = pthread_create(&threads[made], &attr, wait_for_round, &rounds[i])))
            made++;
        assert(error == EAGAIN && made > 50 && made < 128);
        pthread_mutex_lock(&lock);
        round = rounds[i];
        pthread_cond_broadcast(&over);
        pthread_mutex_unlock(&lock);
        while (made)
            pthread_join(threads[--made], NULL);
    }
    puts(total > 100 ? "ok" : "few");
    return 0;
}
"""


class Kernel(UnusualCase):
    def test_pages_that_cannot_be_unmapped(self):
        program = self.build(PAGES)
        self.assertEqual(self.alone(program, env=environment(LD_LIBRARY_PATH=str(RUNTIME))).stdout,
                         "ok\n")
        for command in (["run"], ["record", "-o", "t.stt"]):
            result = self.seriatim(*command, program)
            self.assertEqual((result.text, result.status), ("ok\n", 0), result.message)
            self.assertNotIn("missing", result.message)

    def test_children_by_clone(self):
        program = self.build(CLONE)
        for kind, shared, missing in (("0", 0, False), ("1", 6, False), ("2", 6, True)):
            result = self.seriatim("run", program, kind)
            self.assertEqual((result.text, result.status), (f"7 {shared}\n", 0), result.message)
            (self.assertIn if missing else self.assertNotIn)("events are missing", result.message)

    def test_a_limit_on_addresses_leaves_what_it_should(self):
        program = self.build(LIMIT)
        self.assertEqual(self.alone(program, env=environment(LD_LIBRARY_PATH=str(RUNTIME))).stdout,
                         "1\n")
        for command in (["run"], ["record", "-o", "t.stt"]):
            result = self.seriatim(*command, program)
            self.assertEqual((result.text, result.status), ("1\n", 0), result.message)
            self.assertIn("2 threads", result.message)

    def test_a_program_that_uses_up_its_addresses_is_watched_to_the_end(self):
        program = self.build(FULL)
        self.assertEqual(self.alone(program, env=environment(LD_LIBRARY_PATH=str(RUNTIME))).stdout,
                         "ok\n")
        for command in (["run"], ["record", "-o", "t.stt"]):
            result = self.seriatim(*command, program)
            self.assertEqual((result.text, result.status), ("ok\n", 0), result.message)
            self.assertNotIn("warning", result.message)


# Writes over the memory that it shares with the watcher, when there is something in it that the
# watcher has not read: it stands still meanwhile.
SCRIBBLE = r"""
#include "stream/stream.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

__attribute__((noinline)) static void work(void) {
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
}

static void *thread(void *argument) {
    for (int i = 0; i < 3000; i++)
        work();
    return argument;
}

static void two_threads(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, thread, NULL);
    pthread_create(&two, NULL, thread, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

__attribute__((no_sanitize("thread"))) static struct st_stream_head *find_stream(void) {
    char line[512];
    unsigned long start = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:seriatim") && sscanf(line, "%lx", &start) == 1)
            break;
    fclose(maps);
    return (struct st_stream_head *)start;
}

static void stop(int process) {
    char path[64], line[256], state = 0;
    kill(process, SIGSTOP);
    sprintf(path, "/proc/%d/stat", process);
    while (state != 'T') {
        FILE *file = fopen(path, "r");
        fgets(line, sizeof line, file);
        state = strrchr(line, ')')[2];
        fclose(file);
    }
}

__attribute__((no_sanitize("thread"))) static void scribble(const char *where, unsigned seed) {
    struct st_stream_head *head = find_stream();
    int watcher = (int)head->watcher;
    srand(seed);
    stop(watcher);
    two_threads();
    if (!strcmp(where, "count"))
        head->chunk_count = seed;
    else if (!strcmp(where, "announced"))
        head->announced += 70000 + seed;
    else if (!strcmp(where, "sequence"))
        head->next_sequence = seed % 2 ? 5 : (uint64_t)1 << 60;
    else if (!strcmp(where, "magic"))
        head->magic = seed;
    else if (!strcmp(where, "epochs")) /* as the runtime does when a thread has none left */
        head->worn_out = head->closed = 1;
    else
        for (uint32_t i = 0; i < 128; i++) {
            struct st_stream_chunk *chunk = st_stream_chunk(head, i);
            uint32_t count = chunk->count % ST_STREAM_RECORDS;
            if (!strcmp(where, "heads")) {
                chunk->count = rand();
                chunk->thread = rand();
                chunk->index = rand();
            } else {
                for (uint32_t r = 0; r < count; r++) {
                    chunk->records[r].what = (uint64_t)rand() << 33 ^ rand();
                    chunk->records[r].argument = (uint64_t)rand() << 33 ^ rand();
                }
            }
        }
    kill(watcher, SIGCONT);
}

int main(int argc, char **argv) {
    (void)argc;
    two_threads();
    if (strcmp(argv[1], "nothing"))
        scribble(argv[1], (unsigned)atoi(argv[2]));
    two_threads();
    puts("ok");
    return 0;
}
"""


class Scribble(UnusualCase):
    """A program that writes over the stream. tests/fuzz/fuzz_ring.c does it in many more ways."""

    def test_a_thread_has_called_too_many_functions(self):
        """It would take half an hour to do so; tests/runtime/deferred/test_epochs.c has the other half."""
        program = self.build(SCRIBBLE, f"-I{ROOT / 'src'}")
        for command in (["run"], ["record", "-o", "t.stt"]):
            result = self.seriatim(*command, program, "epochs", "0")
            self.assertEqual((result.text, result.status), ("ok\n", 2), result.message)
            self.assertIn("called more functions than seriatim can tell apart", result.message)
            self.assertNotIn("ran out of memory", result.message)

    def test_damage_is_noticed(self):
        program = self.build(SCRIBBLE, f"-I{ROOT / 'src'}")
        for command in (["run"], ["record", "-o", "t.stt"]):
            result = self.seriatim(*command, program, "nothing", "0")
            self.assertEqual((result.text, result.status), ("ok\n", 0), result.message)
            for where in ("count", "announced", "sequence", "magic", "heads", "records"):
                for seed in (1, 2):
                    with self.subTest(command=command[0], where=where, seed=seed):
                        result = self.seriatim(*command, program, where, str(seed))
                        # Its own runtime may stumble, too. Then its status is that of a signal.
                        self.assertTrue(result.status == 2 or result.status > 128,
                                        (result.status, result.message))
                        if result.status == 2:
                            self.assertRegex(result.message, "has overwritten memory that it shares"
                                             "|ran out of memory for its events")
