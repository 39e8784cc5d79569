#include "symbol/code/code_walk.h"

#include "base/memory.h"
#include "symbol/code/code_bytes.h"
#include "symbol/code/code_flow.h"
#include "symbol/code/known_branches.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 4096, /* instructions of a function that is followed ... */
    MOST_QUIET = 512,  /* ... and of one in which nothing happens */
    MOST_WORK = 50000, /* instructions that are read to answer one question */
    DEEPEST_CALL = 5   /* of functions that are called in a loop */
};

/* ---- what is called ---- */

/* std::atomic::wait and its kind, which return when somebody has changed a word. */
static bool is_atomic_wait(const char *name) {
    return st_begins_with(name, "_ZSt23__atomic_wait_address") ||
           (st_begins_with(name, "_ZNKSt") && strstr(name, "atomic") && strstr(name, "4waitE"));
}

/* Functions that wait for a moment, or ask what time it is. */
static bool is_pause(const char *name) {
    static const char *const list[] = {"sched_yield",
                                       "pthread_yield",
                                       "thrd_yield",
                                       "usleep",
                                       "nanosleep",
                                       "sleep",
                                       "thrd_sleep",
                                       "clock_nanosleep",
                                       "clock_gettime",
                                       "gettimeofday",
                                       "time",
                                       "clock",
                                       "__errno_location",
                                       "pthread_self",
                                       "gettid",
                                       "getpid",
                                       "sched_getcpu",
                                       "pthread_testcancel",
                                       NULL};
    for (const char *const *other = list; *other; other++)
        if (strcmp(name, *other) == 0)
            return true;
    return st_begins_with(name, "_Z") &&
           (strstr(name, "St6chrono") || strstr(name, "11this_thread") || is_atomic_wait(name));
}

/* Functions that say who the thread is, or where what is its own begins. */
static bool is_identity(const char *name) {
    return strcmp(name, "pthread_self") == 0 || strcmp(name, "thrd_current") == 0 ||
           strcmp(name, "gettid") == 0 || strcmp(name, "__tls_get_addr") == 0 ||
           strstr(name, "this_thread6get_id");
}

static bool is_comparison(const char *name) {
    return strcmp(name, "pthread_equal") == 0 || strcmp(name, "thrd_equal") == 0 ||
           st_begins_with(name, "_ZSteqNSt6thread2id") ||
           st_begins_with(name, "_ZStneNSt6thread2id");
}

/* Those that write do so where their first argument points to. */
static enum st_code_effect effect_of_callback(const char *name) {
    static const char *const quiet[] = {"__tsan_func_",
                                        "__tsan_read",
                                        "__tsan_unaligned_read",
                                        "__tsan_vptr_read",
                                        "__tsan_volatile_read",
                                        "__tsan_atomic_thread_fence",
                                        "__tsan_atomic_signal_fence",
                                        NULL};
    if (strstr(name, "write") || st_begins_with(name, "__tsan_mem"))
        return ST_WRITES_THERE;
    for (const char *const *start = quiet; *start; start++)
        if (st_begins_with(name, *start))
            return ST_NO_EFFECT;
    bool loads = st_begins_with(name, "__tsan_atomic") && strstr(name, "_load");
    return loads ? ST_NO_EFFECT : ST_SOME_EFFECT;
}

static bool is_quiet_function(struct st_object *object, uint64_t address, unsigned depth,
                              unsigned *work);

static enum st_code_effect effect_of(struct st_object *object, const struct st_callee *callee,
                                     unsigned depth, unsigned *work) {
    if (callee->name && st_begins_with(callee->name, "__tsan_"))
        return effect_of_callback(callee->name);
    if (callee->name && is_pause(callee->name))
        return ST_NO_EFFECT;
    if (callee->name &&
        (strcmp(callee->name, "memcpy") == 0 || strcmp(callee->name, "memset") == 0))
        return ST_WRITES_THERE;
    bool quiet = callee->address && depth < DEEPEST_CALL &&
                 is_quiet_function(object, callee->address, depth + 1, work);
    return quiet ? ST_NO_EFFECT : ST_SOME_EFFECT;
}

/* ---- reading the code ---- */

static uint32_t step_at(struct st_code_walk *walk, uint64_t address) {
    uint32_t number = st_map64_number(&walk->numbers, address);
    if (number == walk->count) {
        st_reserve(&walk->steps, &walk->capacity, walk->count + 1);
        walk->steps[walk->count++] =
            (struct st_code_step){.address = address, .next = {ST_NOWHERE, ST_NOWHERE}};
    }
    return number;
}

static void lead_to(struct st_code_walk *walk, uint32_t number, unsigned way, uint64_t address) {
    uint32_t next = step_at(walk, address);
    walk->steps[number].next[way] = next;
}

