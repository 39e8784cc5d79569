/* Events of mutexes, spin locks and read-write locks. */
#define _GNU_SOURCE
#include "mock_core.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>
#include <cmocka.h>

static struct timespec soon(void) {
    return (struct timespec){time(NULL) + 100, 0};
}

static void a_mutex_is_acquired_and_released(void **state) {
    (void)state;
    pthread_mutex_t m;
    struct timespec until = soon(), past = {0, 0};
    mock_begin();
    mock_name(&m, sizeof m, "m");
    pthread_mutex_init(&m, NULL);
    assert_int_equal(pthread_mutex_lock(&m), 0);
    assert_int_equal(pthread_mutex_trylock(&m), EBUSY);
    assert_int_equal(pthread_mutex_timedlock(&m, &past), ETIMEDOUT);
    assert_int_equal(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past), ETIMEDOUT);
    assert_int_equal(pthread_mutex_unlock(&m), 0);
    assert_string_equal(mock_emitted(0), "acquire m, release m");
    assert_int_equal(pthread_mutex_trylock(&m), 0);
    pthread_mutex_unlock(&m);
    assert_int_equal(pthread_mutex_timedlock(&m, &until), 0);
    pthread_mutex_unlock(&m);
    assert_int_equal(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &until), 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    assert_string_equal(mock_emitted(0), "acquire m, release m, try m, release m, acquire m, "
                                         "release m, acquire m, release m");
}

static void a_recursive_mutex_tells_every_level(void **state) {
    (void)state;
    pthread_mutex_t m;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    mock_begin();
    mock_name(&m, sizeof m, "m");
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    assert_string_equal(mock_emitted(0), "acquire m, acquire m, release m, release m");
}

static void *die_with(void *mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

static void a_mutex_of_a_dead_thread_is_acquired(void **state) {
    (void)state;
    pthread_mutex_t m;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_t id;
    pthread_create(&id, NULL, die_with, &m);
    pthread_join(id, NULL);
    mock_begin();
    mock_name(&m, sizeof m, "m");
    assert_int_equal(pthread_mutex_lock(&m), EOWNERDEAD);
    pthread_mutex_unlock(&m);
    assert_int_equal(pthread_mutex_lock(&m), ENOTRECOVERABLE);
    assert_string_equal(mock_emitted(0), "acquire m, release m");
}

static void a_spin_lock_is_a_lock(void **state) {
    (void)state;
    pthread_spinlock_t s;
    mock_begin();
    mock_name(&s, sizeof s, "s");
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    assert_int_equal(pthread_spin_lock(&s), 0);
    assert_int_equal(pthread_spin_trylock(&s), EBUSY);
    assert_int_equal(pthread_spin_unlock(&s), 0);
    assert_int_equal(pthread_spin_trylock(&s), 0);
    assert_int_equal(pthread_spin_unlock(&s), 0);
    pthread_spin_destroy(&s);
    assert_string_equal(mock_emitted(0), "acquire s, release s, try s, release s");
}

static void a_mutex_of_c11_is_a_mutex(void **state) {
    (void)state;
    mtx_t m;
    struct timespec until = soon();
    mock_begin();
    mock_name(&m, sizeof m, "m");
    mtx_init(&m, mtx_timed);
    assert_int_equal(mtx_lock(&m), thrd_success);
    assert_int_equal(mtx_trylock(&m), thrd_busy);
    assert_int_equal(mtx_unlock(&m), thrd_success);
    assert_int_equal(mtx_trylock(&m), thrd_success);
    assert_int_equal(mtx_unlock(&m), thrd_success);
    assert_int_equal(mtx_timedlock(&m, &until), thrd_success);
    assert_int_equal(mtx_unlock(&m), thrd_success);
    mtx_destroy(&m);
    assert_string_equal(mock_emitted(0),
                        "acquire m, release m, try m, release m, acquire m, release m");
}

static void readers_wait_for_writers_and_writers_for_both(void **state) {
    (void)state;
    pthread_rwlock_t l;
    pthread_rwlock_init(&l, NULL);
    mock_begin();
    mock_name(&l, sizeof l, "l");
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    assert_string_equal(mock_emitted(0), "write-lock l, write-unlock l");
    mock_begin();
    mock_name(&l, sizeof l, "l");
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    assert_int_equal(pthread_rwlock_trywrlock(&l), EBUSY);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_unlock(&l);
    assert_string_equal(mock_emitted(0), "read-lock l, read-lock l, read-unlock l, read-unlock l");
}

static void every_way_to_a_rwlock_is_told(void **state) {
    (void)state;
    pthread_rwlock_t l;
    struct timespec until = soon(), past = {0, 0};
    pthread_rwlock_init(&l, NULL);
    mock_begin();
    mock_name(&l, sizeof l, "l");
    pthread_rwlock_tryrdlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_timedrdlock(&l, &until);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &until);
    assert_int_equal(pthread_rwlock_timedwrlock(&l, &past), ETIMEDOUT);
    pthread_rwlock_unlock(&l);
    assert_string_equal(mock_emitted(0),
                        "read-lock l, read-unlock l, read-lock l, read-unlock l, read-lock l, "
                        "read-unlock l");
    mock_begin();
    mock_name(&l, sizeof l, "l");
    pthread_rwlock_trywrlock(&l);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_timedwrlock(&l, &until);
    pthread_rwlock_unlock(&l);
    pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &until);
    pthread_rwlock_unlock(&l);
    assert_string_equal(mock_emitted(0),
                        "write-lock l, write-unlock l, write-lock l, write-unlock l, "
                        "write-lock l, write-unlock l");
}

static void inside_the_runtime_locks_still_work(void **state) {
    (void)state;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    mock_begin();
    mock_name(&m, sizeof m, "m");
    mock_enter();
    assert_int_equal(pthread_mutex_lock(&m), 0);
    assert_int_equal(pthread_mutex_trylock(&m), EBUSY);
    assert_int_equal(pthread_mutex_unlock(&m), 0);
    mock_leave();
    assert_string_equal(mock_emitted(0), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mutex_is_acquired_and_released),
        cmocka_unit_test(a_recursive_mutex_tells_every_level),
        cmocka_unit_test(a_mutex_of_a_dead_thread_is_acquired),
        cmocka_unit_test(a_spin_lock_is_a_lock),
        cmocka_unit_test(a_mutex_of_c11_is_a_mutex),
        cmocka_unit_test(readers_wait_for_writers_and_writers_for_both),
        cmocka_unit_test(every_way_to_a_rwlock_is_told),
        cmocka_unit_test(inside_the_runtime_locks_still_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
