#define _GNU_SOURCE
#include "mock_core.h"
#include "runtime/core/access.h"
#include "runtime/core/call_stack.h"
#include "runtime/core/fibers.h"
#include "runtime/core/loaded_modules.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/sync_events.h"
#include "runtime/intercept/interpose.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOCK_FIBERS = 4, THREADS = 20000, NAMES = 64, BYTES = 2048, LINES = 64 };

struct line {
    char text[BYTES];
    size_t used;
};

static struct {
    uintptr_t start, size;
    const char *name;
} names[NAMES];
static size_t name_count;
static struct line lines[LINES]; /* by serial number, from the first thread of this test on */
static _Atomic unsigned next_serial = 1;
static unsigned first_serial = 1;
static _Atomic bool writing;
static _Atomic unsigned refused;
static uintptr_t last_caller;
static unsigned char ended[THREADS];

static _Thread_local struct {
    bool watched, inside, finished;
    unsigned serial, joined;
} self __attribute__((tls_model("initial-exec")));

static struct line *line_of(unsigned serial) {
    unsigned at = serial ? serial - first_serial + 1 : 0;
    return at < LINES ? &lines[at] : NULL;
}

/* Nothing here may call an interposed function: it would emit events. */
static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...) {
    static int (*print)(char *, size_t, const char *, va_list);
    struct line *line = line_of(self.serial);
    if (!atomic_load(&writing) || !line || line->used + 1 >= BYTES)
        return;
    if (!print)
        print = (int (*)(char *, size_t, const char *, va_list))rt_real("vsnprintf");
    if (line->used) {
        line->text[line->used++] = ',';
        line->text[line->used++] = ' ';
    }
    va_list arguments;
    va_start(arguments, format);
    int length = print(line->text + line->used, BYTES - line->used, format, arguments);
    va_end(arguments);
    line->used += (size_t)length;
    if (line->used >= BYTES)
        line->used = BYTES - 1;
}

static const char *name_of(uintptr_t address, uintptr_t *offset) {
    for (size_t i = 0; i < name_count; i++)
        if (address - names[i].start < names[i].size) {
            *offset = address - names[i].start;
            return names[i].name;
        }
    return NULL;
}

static void add_object(const char *what, const volatile void *object) {
    uintptr_t offset;
    const char *name = name_of((uintptr_t)object, &offset);
    if (name)
        add("%s %s", what, name);
}

static void add_memory(const char *what, uintptr_t address, size_t size, uintptr_t caller) {
    uintptr_t offset;
    const char *name = size ? name_of(address, &offset) : NULL;
    if (!name)
        return;
    last_caller = caller;
    if (offset)
        add("%s %s+%zu:%zu", what, name, (size_t)offset, size);
    else
        add("%s %s:%zu", what, name, size);
}

/* ---- for tests ---- */

RT_EXPORT void mock_begin(void) {
    atomic_store(&writing, false);
    for (size_t i = 0; i < LINES; i++)
        lines[i].used = 0, lines[i].text[0] = '\0';
    name_count = 0;
    refused = 0;
    first_serial = atomic_load(&next_serial);
    atomic_store(&writing, true);
}

RT_EXPORT void mock_name(const volatile void *object, size_t size, const char *name) {
    names[name_count].start = (uintptr_t)object;
    names[name_count].size = size;
    names[name_count++].name = name;
}

RT_EXPORT const char *mock_emitted(unsigned thread) {
    return line_of(thread)->text;
}

RT_EXPORT unsigned mock_next_thread(void) {
    return atomic_load(&next_serial);
}

RT_EXPORT unsigned mock_self(void) {
    return self.serial;
}

RT_EXPORT unsigned mock_joined(void) {
    return self.joined;
}

RT_EXPORT unsigned mock_refused(void) {
    return atomic_load(&refused);
}

RT_EXPORT uintptr_t mock_caller(void) {
    return last_caller;
}

RT_EXPORT void mock_enter(void) {
    self.inside = true;
}

RT_EXPORT void mock_leave(void) {
    self.inside = false;
}

/* ---- the core ---- */

__attribute__((constructor(101))) static void start(void) {
    self.watched = true;
}

bool rt_enter(void) {
    if (self.finished || !self.watched)
        return false;
    if (self.inside) {
        atomic_fetch_add(&refused, 1);
        return false;
    }
    return self.inside = true;
}

void rt_leave(void) {
    self.inside = false;
}

static void must_be_inside(void) {
    if (!self.inside)
        add("NOT INSIDE");
}

void rt_read_range(uintptr_t address, size_t size, uintptr_t caller) {
    must_be_inside();
    add_memory("read", address, size, caller);
}

void rt_write_range(uintptr_t address, size_t size, uintptr_t caller) {
    must_be_inside();
    add_memory("write", address, size, caller);
}

void rt_acquire(const volatile void *lock, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object("acquire", lock);
}

void rt_release(const volatile void *lock, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object("release", lock);
}

static const char *const lock_words[][5] = {
    {"acquire", "write-lock", "read-lock", "wait", "try"},
    {"release", "write-unlock", "read-unlock", "post", "release"},
};

void rt_acquire_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object(lock_words[0][what], lock);
}

void rt_release_as(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object(lock_words[1][what], lock);
}

void rt_lock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    rt_acquire_as(lock, what, caller);
}

void rt_unlock(const volatile void *lock, enum st_stream_lock what, uintptr_t caller) {
    rt_release_as(lock, what, caller);
}

void rt_semaphore(const volatile void *semaphore, unsigned value, bool opened, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object(opened ? value ? "opened 1" : "opened 0" : value ? "made 1" : "made 0", semaphore);
}