static bool is_inside(const struct st_code_walk *walk, uint64_t address) {
    return address >= walk->low && address < walk->high;
}

/* `site`: the call that is asked about, which has no effect of its own. A jump to another function
 * is a call, and a return. */
static void read_call_step(struct st_code_walk *walk, uint32_t number, uint64_t site,
                           unsigned depth, unsigned *work) {
    struct st_instruction instruction = walk->steps[number].instruction;
    uint64_t after = walk->steps[number].address + instruction.length;
    struct st_callee callee = st_code_callee(walk->object, &instruction);
    bool jumps = instruction.flow == ST_FLOW_JUMP || instruction.flow == ST_FLOW_JUMP_SLOT;
    walk->steps[number].calls = true;
    walk->steps[number].swaps = callee.name && strstr(callee.name, "compare_exchange") &&
                                !strstr(callee.name, "exchange_val");
    walk->steps[number].returns = jumps;
    walk->steps[number].identifies = callee.name && is_identity(callee.name);
    walk->steps[number].compares = callee.name && is_comparison(callee.name);
    if (callee.name && st_code_never_returns(callee.name))
        return;
    if (jumps || after != site)
        walk->steps[number].effect = (unsigned char)effect_of(walk->object, &callee, depth, work);
    if (!jumps)
        lead_to(walk, number, 0, after);
}

static void read_step(struct st_code_walk *walk, uint32_t number, uint64_t site, unsigned depth,
                      unsigned *work) {
    struct st_instruction instruction;
    uint64_t address = walk->steps[number].address;
    size_t left;
    const unsigned char *bytes = st_code_bytes(walk->object, address, &left);
    if (!bytes || !st_instruction_read(bytes, left, address, &instruction)) {
        walk->lost = true;
        walk->steps[number].effect = ST_SOME_EFFECT;
        return;
    }
    walk->steps[number].instruction = instruction;
    switch (instruction.flow) {
    case ST_FLOW_NEXT:
        lead_to(walk, number, 0, address + instruction.length);
        break;
    case ST_FLOW_BRANCH:
        lead_to(walk, number, 0, address + instruction.length);
        if (is_inside(walk, instruction.target))
            lead_to(walk, number, 1, instruction.target);
        else
            walk->lost = true;
        break;
    case ST_FLOW_JUMP:
        if (is_inside(walk, instruction.target)) {
            lead_to(walk, number, 0, instruction.target);
            break;
        }
        /* fall through */
    case ST_FLOW_JUMP_SLOT:
    case ST_FLOW_CALL:
    case ST_FLOW_CALL_SLOT:
    case ST_FLOW_CALL_ANYWHERE:
        read_call_step(walk, number, site, depth, work);
        break;
    case ST_FLOW_JUMP_ANYWHERE:
        walk->lost = true;
        break;
    case ST_FLOW_RETURN:
        walk->steps[number].returns = true;
        break;
    case ST_FLOW_STOP:
        break;
    }
}

bool st_walk_read(struct st_code_walk *walk, struct st_object *object, uint64_t address,
                  uint64_t site, unsigned depth, unsigned *work) {
    const char *name;
    *walk = (struct st_code_walk){.object = object};
    st_map64_init(&walk->numbers);
    if (!st_code_function(object, address, &walk->low, &walk->high, &name))
        return false;
    step_at(walk, walk->low);
    for (uint32_t i = 0; i < walk->count; i++) {
        if (i >= MOST_STEPS || ++*work > MOST_WORK)
            return false;
        read_step(walk, i, site, depth, work);
    }
    st_walk_lead_on(walk);
    walk->path = st_alloc(walk->count, sizeof *walk->path);
    return true;
}

void st_walk_free(struct st_code_walk *walk) {
    st_map64_free(&walk->numbers);
    free(walk->steps);
    free(walk->path);
}

/* ---- paths ---- */

static void build_path(struct st_code_walk *walk, const uint32_t *before, uint32_t from,
                       uint32_t to) {
    walk->path_length = 0;
    for (uint32_t at = to;; at = before[at]) {
        walk->path[walk->path_length++] = at;
        if (at == from)
            return;
    }
}

