/* Events of threads: created, ended in every way, joined, detached. */
#define _GNU_SOURCE
#include "mock_core.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static int something; /* to point to */

static void *give_back(void *argument) {
    return argument;
}

static const char life[] = "start, free stack, free stack, end";

static void a_thread_is_forked_and_joined(void **state) {
    (void)state;
    mock_begin();
    unsigned child = mock_next_thread();
    pthread_t id;
    void *value;
    assert_int_equal(pthread_create(&id, NULL, give_back, &something), 0);
    assert_int_equal(pthread_join(id, &value), 0);
    assert_ptr_equal(value, &something);
    assert_string_equal(mock_emitted(0), "fork 1, split, split, join 1");
    assert_string_equal(mock_emitted(child), life);
}

static void *exit_early(void *argument) {
    pthread_exit(argument);
}

static void a_thread_that_exits_has_ended(void **state) {
    (void)state;
    mock_begin();
    unsigned child = mock_next_thread();
    pthread_t id;
    void *value;
    pthread_create(&id, NULL, exit_early, &something);
    pthread_join(id, &value);
    assert_ptr_equal(value, &something);
    assert_string_equal(mock_emitted(child), life);
}

static void *wait_forever(void *argument) {
    for (;;)
        pause();
    return argument;
}

static void a_thread_that_is_cancelled_has_ended(void **state) {
    (void)state;
    mock_begin();
    unsigned child = mock_next_thread();
    pthread_t id;
    void *value;
    pthread_create(&id, NULL, wait_forever, NULL);
    pthread_cancel(id);
    pthread_join(id, &value);
    assert_ptr_equal(value, PTHREAD_CANCELED);
    assert_string_equal(mock_emitted(child), life);
    assert_string_equal(mock_emitted(0), "fork 1, split, split, join 1");
}

static pthread_key_t late_key;
static pthread_mutex_t late_mutex = PTHREAD_MUTEX_INITIALIZER;

static void be_late(void *rounds) {
    pthread_mutex_lock(&late_mutex);
    pthread_mutex_unlock(&late_mutex);
    if ((uintptr_t)rounds > 1)
        pthread_setspecific(late_key, (void *)((uintptr_t)rounds - 1));
}

static void *leave_something_behind(void *argument) {
    pthread_setspecific(late_key, (void *)3);
    return argument;
}

static void destructors_of_a_thread_belong_to_it(void **state) {
    (void)state;
    pthread_key_create(&late_key, be_late);
    mock_begin();
    mock_name(&late_mutex, sizeof late_mutex, "m");
    unsigned child = mock_next_thread();
    pthread_t id;
    pthread_create(&id, NULL, leave_something_behind, NULL);
    pthread_join(id, NULL);
    assert_string_equal(mock_emitted(child),
                        "start, free stack, acquire m, release m, acquire m, release m, acquire m, "
                        "release m, free stack, end");
    pthread_key_delete(late_key);
}

static void a_join_that_fails_is_not_told(void **state) {
    (void)state;
    mock_begin();
    pthread_t id;
    struct timespec past = {0, 0};
    pthread_create(&id, NULL, wait_forever, NULL);
    assert_int_equal(pthread_tryjoin_np(id, NULL), EBUSY);
    assert_int_equal(pthread_timedjoin_np(id, NULL, &past), ETIMEDOUT);
    assert_int_equal(pthread_clockjoin_np(id, NULL, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    assert_int_equal(pthread_join(pthread_self(), NULL), EDEADLK);
    assert_string_equal(mock_emitted(0), "fork 1, split");
    pthread_cancel(id);
    struct timespec future = {time(NULL) + 1000000, 0};
    assert_int_equal(pthread_timedjoin_np(id, NULL, &future), 0);
    assert_string_equal(mock_emitted(0), "fork 1, split, split, join 1");
}

static pthread_mutex_t handler_mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int signal) {
    (void)signal;
    pthread_mutex_lock(&handler_mutex);
    pthread_mutex_unlock(&handler_mutex);
}

static sigset_t mask_of_thread;
static size_t stack_of_thread;
static cpu_set_t processors_of_thread;

static void *look_around(void *argument) {
    pthread_attr_t attr;
    pthread_sigmask(SIG_SETMASK, NULL, &mask_of_thread);
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &stack_of_thread);
    pthread_attr_destroy(&attr);
    sched_getaffinity(0, sizeof processors_of_thread, &processors_of_thread);
    return argument;
}

