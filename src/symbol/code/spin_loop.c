#include "symbol/code/spin_loop.h"

#include "base/map64.h"
#include "base/memory.h"
#include "symbol/code/code_bytes.h"
#include "symbol/code/code_flow.h"
#include "symbol/machine/code_values.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 4096, /* instructions of a function that is followed ... */
    MOST_QUIET = 512,  /* ... and of one in which nothing happens */
    MOST_WORK = 50000, /* instructions that are read to answer one question */
    DEEPEST_CALL = 5,  /* of functions that are called in a loop */
    MOST_DETOURS = 8   /* ways around writes that are not to the stack */
};

#define NOWHERE UINT32_MAX

enum effect {
    NO_EFFECT,
    WRITES_THERE, /* where the first argument points to */
    SOME_EFFECT
};

struct step {
    struct st_instruction instruction;
    uint64_t address;
    uint32_t next[2]; /* or NOWHERE */
    bool calls, returns;
    bool swaps; /* a compare-and-swap: its second argument points to what it expects, and has found
                 */
    unsigned char effect;
};

/* One function, as far as it can be reached without jumps through tables. */
struct walk {
    struct st_object *object;
    uint64_t low, high;
    struct step *steps; /* the first one is where it begins */
    size_t count, capacity;
    struct st_map64 numbers; /* of steps, by address */
    uint32_t *path;          /* the last one that was asked for, from its end to its begin */
    size_t path_length;
    bool lost;
};

/* ---- what is called ---- */

static bool begins_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

/* std::atomic::wait and its kind, which return when somebody has changed a word. */
static bool is_atomic_wait(const char *name) {
    return begins_with(name, "_ZSt23__atomic_wait_address") ||
           (begins_with(name, "_ZNKSt") && strstr(name, "atomic") && strstr(name, "4waitE"));
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
    return begins_with(name, "_Z") &&
           (strstr(name, "St6chrono") || strstr(name, "11this_thread") || is_atomic_wait(name));
}

/* Those that write do so where their first argument points to. */
static enum effect effect_of_callback(const char *name) {
    static const char *const quiet[] = {"__tsan_func_",
                                        "__tsan_read",
                                        "__tsan_unaligned_read",
                                        "__tsan_vptr_read",
                                        "__tsan_volatile_read",
                                        "__tsan_atomic_thread_fence",
                                        "__tsan_atomic_signal_fence",
                                        NULL};
    if (strstr(name, "write") || begins_with(name, "__tsan_mem"))
        return WRITES_THERE;
    for (const char *const *start = quiet; *start; start++)
        if (begins_with(name, *start))
            return NO_EFFECT;
    bool loads = begins_with(name, "__tsan_atomic") && strstr(name, "_load");
    return loads ? NO_EFFECT : SOME_EFFECT;
}

static bool is_quiet_function(struct st_object *object, uint64_t address, unsigned depth,
                              unsigned *work);

static enum effect effect_of(struct st_object *object, const struct st_callee *callee,
                             unsigned depth, unsigned *work) {
    if (callee->name && begins_with(callee->name, "__tsan_"))
        return effect_of_callback(callee->name);
    if (callee->name && is_pause(callee->name))
        return NO_EFFECT;
    if (callee->name &&
        (strcmp(callee->name, "memcpy") == 0 || strcmp(callee->name, "memset") == 0))
        return WRITES_THERE;
    bool quiet = callee->address && depth < DEEPEST_CALL &&
                 is_quiet_function(object, callee->address, depth + 1, work);
    return quiet ? NO_EFFECT : SOME_EFFECT;
}

/* ---- reading the code ---- */

static uint32_t step_at(struct walk *walk, uint64_t address) {
    uint32_t number = st_map64_number(&walk->numbers, address);
    if (number == walk->count) {
        st_reserve(&walk->steps, &walk->capacity, walk->count + 1);
        walk->steps[walk->count++] = (struct step){.address = address, .next = {NOWHERE, NOWHERE}};
    }
    return number;
}

