/* Events of jumps, forked children and modules; and that a signal handler may call anything.
 */
#define _GNU_SOURCE
#include "mock_core.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static jmp_buf target;
static sigjmp_buf signal_target;

static __attribute__((noinline)) void jump(int how) {
    if (how == 0)
        longjmp(target, 1);
    if (how == 1)
        _longjmp(target, 1);
    siglongjmp(signal_target, 1);
}

/* The stack pointer of this function lies below its variables and above the functions it calls. */
static __attribute__((noinline)) void jump_back(int how, volatile char *room, size_t size) {
    mock_begin();
    mock_name(room - 256, size + 256, "frame");
    if (how == 2 ? sigsetjmp(signal_target, 1) : setjmp(target)) {
        assert_string_equal(mock_emitted(0), "unwind to frame");
        return;
    }
    jump(how);
}

static void a_jump_leaves_what_is_below_its_target(void **state) {
    (void)state;
    volatile char room[64];
    for (int how = 0; how < 3; how++)
        jump_back(how, room, sizeof room);
}

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

/* The child's answer: are its events still those from before the fork? */
static void child_tells_nothing(pid_t child) {
    if (child == 0) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        _exit(strcmp(mock_emitted(0), "") ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert_string_equal(mock_emitted(0), "acquire m, release m");
}

static void lock_in_handler(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void a_forked_child_tells_nothing(void **state) {
    (void)state;
    mock_begin();
    mock_name(&m, sizeof m, "m");
    child_tells_nothing(fork());
    mock_begin();
    mock_name(&m, sizeof m, "m");
    child_tells_nothing(_Fork());
    mock_begin();
    mock_name(&m, sizeof m, "m");
    child_tells_nothing(vfork());
    pthread_atfork(NULL, NULL, lock_in_handler);
    mock_begin();
    mock_name(&m, sizeof m, "m");
    child_tells_nothing(fork());
}

static void modules_are_told_around_dlclose(void **state) {
    (void)state;
    void *handle = dlopen("libm.so.6", RTLD_NOW);
    assert_non_null(handle);
    mock_begin();
    assert_int_equal(dlclose(handle), 0);
    assert_string_equal(mock_emitted(0), "modules, modules");
}

static void handle(int number) {
    (void)number;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    errno = 99;
}

static void a_signal_in_the_runtime_goes_unseen(void **state) {
    (void)state;
    signal(SIGUSR1, handle);
    mock_begin();
    mock_name(&m, sizeof m, "m");
    mock_enter();
    raise(SIGUSR1);
    mock_leave();
    assert_string_equal(mock_emitted(0), "");
    raise(SIGUSR1);
    assert_string_equal(mock_emitted(0), "acquire m, release m");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_leaves_what_is_below_its_target),
        cmocka_unit_test(a_forked_child_tells_nothing),
        cmocka_unit_test(modules_are_told_around_dlclose),
        cmocka_unit_test(a_signal_in_the_runtime_goes_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