bool st_walk_find_path(struct st_code_walk *walk, uint32_t from, uint32_t to, bool quietly) {
    uint32_t *before = st_alloc(walk->count, sizeof *before);
    uint32_t *todo = st_alloc(walk->count, sizeof *todo);
    bool *been = st_alloc(walk->count, sizeof *been), found = false;
    size_t first = 0, last = 0;
    todo[last++] = from;
    been[from] = true;
    while (first < last && !found) {
        uint32_t at = todo[first++];
        const struct st_code_step *step = &walk->steps[at];
        bool stops = quietly && step->effect == ST_SOME_EFFECT;
        found = to == ST_NOWHERE ? step->returns && !stops : at == to;
        if (found)
            build_path(walk, before, from, at);
        if (stops)
            continue;
        for (int way = 0; way < 2; way++) {
            uint32_t next = step->next[way];
            if (next == ST_NOWHERE || been[next])
                continue;
            been[next] = true;
            before[next] = at;
            todo[last++] = next;
        }
    }
    free(before);
    free(todo);
    free(been);
    return found;
}

void st_journey_step(struct st_journey *journey, const struct st_code_step *step, bool answers,
                     uint32_t number) {
    if (step->effect == ST_WRITES_THERE && !journey->values.registers[ST_RDI].stack &&
        journey->bad == ST_NOWHERE)
        journey->bad = number;
    if (step->calls) {
        if (step->swaps)
            st_values_answer_there(&journey->values);
        if (step->compares)
            st_values_call_comparison(&journey->values);
        else
            st_values_call(&journey->values, answers ? ST_ANSWER : step->identifies ? ST_SELF : 0);
        return;
    }
    journey->decided |=
        step->instruction.flow == ST_FLOW_BRANCH && journey->values.flags.from & ST_ANSWER;
    st_values_step(&journey->values, &step->instruction);
}

void st_journey_go(const struct st_code_walk *walk, struct st_journey *journey, uint32_t site) {
    for (size_t i = walk->path_length; i-- > 1;)
        st_journey_step(journey, &walk->steps[walk->path[i]], walk->path[i] == site, walk->path[i]);
}

/* ---- functions in which nothing happens ---- */

/* To all that it does there is a way: what do the values look like there? */
static bool writes_only_stack(struct st_code_walk *walk, uint32_t number) {
    struct st_journey journey = {.bad = ST_NOWHERE};
    st_values_start(&journey.values);
    if (!st_walk_find_path(walk, 0, number, false))
        return false;
    st_journey_go(walk, &journey, ST_NOWHERE);
    const struct st_code_step *step = &walk->steps[number];
    if (step->effect == ST_WRITES_THERE)
        return journey.values.registers[ST_RDI].stack;
    return !st_values_writes(&journey.values, &step->instruction);
}

static bool reports_writes(const struct st_code_walk *walk) {
    for (size_t i = 0; i < walk->count; i++) {
        const struct st_code_step *step = &walk->steps[i];
        const char *name =
            step->calls ? st_code_callee(walk->object, &step->instruction).name : NULL;
        if (name && strcmp(name, "__tsan_func_entry") == 0)
            return true;
    }
    return false;
}

bool st_walk_is_quiet_from(struct st_code_walk *walk, uint32_t from) {
    bool reports = reports_writes(walk);
    if (walk->lost || walk->count > MOST_QUIET)
        return false;
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct st_code_step *step = &walk->steps[i];
        bool may_write = step->effect == ST_WRITES_THERE ||
                         (!reports && step->instruction.in_memory && !step->calls);
        bool quiet = step->effect != ST_SOME_EFFECT && (!may_write || writes_only_stack(walk, i));
        if (!quiet && (from == 0 || st_walk_find_path(walk, from, i, false)))
            return false;
    }
    return true;
}

static bool walk_through(struct st_object *object, uint64_t address, unsigned depth,
                         unsigned *work) {
    struct st_code_walk walk;
    bool quiet = st_walk_read(&walk, object, address, 0, depth, work) && walk.low == address &&
                 st_walk_is_quiet_from(&walk, 0);
    st_walk_free(&walk);
    return quiet;
}

static void remember(struct st_object *object, uint64_t key, struct st_walked walked) {
    uint32_t number = st_map64_number(&object->walked, key);
    st_reserve(&object->walked_facts, &object->walked_capacity, (size_t)number + 1);
    object->walked_facts[number] = walked;
}

/* Atomic operations of the library are inlined at hundreds of places in a program, and all call the
 * same few functions: walking through them each time was an eighth of the watcher of leveldb. What
 * was read then counts again, so that the answer does not depend on what was asked before. */
static bool is_quiet_function(struct st_object *object, uint64_t address, unsigned depth,
                              unsigned *work) {
    uint64_t key = address << 8 | depth;
    uint32_t number = st_map64_find(&object->walked, key);
    unsigned before = *work;
    if (number == ST_MAP64_NONE) {
        bool quiet = walk_through(object, address, depth, work);
        if (*work <= MOST_WORK)
            remember(object, key, (struct st_walked){quiet, *work - before});
        return quiet;
    }
    *work += object->walked_facts[number].work;
    return *work <= MOST_WORK && object->walked_facts[number].quiet;
}