static void lead_to(struct walk *walk, uint32_t number, unsigned way, uint64_t address) {
    uint32_t next = step_at(walk, address);
    walk->steps[number].next[way] = next;
}

static bool is_inside(const struct walk *walk, uint64_t address) {
    return address >= walk->low && address < walk->high;
}

/* `site`: the call that is asked about, which has no effect of its own. A jump to another function
 * is a call, and a return. */
static void read_call_step(struct walk *walk, uint32_t number, uint64_t site, unsigned depth,
                           unsigned *work) {
    struct st_instruction instruction = walk->steps[number].instruction;
    uint64_t after = walk->steps[number].address + instruction.length;
    struct st_callee callee = st_code_callee(walk->object, &instruction);
    bool jumps = instruction.flow == ST_FLOW_JUMP || instruction.flow == ST_FLOW_JUMP_SLOT;
    walk->steps[number].calls = true;
    walk->steps[number].swaps = callee.name && strstr(callee.name, "compare_exchange") &&
                                !strstr(callee.name, "exchange_val");
    walk->steps[number].returns = jumps;
    if (callee.name && st_code_never_returns(callee.name))
        return;
    if (jumps || after != site)
        walk->steps[number].effect = (unsigned char)effect_of(walk->object, &callee, depth, work);
    if (!jumps)
        lead_to(walk, number, 0, after);
}