static int look_around_in_c11(void *argument) {
    look_around(argument);
    return 0;
}

/* The signal waits for the process, and its threads block it, the new one excepted. */
static void a_signal_before_all_else_is_the_new_threads_own(void **state) {
    (void)state;
    sigset_t usr1, before, wanted, after;
    struct sigaction action = {.sa_handler = on_signal}, old;
    pthread_attr_t attr;
    pthread_t id;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    sigaction(SIGUSR1, &action, &old);
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setsigmask_np(&attr, &wanted), 0);
    pthread_attr_setstacksize(&attr, 1 << 20);
    pthread_attr_setaffinity_np(&attr, sizeof one, &one);
    mock_begin();
    mock_name(&handler_mutex, sizeof handler_mutex, "m");
    unsigned child = mock_next_thread();
    kill(getpid(), SIGUSR1);
    assert_int_equal(pthread_create(&id, &attr, look_around, NULL), 0);
    assert_int_equal(pthread_join(id, NULL), 0);
    assert_string_equal(mock_emitted(child),
                        "start, free stack, acquire m, release m, free stack, end");
    assert_string_equal(mock_emitted(0), "fork 1, split, split, join 1");
    assert_true(sigismember(&mask_of_thread, SIGUSR2));
    assert_false(sigismember(&mask_of_thread, SIGUSR1));
    assert_int_equal(stack_of_thread, 1 << 20);
    assert_true(CPU_EQUAL(&processors_of_thread, &one));
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGUSR1));
    assert_false(sigismember(&after, SIGUSR2));
    sigaction(SIGUSR1, &old, NULL);
    pthread_attr_destroy(&attr);
}

static void a_new_thread_blocks_the_signals_of_its_creator(void **state) {
    (void)state;
    sigset_t usr1, before, after;
    pthread_t id;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    pthread_create(&id, NULL, look_around, NULL);
    pthread_join(id, NULL);
    assert_true(sigismember(&mask_of_thread, SIGUSR1));
    assert_false(sigismember(&mask_of_thread, SIGUSR2));
    pthread_sigmask(SIG_SETMASK, &before, &after);
    assert_true(sigismember(&after, SIGUSR1));
    assert_false(sigismember(&after, SIGUSR2));
}

/* Attributes without a mask of their own, and the default ones with and without one. */
static void attributes_replace_the_signals_of_the_creator_only_if_they_say_which(void **state) {
    (void)state;
    sigset_t usr1, usr2, before;
    pthread_attr_t attr, old;
    pthread_t id;
    thrd_t thread;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    pthread_attr_init(&attr);
    pthread_create(&id, &attr, look_around, NULL);
    pthread_join(id, NULL);
    assert_true(sigismember(&mask_of_thread, SIGUSR1));
    assert_false(sigismember(&mask_of_thread, SIGUSR2));
    assert_int_equal(pthread_getattr_default_np(&old), 0);
    pthread_attr_setsigmask_np(&attr, &usr2);
    assert_int_equal(pthread_setattr_default_np(&attr), 0);
    pthread_create(&id, NULL, look_around, NULL);
    pthread_join(id, NULL);
    assert_false(sigismember(&mask_of_thread, SIGUSR1));
    assert_true(sigismember(&mask_of_thread, SIGUSR2));
    sigemptyset(&mask_of_thread);
    thrd_create(&thread, look_around_in_c11, NULL);
    thrd_join(thread, NULL);
    assert_false(sigismember(&mask_of_thread, SIGUSR1));
    assert_true(sigismember(&mask_of_thread, SIGUSR2));
    assert_int_equal(pthread_setattr_default_np(&old), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&old);
    pthread_attr_destroy(&attr);
}

