/* The scheduler, for programs that run freely: nothing asks for a turn. */
#include "runtime/control/crashes.h"
#include "runtime/control/outside/outside.h"
#include "runtime/control/outside/signals.h"
#include "runtime/control/outside/timers.h"
#include "runtime/control/outside/virtual_time.h"
#include "runtime/control/points.h"
#include "runtime/control/runners.h"
#include "runtime/control/waiting.h"

#include <stdlib.h>

bool rt_controlled;

bool rt_takes_turns_slow(void) {
    abort();
}
void rt_point_slow(enum st_control_kind kind, const volatile void *object, size_t size,
                   uintptr_t caller) {
    (void)kind, (void)object, (void)size, (void)caller;
    abort();
}
enum rt_woken rt_block_until(const volatile void *object, int owner, uint64_t deadline) {
    (void)object, (void)owner, (void)deadline;
    abort();
}
void rt_unblock_slow(const volatile void *object) {
    (void)object;
    abort();
}
void rt_taken(const volatile void *lock, bool shared) {
    (void)lock, (void)shared;
    abort();
}
void rt_changed_slow(void) {
    abort();
}
void rt_queue(const volatile void *object, uint64_t deadline) {
    (void)object, (void)deadline;
    abort();
}
enum rt_woken rt_queue_wait(void) {
    abort();
}
unsigned rt_queue_wake(const volatile void *object, unsigned most) {
    (void)object, (void)most;
    abort();
}
struct rt_runner *rt_runner_new(void) {
    return NULL;
}
void rt_runner_failed(struct rt_runner *runner) {
    (void)runner;
}
void rt_runner_begin(struct rt_runner *runner) {
    (void)runner;
}
void rt_runner_end(void) {
}
enum rt_woken rt_runner_join(const struct rt_runner *runner, uint64_t deadline, uintptr_t caller) {
    (void)runner, (void)deadline, (void)caller;
    abort();
}
void rt_point_of_exit(uintptr_t caller) {
    (void)caller;
}
uint64_t rt_deadline(clockid_t clock, const struct timespec *until) {
    (void)clock, (void)until;
    abort();
}
uint64_t rt_deadline_after(uint64_t nanoseconds) {
    (void)nanoseconds;
    abort();
}
enum rt_woken rt_sleep_until(uint64_t deadline, uintptr_t caller) {
    (void)deadline, (void)caller;
    abort();
}
bool rt_read_clock(clockid_t clock, uint64_t *now, uintptr_t caller) {
    (void)clock, (void)now, (void)caller;
    abort();
}
bool rt_go_outside(uintptr_t caller) {
    (void)caller;
    return false;
}
void rt_come_inside(void) {
    abort();
}
enum rt_woken rt_wait_for(struct pollfd *descriptors, size_t count, uint64_t deadline,
                          uintptr_t caller) {
    (void)descriptors, (void)count, (void)deadline, (void)caller;
    abort();
}
bool rt_wait_for_one_slow(int descriptor, short events, uintptr_t caller) {
    (void)descriptor, (void)events, (void)caller;
    abort();
}
void rt_written_slow(void) {
    abort();
}
void rt_signal_sent(uintptr_t thread, int number) {
    (void)thread, (void)number;
    abort();
}
void rt_cancel_sent(uintptr_t thread) {
    (void)thread;
    abort();
}
uint64_t rt_signal_mask(void) {
    abort();
}
void rt_set_signal_mask(uint64_t mask) {
    (void)mask;
    abort();
}
bool rt_swap_signal_mask(uint64_t *mask) {
    (void)mask;
    abort();
}
void rt_handler_set(int number, bool handler) {
    (void)number, (void)handler;
    abort();
}
void rt_handler_left(uintptr_t stack) {
    (void)stack;
    abort();
}
void rt_show_signals(void) {
    abort();
}
void rt_hide_signals(void) {
    abort();
}
void rt_wait_for_handler(const uint64_t *mask, uintptr_t caller) {
    (void)mask, (void)caller;
    abort();
}
enum rt_woken rt_wait_for_signals(uint64_t set, uint64_t deadline, uintptr_t caller) {
    (void)set, (void)deadline, (void)caller;
    abort();
}
void rt_signal_taken(int number) {
    (void)number;
    abort();
}
void rt_others_run(void) {
    abort();
}
void rt_others_may_connect(void) {
    abort();
}
enum rt_woken rt_await(const struct rt_awaited *awaited, uint64_t deadline, uintptr_t caller) {
    (void)awaited, (void)deadline, (void)caller;
    abort();
}
bool rt_timer_new(enum rt_timer_kind kind, uintptr_t id, int signal, uintptr_t value) {
    (void)kind, (void)id, (void)signal, (void)value;
    abort();
}
bool rt_timer_set(enum rt_timer_kind kind, uintptr_t id, const struct rt_timer_setting *setting,
                  struct rt_timer_setting *before) {
    (void)kind, (void)id, (void)setting, (void)before;
    abort();
}
bool rt_timer_get(enum rt_timer_kind kind, uintptr_t id, struct rt_timer_setting *now) {
    (void)kind, (void)id, (void)now;
    abort();
}
bool rt_timer_delete(enum rt_timer_kind kind, uintptr_t id) {
    (void)kind, (void)id;
    abort();
}
bool rt_time_is_virtual(void) {
    abort();
}
bool rt_runner_has_ended(const struct rt_runner *runner) {
    (void)runner;
    abort();
}
void rt_runner_is(struct rt_runner *runner, uintptr_t thread) {
    (void)runner, (void)thread;
}
void rt_will_write_slow(void) {
    abort();
}
void rt_other_has_connected(void) {
    abort();
}
void rt_crashes_at(int number, uintptr_t place) {
    (void)number, (void)place;
}
bool rt_is_running(int tid) {
    (void)tid;
    abort();
}
bool rt_look_at(const struct rt_awaited *awaited, uintptr_t caller) {
    (void)awaited, (void)caller;
    abort();
}
bool rt_look_at_descriptors(struct pollfd *descriptors, size_t count, uintptr_t caller) {
    (void)descriptors, (void)count, (void)caller;
    abort();
}
bool rt_do_others_run(void) {
    abort();
}
void rt_opens_slow(const char *path) {
    (void)path;
    abort();
}