static void read_step(struct walk *walk, uint32_t number, uint64_t site, unsigned depth,
                      unsigned *work) {
    struct st_instruction instruction;
    uint64_t address = walk->steps[number].address;
    size_t left;
    const unsigned char *bytes = st_code_bytes(walk->object, address, &left);
    if (!bytes || !st_instruction_read(bytes, left, address, &instruction)) {
        walk->lost = true;
        walk->steps[number].effect = SOME_EFFECT;
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

/* False if there is no such function. What `lost` says is for who wants to know all of it. */
static bool read_function(struct walk *walk, struct st_object *object, uint64_t address,
                          uint64_t site, unsigned depth, unsigned *work) {
    const char *name;
    *walk = (struct walk){.object = object};
    st_map64_init(&walk->numbers);
    if (!st_code_function(object, address, &walk->low, &walk->high, &name))
        return false;
    step_at(walk, walk->low);
    for (uint32_t i = 0; i < walk->count; i++) {
        if (i >= MOST_STEPS || ++*work > MOST_WORK)
            return false;
        read_step(walk, i, site, depth, work);
    }
    walk->path = st_alloc(walk->count, sizeof *walk->path);
    return true;
}

static void free_walk(struct walk *walk) {
    st_map64_free(&walk->numbers);
    free(walk->steps);
    free(walk->path);
}

/* ---- paths ---- */

static void build_path(struct walk *walk, const uint32_t *before, uint32_t from, uint32_t to) {
    walk->path_length = 0;
    for (uint32_t at = to;; at = before[at]) {
        walk->path[walk->path_length++] = at;
        if (at == from)
            return;
    }
}

/* The shortest way from one step to another, or to a return (NOWHERE), both included; `quietly`:
 * with no effect before it, unless that of writes. */
static bool find_path(struct walk *walk, uint32_t from, uint32_t to, bool quietly) {
    uint32_t *before = st_alloc(walk->count, sizeof *before);
    uint32_t *todo = st_alloc(walk->count, sizeof *todo);
    bool *been = st_alloc(walk->count, sizeof *been), found = false;
    size_t first = 0, last = 0;
    todo[last++] = from;
    been[from] = true;
    while (first < last && !found) {
        uint32_t at = todo[first++];
        const struct step *step = &walk->steps[at];
        bool stops = quietly && step->effect == SOME_EFFECT;
        found = to == NOWHERE ? step->returns && !stops : at == to;
        if (found)
            build_path(walk, before, from, at);
        if (stops)
            continue;
        for (int way = 0; way < 2; way++) {
            uint32_t next = step->next[way];
            if (next == NOWHERE || been[next])
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

/* What happened on a path. */
struct journey {
    struct st_values values;
    bool decided; /* a branch depended on an answer */
    uint32_t bad; /* a write that is not to the stack, or NOWHERE */
};

static void go_one(struct journey *journey, const struct step *step, bool answers,
                   uint32_t number) {
    if (step->effect == WRITES_THERE && !journey->values.registers[ST_RDI].stack &&
        journey->bad == NOWHERE)
        journey->bad = number;
    if (step->calls) {
        if (step->swaps)
            st_values_answer_there(&journey->values);
        st_values_call(&journey->values, answers);
        return;
    }
    journey->decided |=
        step->instruction.flow == ST_FLOW_BRANCH && journey->values.flags_from & ST_ANSWER;
    st_values_step(&journey->values, &step->instruction);
}

/* Along the path that was found, its last step excluded. */
static void go(const struct walk *walk, struct journey *journey, uint32_t site) {
    for (size_t i = walk->path_length; i-- > 1;)
        go_one(journey, &walk->steps[walk->path[i]], walk->path[i] == site, walk->path[i]);
}

/* ---- functions in which nothing happens ---- */

/* To all that it does there is a way: what do the values look like there? */
static bool writes_only_stack(struct walk *walk, uint32_t number) {
    struct journey journey = {.bad = NOWHERE};
    st_values_start(&journey.values);
    if (!find_path(walk, 0, number, false))
        return false;
    go(walk, &journey, NOWHERE);
    const struct step *step = &walk->steps[number];
    if (step->effect == WRITES_THERE)
        return journey.values.registers[ST_RDI].stack;
    return !st_values_writes(&journey.values, &step->instruction);
}

static bool reports_writes(const struct walk *walk) {
    for (size_t i = 0; i < walk->count; i++) {
        const struct step *step = &walk->steps[i];
        const char *name =
            step->calls ? st_code_callee(walk->object, &step->instruction).name : NULL;
        if (name && strcmp(name, "__tsan_func_entry") == 0)
            return true;
    }
    return false;
}

/* From there on, to wherever it goes. */
static bool is_quiet_from(struct walk *walk, uint32_t from) {
    bool reports = reports_writes(walk);
    if (walk->lost || walk->count > MOST_QUIET)
        return false;
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct step *step = &walk->steps[i];
        bool may_write = step->effect == WRITES_THERE ||
                         (!reports && step->instruction.in_memory && !step->calls);
        bool quiet = step->effect != SOME_EFFECT && (!may_write || writes_only_stack(walk, i));
        if (!quiet && (from == 0 || find_path(walk, from, i, false)))
            return false;
    }
    return true;
}

static bool is_quiet_function(struct st_object *object, uint64_t address, unsigned depth,
                              unsigned *work) {
    struct walk walk;
    bool quiet = read_function(&walk, object, address, 0, depth, work) && walk.low == address &&
                 is_quiet_from(&walk, 0);
    free_walk(&walk);
    return quiet;
}

/* ---- questions ---- */

static uint32_t find_site(const struct walk *walk, uint64_t after) {
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->steps[i].calls &&
            walk->steps[i].address + walk->steps[i].instruction.length == after)
            return i;
    return NOWHERE;
}

static bool is_same_place(const struct st_values *a, const struct st_values *b,
                          unsigned char which) {
    for (unsigned i = 0; ST_FIRST_ARGUMENT << i & ST_ARGUMENTS; i++) {
        struct st_value first = a->registers[st_argument_register(i)];
        struct st_value second = b->registers[st_argument_register(i)];
        if (which & ST_FIRST_ARGUMENT << i &&
            (first.base != second.base || first.offset != second.offset))
            return false;
    }
    return true;
}

/* Follows a quiet way from behind the site to `to`, twice if it comes back to the site. Where a
 * write on it is not to the stack, another way is tried. */
static bool go_on(struct walk *walk, struct journey *journey, uint32_t site, uint32_t to) {
    struct journey start = *journey;
    uint32_t behind = walk->steps[site].next[0];
    for (int i = 0; i < MOST_DETOURS && behind != NOWHERE; i++) {
        if (!find_path(walk, behind, to, true))
            return false;
        *journey = start;
        go_one(journey, &walk->steps[site], true, site);
        go(walk, journey, site);
        if (journey->bad == NOWHERE)
            return true;
        walk->steps[journey->bad].effect = SOME_EFFECT;
    }
    return false;
}

/* ---- what decides whether there is another turn ---- */

/* Marks what can be reached from a step, but for what is marked `closed`; true if a return is. */
static bool mark_reached(const struct walk *walk, uint32_t from, const bool *closed, bool *marks) {
    uint32_t *todo = st_alloc(walk->count, sizeof *todo);
    size_t count = 0;
    bool returns = false;
    if (from != NOWHERE && !closed[from]) {
        marks[from] = true;
        todo[count++] = from;
    }
    while (count) {
        const struct step *step = &walk->steps[todo[--count]];
        returns |= step->returns;
        for (int way = 0; way < 2; way++) {
            uint32_t next = step->next[way];
            if (next == NOWHERE || closed[next] || marks[next])
                continue;
            marks[next] = true;
            todo[count++] = next;
        }
    }
    free(todo);
    return returns;
}

static bool can_return(const struct walk *walk, uint32_t from, const bool *closed) {
    bool *marks = st_alloc(walk->count, sizeof *marks);
    bool returns = mark_reached(walk, from, closed, marks);
    free(marks);
    return returns;
}

/* One way out of the branch leads quietly back to the site. Does the other one lead out of the
 * loop, and not only by what the first one comes by as well? What a turn begins with is before the
 * site, and no part of that. */
static bool is_way_out(struct walk *walk, uint32_t site, uint32_t branch, int way,
                       const bool *before) {
    const uint32_t *next = walk->steps[branch].next;
    if (next[way] == NOWHERE || !find_path(walk, next[way], site, true))
        return false;
    bool *closed = st_alloc(walk->count, sizeof *closed);
    for (size_t i = 0; i < walk->path_length; i++)
        closed[walk->path[i]] = !before[walk->path[i]];
    bool out = can_return(walk, next[!way], closed);
    free(closed);
    return out;
}

/* Does the branch depend on the answer, if it comes there quietly? */
static bool depends_on_answer(struct walk *walk, const struct journey *there, uint32_t site,
                              uint32_t branch) {
    struct journey on = *there;
    if (walk->steps[branch].instruction.flow != ST_FLOW_BRANCH ||
        !find_path(walk, walk->steps[site].next[0], branch, true))
        return false;
    go_one(&on, &walk->steps[site], true, site);
    go(walk, &on, site);
    return on.values.flags_from & ST_ANSWER;
}

/* A loop that ends after so many turns, whatever was seen, is no wait. One that never ends may be
 * one: so threads poll. */
static bool ends_by_answer(struct walk *walk, const struct journey *there, uint32_t site) {
    bool *before = st_alloc(walk->count, sizeof *before);
    bool *closed = st_alloc(walk->count, sizeof *closed);
    closed[site] = true;
    mark_reached(walk, 0, closed, before);
    bool found = !can_return(walk, walk->steps[site].next[0], closed);
    for (uint32_t i = 0; i < walk->count && !found; i++)
        found = depends_on_answer(walk, there, site, i) &&
                (is_way_out(walk, site, i, 0, before) || is_way_out(walk, site, i, 1, before));
    free(before);
    free(closed);
    return found;
}

static bool loops_around(struct walk *walk, const struct journey *there, uint32_t site,
                         unsigned char arguments) {
    struct journey once = *there;
    if (!go_on(walk, &once, site, site))
        return false;
    struct journey twice = once;
    return go_on(walk, &twice, site, site) && twice.decided &&
           is_same_place(&once.values, &twice.values, arguments) &&
           ends_by_answer(walk, &once, site);
}

/* clang passes what a compare-and-swap expects, others a pointer to it. */
static bool expects_answer(const struct walk *walk, struct journey *back, uint32_t site) {
    struct st_value expected =
        walk->steps[site].swaps ? st_values_there(&back->values) : back->values.registers[ST_RSI];
    return expected.from & ST_ANSWER;
}

/* Can it come back to the site by this way out of a branch, expecting what it has found? */
static bool learns_by(struct walk *walk, const struct journey *there, uint32_t site,
                      uint32_t branch, unsigned way) {
    struct journey back = *there;
    uint32_t next = walk->steps[branch].next[way];
    if (next == NOWHERE || !go_on(walk, &back, site, branch) || !find_path(walk, next, site, true))
        return false;
    go(walk, &back, site);
    return expects_answer(walk, &back, site);
}

/* Does it wait for one value, whatever it finds? */
static bool is_fixed(struct walk *walk, const struct journey *there, uint32_t site) {
    struct journey once = *there;
    const char *name = st_code_callee(walk->object, &walk->steps[site].instruction).name;
    if (!name || !strstr(name, "compare_exchange"))
        return true;
    if (!go_on(walk, &once, site, site) || expects_answer(walk, &once, site))
        return false;
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->steps[i].instruction.flow == ST_FLOW_BRANCH &&
            (learns_by(walk, there, site, i, 0) || learns_by(walk, there, site, i, 1)))
            return false;
    return true;
}

/* Is it a call of the same function? */
static bool is_like(const struct walk *walk, const struct step *a, const struct step *b) {
    struct st_callee first = st_code_callee(walk->object, &a->instruction);
    struct st_callee second = st_code_callee(walk->object, &b->instruction);
    if (first.name && second.name)
        return strcmp(first.name, second.name) == 0;
    return first.address && first.address == second.address;
}

/* Compilers like to test before a loop, and again at the end of each turn. So the first look is one
 * of its own, from which a quiet way leads to one in the loop. */
static bool leads_to_loop(struct walk *walk, const struct journey *there, uint32_t site,
                          unsigned char arguments) {
    for (uint32_t i = 0; i < walk->count; i++) {
        struct journey on = *there;
        if (i == site || !walk->steps[i].calls || walk->steps[i].effect == SOME_EFFECT ||
            !is_like(walk, &walk->steps[i], &walk->steps[site]))
            continue;
        if (go_on(walk, &on, site, i) && on.decided &&
            is_same_place(&there->values, &on.values, arguments) &&
            loops_around(walk, &on, i, arguments))
            return true;
    }
    return false;
}

/* An atomic operation on the word that its first argument points to. */
static enum st_spin_next change_by(const char *name) {
    static const char *const stores[] = {"_store", "5store", "aSE", "5clear", NULL};
    bool callback = begins_with(name, "__tsan_atomic");
    bool member = begins_with(name, "_ZNSt") && strstr(name, "atomic"); /* no const one: _ZNKSt */
    if ((!callback && !member) || strstr(name, "load") || strstr(name, "fence"))
        return ST_SPIN_GOES_ON;
    for (const char *const *other = stores; *other; other++)
        if (strstr(name, *other))
            return ST_SPIN_STORES;
    return ST_SPIN_CHANGES;
}

/* Is what the call answers what the next branch depends on? */
static bool is_checked(const struct walk *walk, const struct journey *there, uint32_t site) {
    enum { MOST_BEFORE_BRANCH = 64 };
    struct journey on = *there;
    go_one(&on, &walk->steps[site], true, site);
    uint32_t at = walk->steps[site].next[0];
    for (int i = 0; i < MOST_BEFORE_BRANCH && at != NOWHERE && !walk->steps[at].returns; i++) {
        go_one(&on, &walk->steps[at], false, at);
        if (walk->steps[at].instruction.flow == ST_FLOW_BRANCH)
            return on.decided;
        at = walk->steps[at].next[0];
    }
    return on.values.registers[ST_RAX].from & ST_ANSWER;
}

static enum st_spin_next next_of(struct walk *walk, const struct journey *there, uint32_t site,
                                 unsigned char arguments) {
    enum st_spin_next next = ST_SPIN_GOES_ON;
    if (arguments != ST_FIRST_ARGUMENT)
        return next;
    for (uint32_t i = 0; i < walk->count; i++) {
        struct journey on = *there;
        const char *name = walk->steps[i].calls
                               ? st_code_callee(walk->object, &walk->steps[i].instruction).name
                               : NULL;
        enum st_spin_next change = name ? change_by(name) : ST_SPIN_GOES_ON;
        if (change > next && go_on(walk, &on, site, i) &&
            is_same_place(&there->values, &on.values, arguments))
            next = change == ST_SPIN_CHANGES && is_checked(walk, &on, i) ? ST_SPIN_TAKES : change;
    }
    return next;
}

static bool is_known(const struct st_values *values) {
    return !(values->registers[ST_RDI].from & ST_UNKNOWN);
}

static bool takes_there(struct walk *walk, const struct journey *there, uint32_t site,
                        unsigned char arguments) {
    if (arguments != ST_FIRST_ARGUMENT || !is_known(&there->values) ||
        !is_checked(walk, there, site))
        return false;
    for (uint32_t i = 0; i < walk->count; i++) {
        struct journey look = {.bad = NOWHERE};
        if (i == site || !walk->steps[i].calls || walk->steps[i].effect != NO_EFFECT ||
            !find_path(walk, 0, i, false))
            continue;
        st_values_start(&look.values);
        go(walk, &look, i);
        look.bad = NOWHERE;
        if (is_known(&look.values) && is_same_place(&there->values, &look.values, arguments) &&
            loops_around(walk, &look, i, arguments))
            return true;
    }
    return false;
}

/* It returns what it has seen, or tries to take what it has seen to be free. A function that does
 * anything else with it has checked something and then acted: both are one step. */
static bool passes_through(struct walk *walk, const struct journey *there, uint32_t site,
                           unsigned char arguments) {
    struct journey on = *there;
    if (there->bad != NOWHERE ||
        !(is_quiet_from(walk, site) || next_of(walk, there, site, arguments) > ST_SPIN_STORES) ||
        !go_on(walk, &on, site, NOWHERE))
        return false;
    return on.decided || on.values.registers[ST_RAX].from & ST_ANSWER;
}

static unsigned char arguments_of(const struct st_values *values, unsigned char which) {
    unsigned char from = 0;
    for (unsigned i = 0; ST_FIRST_ARGUMENT << i & ST_ARGUMENTS; i++)
        if (which & ST_FIRST_ARGUMENT << i)
            from |= values->registers[st_argument_register(i)].from;
    return from;
}

static struct st_spin ask_function(struct walk *walk, uint64_t after, unsigned char arguments) {
    struct st_spin spin = {0};
    struct journey there = {.bad = NOWHERE};
    uint32_t site = find_site(walk, after);
    if (site == NOWHERE)
        return spin;
    bool quietly = find_path(walk, 0, site, true);
    if (!quietly && !find_path(walk, 0, site, false))
        return spin;
    st_values_start(&there.values);
    go(walk, &there, site);
    uint32_t bad = there.bad;
    there.bad = NOWHERE;
    spin.loops =
        loops_around(walk, &there, site, arguments) || leads_to_loop(walk, &there, site, arguments);
    if (spin.loops)
        spin.next = next_of(walk, &there, site, arguments);
    spin.fixed = spin.loops && is_fixed(walk, &there, site);
    spin.takes = takes_there(walk, &there, site, arguments);
    there.bad = bad;
    unsigned char from = arguments_of(&there.values, arguments);
    spin.passes =
        quietly && !(from & ~ST_ARGUMENTS) && passes_through(walk, &there, site, arguments);
    spin.arguments = from & ST_ARGUMENTS;
    return spin;
}

struct st_spin st_spin_in(struct st_object *object, uint64_t after, unsigned char arguments) {
    struct walk walk;
    struct st_spin spin = {0};
    unsigned work = 0;
    if (read_function(&walk, object, after - 1, after, 0, &work))
        spin = ask_function(&walk, after, arguments);
    free_walk(&walk);
    return spin;
}