void rt_send(const volatile void *object, unsigned channel, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object(channel ? "send 1" : "send 0", object);
}

void rt_receive(const volatile void *object, unsigned channel, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add_object(channel ? "receive 1" : "receive 0", object);
}

void rt_mark_guard(const volatile void *guard) {
    (void)guard;
}

void rt_split(void) {
    must_be_inside();
    add("split");
}

/* It is the watcher that knows who calls. */
void rt_split_by(uintptr_t caller) {
    (void)caller;
    must_be_inside();
}

uint64_t rt_split_before_wait(void) {
    const struct line *line = line_of(self.serial);
    rt_split();
    return line ? line->used : 0;
}

void rt_split_after_wait(uint64_t position) {
    const struct line *line = line_of(self.serial);
    if (line && line->used != position)
        rt_split();
}

uint32_t rt_thread_serial(void) {
    must_be_inside();
    return self.serial;
}

void rt_pause(void) {
    must_be_inside();
    add("pause");
}

void rt_resume(void) {
    must_be_inside();
    add("resume");
}

void rt_futex_wait(const volatile void *word, uintptr_t caller) {
    must_be_inside();
    last_caller = caller;
    add_object("futex-wait", word);
}

void rt_futex_wake(const volatile void *word, uintptr_t caller) {
    must_be_inside();
    last_caller = caller;
    add_object("futex-wake", word);
}

void rt_futex_woken(const volatile void *word, uintptr_t caller) {
    must_be_inside();
    last_caller = caller;
    add_object("futex-woken", word);
}

void rt_unwind_to_stack(uintptr_t stack, uintptr_t from) {
    must_be_inside();
    (void)from;
    uintptr_t offset;
    const char *name = name_of(stack, &offset);
    if (name)
        add("unwind to %s", name);
}

void rt_allocate(const void *memory, size_t size, uintptr_t caller) {
    must_be_inside();
    add_memory("allocate", (uintptr_t)memory, size, caller);
}

void rt_free(const void *memory, size_t size) {
    must_be_inside();
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here - (uintptr_t)memory < size)
        add("free stack");
    else
        add_memory("free", (uintptr_t)memory, size, 0);
}

uint32_t rt_thread_fork(uintptr_t caller) {
    must_be_inside();
    (void)caller;
    unsigned serial = atomic_fetch_add(&next_serial, 1);
    add("fork %u", serial - first_serial + 1);
    return serial;
}

void rt_thread_start(uint32_t fork) {
    self.serial = fork;
    self.watched = true;
    add("start");
}

void rt_thread_starts_with(uintptr_t function) {
    (void)function;
}

void rt_thread_end(void) {
    add(self.inside ? "INSIDE" : "end");
    ended[self.serial % THREADS] = 1;
    self.finished = true;
}

void rt_thread_named(uint32_t serial, const char *name) {
    must_be_inside();
    add("name %u %s", serial - first_serial + 1, name);
}

void rt_thread_join(uint32_t serial, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    self.joined = serial;
    add("%s %u", ended[serial % THREADS] ? "join" : "JOIN WITHOUT END", serial - first_serial + 1);
}

/* ---- fibers ---- */

_Thread_local struct rt_thread *rt_self;
static struct rt_thread thread_itself, fibers[MOCK_FIBERS]; /* only their addresses matter */
static unsigned fiber_count;

struct rt_thread *rt_fiber_own(void) {
    return rt_self ? &thread_itself : NULL;
}

struct rt_thread *rt_fiber_create(uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add("create fiber %u", fiber_count + 1);
    return &fibers[fiber_count++];
}

void rt_fiber_switch(struct rt_thread *fiber, bool synchronised, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    rt_self = fiber;
    unsigned number = fiber == &thread_itself ? 0 : (unsigned)(fiber - fibers) + 1;
    add("%sswitch to fiber %u", synchronised ? "" : "UNSYNCHRONISED ", number);
}

void rt_fiber_destroy(struct rt_thread *fiber, uintptr_t caller) {
    must_be_inside();
    (void)caller;
    add("destroy fiber %u", (unsigned)(fiber - fibers) + 1);
}

static _Thread_local bool announced;

void rt_fiber_announce(void) {
    announced = true;
}

bool rt_fiber_was_announced(void) {
    bool was = announced;
    announced = false;
    return was;
}

RT_EXPORT void mock_fibers(void) {
    rt_self = &thread_itself;
    fiber_count = 0;
}

RT_EXPORT void mock_announce(void) {
    rt_fiber_announce();
}

const size_t rt_shadow_bytes = (size_t)4 << 44;

void rt_reserve_addresses(size_t bytes) {
    (void)bytes;
}

void *rt_map_memory(size_t bytes) {
    static _Alignas(64) char memory[1 << 20];
    static size_t used;
    used += bytes;
    return used <= sizeof memory ? memory + used - bytes : NULL;
}

struct st_stream_head *rt_head;

void rt_unwind(size_t depth) {
    must_be_inside();
    add("unwind to depth %zu", depth);
}

void rt_count_lost(void) {
    add("lost");
}

void rt_stop_in_child(void) {
    self.finished = true;
}

uint32_t rt_generation = 1;

void rt_follow_child(void) {
}
void rt_note_fork(void) {
}
void rt_shut_in(void) {
}
bool rt_is_shut_in(void) {
    return false;
}

void rt_note_exit(int status) {
    (void)status;
}

void rt_emit_modules(void) {
    must_be_inside();
    add("modules");
}