static void detached_threads_are_forked_and_end(void **state) {
    (void)state;
    mock_begin();
    unsigned first = mock_next_thread();
    pthread_t id;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&id, &attr, give_back, NULL);
    pthread_create(&id, NULL, give_back, NULL);
    assert_int_equal(pthread_detach(id), 0);
    for (unsigned i = 0; i < 2; i++)
        while (strlen(mock_emitted(first + i)) < strlen(life))
            usleep(1000);
    assert_string_equal(mock_emitted(first), life);
    assert_string_equal(mock_emitted(first + 1), life);
    assert_string_equal(mock_emitted(0), "fork 1, split, fork 2, split");
    pthread_attr_destroy(&attr);
}

static void *tell_serial(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)mock_self();
}

/* Ids are used again at once; each join must find the thread that it joined. */
static void *make_many(void *wrong) {
    for (int i = 0; i < 1500; i++) {
        pthread_t ids[3];
        for (int k = 0; k < 3; k++)
            pthread_create(&ids[k], NULL, tell_serial, NULL);
        pthread_detach(ids[1]);
        for (int k = 2; k >= 0; k -= 2) {
            void *serial;
            pthread_join(ids[k], &serial);
            *(unsigned *)wrong += (uintptr_t)serial != mock_joined();
        }
    }
    return NULL;
}

static void thousands_of_threads_come_and_go(void **state) {
    (void)state;
    mock_begin();
    pthread_t makers[2];
    unsigned wrong[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&makers[i], NULL, make_many, &wrong[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(makers[i], NULL);
    assert_int_equal(wrong[0] + wrong[1], 0);
    assert_non_null(strstr(mock_emitted(0), "split, join 1, split, join "));
}

static int answer(void *argument) {
    return *(int *)argument;
}

static int exit_with(void *argument) {
    thrd_exit(*(int *)argument);
}

static void threads_of_c11_are_threads(void **state) {
    (void)state;
    mock_begin();
    unsigned child = mock_next_thread();
    thrd_t id;
    int value = 42, result = 0;
    assert_int_equal(thrd_create(&id, answer, &value), thrd_success);
    assert_int_equal(thrd_join(id, &result), thrd_success);
    assert_int_equal(result, 42);
    assert_int_equal(thrd_create(&id, exit_with, &value), thrd_success);
    assert_int_equal(thrd_join(id, &result), thrd_success);
    assert_int_equal(result, 42);
    assert_string_equal(mock_emitted(0),
                        "fork 1, split, split, join 1, fork 2, split, split, join 2");
    assert_string_equal(mock_emitted(child), life);
    assert_string_equal(mock_emitted(child + 1), life);
}

static void a_thread_made_inside_the_runtime_is_the_programs_own(void **state) {
    (void)state;
    mock_begin();
    pthread_t id;
    void *value;
    mock_enter();
    assert_int_equal(pthread_create(&id, NULL, give_back, &something), 0);
    assert_int_equal(pthread_join(id, &value), 0);
    mock_leave();
    assert_ptr_equal(value, &something);
    assert_string_equal(mock_emitted(0), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_forked_and_joined),
        cmocka_unit_test(a_thread_that_exits_has_ended),
        cmocka_unit_test(a_thread_that_is_cancelled_has_ended),
        cmocka_unit_test(destructors_of_a_thread_belong_to_it),
        cmocka_unit_test(a_join_that_fails_is_not_told),
        cmocka_unit_test(a_signal_before_all_else_is_the_new_threads_own),
        cmocka_unit_test(a_new_thread_blocks_the_signals_of_its_creator),
        cmocka_unit_test(attributes_replace_the_signals_of_the_creator_only_if_they_say_which),
        cmocka_unit_test(detached_threads_are_forked_and_end),
        cmocka_unit_test(thousands_of_threads_come_and_go),
        cmocka_unit_test(threads_of_c11_are_threads),
        cmocka_unit_test(a_thread_made_inside_the_runtime_is_the_programs_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
