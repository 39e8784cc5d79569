/* Events of condition variables, semaphores, barriers and what is done once. */
#define _GNU_SOURCE
#include "mock_core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static _Atomic int step;

static void begin(void) {
    mock_begin();
    mock_name(&m, sizeof m, "m");
    mock_name(&c, sizeof c, "c");
    step = 0;
}

static void *wait_for_step(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    step = 1;
    while (step != 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

/* The waiter has the mutex until it waits. There is one acquire, however long it takes. */
static void until_it_waits(void) {
    while (!step)
        usleep(1000);
    pthread_mutex_lock(&m);
}

static void a_waiter_tells_release_split_acquire_receive(void **state) {
    (void)state;
    begin();
    unsigned child = mock_next_thread();
    pthread_t id;
    pthread_create(&id, NULL, wait_for_step, NULL);
    until_it_waits();
    step = 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(id, NULL);
    assert_string_equal(mock_emitted(child), "start, free stack, acquire m, release m, split, "
                                             "acquire m, receive 0 c, release m, free stack, end");
    assert_string_equal(mock_emitted(0),
                        "fork 1, split, acquire m, send 0 c, release m, split, join 1");
}

/* ---- signals in a wait ---- */

static pthread_mutex_t of_handler = PTHREAD_MUTEX_INITIALIZER;
static sem_t handled;

static void on_signal(int signal) {
    (void)signal;
    pthread_mutex_lock(&of_handler);
    pthread_mutex_unlock(&of_handler);
    sem_post(&handled);
}

static void handle_signal_of(pthread_t id) {
    struct sigaction action = {.sa_handler = on_signal}, old;
    sem_init(&handled, 0, 0);
    sigaction(SIGUSR1, &action, &old);
    pthread_kill(id, SIGUSR1);
    while (sem_wait(&handled))
        continue;
    sigaction(SIGUSR1, &old, NULL);
}

static void a_handler_in_a_wait_has_a_part_of_its_own(void **state) {
    (void)state;
    begin();
    mock_name(&of_handler, sizeof of_handler, "h");
    unsigned child = mock_next_thread();
    pthread_t id;
    pthread_create(&id, NULL, wait_for_step, NULL);
    until_it_waits();
    handle_signal_of(id);
    step = 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(id, NULL);
    assert_string_equal(mock_emitted(child), "start, free stack, acquire m, release m, split, "
                                             "acquire h, release h, split, "
                                             "acquire m, receive 0 c, release m, free stack, end");
}

static pthread_barrier_t gate;
static _Atomic int at_gate;

static void *wait_at_gate(void *unused) {
    at_gate = gettid();
    pthread_barrier_wait(&gate);
    return unused;
}

/* Until the thread is in the system call in which barriers wait. */
static void until_it_is_at_the_gate(void) {
    char path[64], text[16] = "";
    while (!at_gate)
        sched_yield();
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", at_gate);
    while (atoi(text) != SYS_futex) {
        int file = open(path, O_RDONLY);
        ssize_t length = read(file, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        close(file);
    }
}

static void a_handler_at_a_barrier_has_a_part_of_its_own(void **state) {
    (void)state;
    begin();
    mock_name(&of_handler, sizeof of_handler, "h");
    mock_name(&gate, sizeof gate, "gate");
    pthread_barrier_init(&gate, NULL, 2);
    unsigned child = mock_next_thread();
    pthread_t id;
    pthread_create(&id, NULL, wait_at_gate, NULL);
    until_it_is_at_the_gate();
    handle_signal_of(id);
    pthread_barrier_wait(&gate);
    pthread_join(id, NULL);
    pthread_barrier_destroy(&gate);
    assert_string_equal(mock_emitted(child),
                        "start, free stack, send 0 gate, split, acquire h, release h, split, "
                        "receive 0 gate, free stack, end");
}

static void a_wait_that_times_out_comes_after_nothing(void **state) {
    (void)state;
    struct timespec past = {0, 0};
    begin();
    pthread_mutex_lock(&m);
    assert_int_equal(pthread_cond_timedwait(&c, &m, &past), ETIMEDOUT);
    assert_int_equal(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    pthread_mutex_unlock(&m);
    assert_string_equal(mock_emitted(0),
                        "acquire m, release m, split, acquire m, release m, split, "
                        "acquire m, release m");
}

static void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

static void *wait_in_vain(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    step = 1;
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return NULL;
}

static void a_cancelled_wait_holds_the_mutex_again(void **state) {
    (void)state;
    begin();
    unsigned child = mock_next_thread();
    pthread_t id;
    void *value;
    pthread_create(&id, NULL, wait_in_vain, NULL);
    until_it_waits();
    pthread_mutex_unlock(&m);
    pthread_cancel(id);
    pthread_join(id, &value);
    assert_ptr_equal(value, PTHREAD_CANCELED);
    assert_string_equal(mock_emitted(child), "start, free stack, acquire m, release m, split, "
                                             "acquire m, release m, free stack, end");
    assert_int_equal(pthread_mutex_trylock(&m), 0);
    pthread_mutex_unlock(&m);
}

static void conditions_of_c11_are_conditions(void **state) {
    (void)state;
    mtx_t mutex;
    cnd_t condition;
    struct timespec past = {0, 0};
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    mock_begin();
    mock_name(&mutex, sizeof mutex, "m");
    mock_name(&condition, sizeof condition, "c");
    mtx_lock(&mutex);
    assert_int_equal(cnd_timedwait(&condition, &mutex, &past), thrd_timedout);
    cnd_signal(&condition);
    cnd_broadcast(&condition);
    mtx_unlock(&mutex);
    assert_string_equal(mock_emitted(0),
                        "acquire m, release m, split, acquire m, send 0 c, send 0 c, release m");
}

static void a_wait_for_a_semaphore_comes_after_posts(void **state) {
    (void)state;
    sem_t s;
    struct timespec past = {0, 0};
    sem_init(&s, 0, 0);
    mock_begin();
    mock_name(&s, sizeof s, "s");
    errno = 0;
    assert_int_equal(sem_trywait(&s), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(sem_timedwait(&s, &past), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_int_equal(sem_clockwait(&s, CLOCK_MONOTONIC, &past), -1);
    assert_string_equal(mock_emitted(0), "");
    for (int i = 0; i < 4; i++)
        sem_post(&s);
    assert_int_equal(sem_wait(&s), 0);
    assert_int_equal(sem_trywait(&s), 0);
    assert_int_equal(sem_timedwait(&s, &past), 0);
    assert_int_equal(sem_clockwait(&s, CLOCK_MONOTONIC, &past), 0);
    assert_string_equal(mock_emitted(0),
                        "post s, post s, post s, post s, wait s, wait s, wait s, wait s");
}

static void the_value_that_a_semaphore_is_made_with_is_emitted(void **state) {
    (void)state;
    char name[64];
    sem_t s;
    mock_begin();
    mock_name(&s, sizeof s, "s");
    assert_int_equal(sem_init(&s, 0, 0), 0);
    assert_int_equal(sem_init(&s, 0, 5), 0);
    assert_int_equal(sem_init(&s, 0, UINT_MAX), -1);
    assert_string_equal(mock_emitted(0), "made 0 s, made 1 s");
    snprintf(name, sizeof name, "/seriatim-test-%ld", (long)getpid());
    errno = 0;
    assert_ptr_equal(sem_open(name, 0), SEM_FAILED);
    assert_int_equal(errno, ENOENT);
    sem_t *opened = sem_open(name, O_CREAT, 0600, 3);
    assert_ptr_not_equal(opened, SEM_FAILED);
    mock_begin();
    mock_name(opened, sizeof *opened, "o");
    assert_ptr_equal(sem_open(name, 0), opened);
    assert_string_equal(mock_emitted(0), "opened 1 o");
    sem_unlink(name);
}

static pthread_barrier_t barrier;

static void *pass_three_times(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        pthread_barrier_wait(&barrier);
    return NULL;
}

static void phases_of_a_barrier_take_turns_on_two_channels(void **state) {
    (void)state;
    pthread_barrier_init(&barrier, NULL, 2);
    mock_begin();
    mock_name(&barrier, sizeof barrier, "b");
    unsigned child = mock_next_thread();
    pthread_t ids[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, pass_three_times, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    for (unsigned i = 0; i < 2; i++)
        assert_string_equal(mock_emitted(child + i),
                            "start, free stack, send 0 b, split, receive 0 b, send 1 b, split, "
                            "receive 1 b, send 0 b, split, receive 0 b, free stack, end");
    assert_int_equal(pthread_barrier_destroy(&barrier), 0);
}

static void a_barrier_in_the_place_of_another_starts_anew(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        pthread_barrier_init(&barrier, NULL, 1);
        mock_begin();
        mock_name(&barrier, sizeof barrier, "b");
        assert_int_equal(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
        assert_string_equal(mock_emitted(0), "send 0 b, split, receive 0 b");
        pthread_barrier_destroy(&barrier);
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int runs;

static void inner_initialiser(void) {
    runs++;
}

static void initialiser(void) {
    pthread_once(&inner, inner_initialiser);
    runs++;
}

static void what_is_done_once_comes_before_every_return(void **state) {
    (void)state;
    mock_begin();
    mock_name(&once, sizeof once, "outer");
    mock_name(&inner, sizeof inner, "inner");
    pthread_once(&once, initialiser);
    assert_string_equal(mock_emitted(0),
                        "send 0 inner, receive 0 inner, send 0 outer, receive 0 outer");
    mock_begin();
    mock_name(&once, sizeof once, "outer");
    mock_name(&flag, sizeof flag, "flag");
    pthread_once(&once, initialiser);
    call_once(&flag, inner_initialiser);
    call_once(&flag, inner_initialiser);
    assert_string_equal(mock_emitted(0), "receive 0 outer, send 0 flag, receive 0 flag, "
                                         "receive 0 flag");
    assert_int_equal(runs, 3);
}

static _Atomic int word;

static void *wait_at_futex(void *unused) {
    (void)unused;
    step = 1;
    while (!word)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return NULL;
}

static void a_futex_wait_and_a_wake_are_seen(void **state) {
    (void)state;
    begin();
    mock_name((const void *)&word, sizeof word, "word");
    errno = 0;
    assert_int_equal(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0), -1);
    assert_int_equal(errno, EAGAIN);
    assert_string_equal(mock_emitted(0), "futex-wait word");
    unsigned child = mock_next_thread();
    pthread_t id;
    pthread_create(&id, NULL, wait_at_futex, NULL);
    while (!step)
        usleep(1000);
    while (syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1)
        usleep(1000);
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(id, NULL);
    assert_non_null(strstr(mock_emitted(child), "futex-wait word, futex-woken word"));
    assert_non_null(strstr(mock_emitted(0), "futex-wake word"));
}

/* mmap has six arguments, and each of them matters. */
static void other_system_calls_pass_unchanged(void **state) {
    (void)state;
    begin();
    long page = sysconf(_SC_PAGESIZE);
    int file = memfd_create("pages", 0);
    assert_int_equal(ftruncate(file, 2 * page), 0);
    assert_int_equal(pwrite(file, "x", 1, page), 1);
    long memory = syscall(SYS_mmap, NULL, page, PROT_READ, MAP_SHARED, file, page);
    assert_true(memory > 0);
    assert_int_equal(*(const char *)memory, 'x');
    assert_int_equal(syscall(SYS_munmap, memory, page), 0);
    errno = 0;
    assert_int_equal(syscall(SYS_close, -1), -1);
    assert_int_equal(errno, EBADF);
    close(file);
    assert_string_equal(mock_emitted(0), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiter_tells_release_split_acquire_receive),
        cmocka_unit_test(a_handler_in_a_wait_has_a_part_of_its_own),
        cmocka_unit_test(a_handler_at_a_barrier_has_a_part_of_its_own),
        cmocka_unit_test(a_wait_that_times_out_comes_after_nothing),
        cmocka_unit_test(a_cancelled_wait_holds_the_mutex_again),
        cmocka_unit_test(conditions_of_c11_are_conditions),
        cmocka_unit_test(a_wait_for_a_semaphore_comes_after_posts),
        cmocka_unit_test(the_value_that_a_semaphore_is_made_with_is_emitted),
        cmocka_unit_test(phases_of_a_barrier_take_turns_on_two_channels),
        cmocka_unit_test(a_barrier_in_the_place_of_another_starts_anew),
        cmocka_unit_test(what_is_done_once_comes_before_every_return),
        cmocka_unit_test(a_futex_wait_and_a_wake_are_seen),
        cmocka_unit_test(other_system_calls_pass_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
