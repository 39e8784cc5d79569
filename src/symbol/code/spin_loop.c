#include "symbol/code/spin_loop.h"

#include "base/memory.h"
#include "symbol/code/code_bytes.h"
#include "symbol/code/code_walk.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DETOURS = 8 }; /* ways around writes that are not to the stack */

/* ---- questions ---- */

static uint32_t find_site(const struct st_code_walk *walk, uint64_t after) {
    for (uint32_t i = 0; i < walk->count; i++)
        if (walk->steps[i].calls &&
            walk->steps[i].address + walk->steps[i].instruction.length == after)
            return i;
    return ST_NOWHERE;
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
static bool go_on(struct st_code_walk *walk, struct st_journey *journey, uint32_t site,
                  uint32_t to) {
    struct st_journey start = *journey;
    uint32_t behind = walk->steps[site].next[0];
    for (int i = 0; i < MOST_DETOURS && behind != ST_NOWHERE; i++) {
        if (!st_walk_find_path(walk, behind, to, true))
            return false;
        *journey = start;
        st_journey_step(journey, &walk->steps[site], true, site);
        st_journey_go(walk, journey, site);
        if (journey->bad == ST_NOWHERE)
            return true;
        walk->steps[journey->bad].effect = ST_SOME_EFFECT;
    }
    return false;
}

/* ---- what decides whether there is another turn ---- */

/* Marks what can be reached from a step, but for what is marked `closed`; true if a return is. */
static bool mark_reached(const struct st_code_walk *walk, uint32_t from, const bool *closed,
                         bool *marks) {
    uint32_t *todo = st_alloc(walk->count, sizeof *todo);
    size_t count = 0;
    bool returns = false;
    if (from != ST_NOWHERE && !closed[from]) {
        marks[from] = true;
        todo[count++] = from;
    }
    while (count) {
        const struct st_code_step *step = &walk->steps[todo[--count]];
        returns |= step->returns;
        for (int way = 0; way < 2; way++) {
            uint32_t next = step->next[way];
            if (next == ST_NOWHERE || closed[next] || marks[next])
                continue;
            marks[next] = true;
            todo[count++] = next;
        }
    }
    free(todo);
    return returns;
}

static bool can_return(const struct st_code_walk *walk, uint32_t from, const bool *closed) {
    bool *marks = st_alloc(walk->count, sizeof *marks);
    bool returns = mark_reached(walk, from, closed, marks);
    free(marks);
    return returns;
}

/* One way out of the branch leads quietly back to the site. Does the other one lead out of the
 * loop, and not only by what the first one comes by as well? What a turn begins with is before the
 * site, and no part of that. */
static bool is_way_out(struct st_code_walk *walk, uint32_t site, uint32_t branch, int way,
                       const bool *before) {
    const uint32_t *next = walk->steps[branch].next;
    if (next[way] == ST_NOWHERE || !st_walk_find_path(walk, next[way], site, true))
        return false;
    bool *closed = st_alloc(walk->count, sizeof *closed);
    for (size_t i = 0; i < walk->path_length; i++)
        closed[walk->path[i]] = !before[walk->path[i]];
    bool out = can_return(walk, next[!way], closed);
    free(closed);
    return out;
}

/* Does the branch depend on the answer, if it comes there quietly? */
static bool depends_on_answer(struct st_code_walk *walk, const struct st_journey *there,
                              uint32_t site, uint32_t branch) {
    struct st_journey on = *there;
    if (walk->steps[branch].instruction.flow != ST_FLOW_BRANCH ||
        !st_walk_find_path(walk, walk->steps[site].next[0], branch, true))
        return false;
    st_journey_step(&on, &walk->steps[site], true, site);
    st_journey_go(walk, &on, site);
    return on.values.flags.from & ST_ANSWER;
}

/* A loop that ends after so many turns, whatever was seen, is no wait. One that never ends may be
 * one: so threads poll. */
static bool ends_by_answer(struct st_code_walk *walk, const struct st_journey *there,
                           uint32_t site) {
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

static bool loops_around(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                         unsigned char arguments) {
    struct st_journey once = *there;
    if (!go_on(walk, &once, site, site))
        return false;
    struct st_journey twice = once;
    return go_on(walk, &twice, site, site) && twice.decided &&
           is_same_place(&once.values, &twice.values, arguments) &&
           ends_by_answer(walk, &once, site);
}

/* clang passes what a compare-and-swap expects, others a pointer to it. */
static bool expects_answer(const struct st_code_walk *walk, struct st_journey *back,
                           uint32_t site) {
    struct st_value expected =
        walk->steps[site].swaps ? st_values_there(&back->values) : back->values.registers[ST_RSI];
    return expected.from & ST_ANSWER;
}

/* Can it come back to the site by this way out of a branch, expecting what it has found? */
static bool learns_by(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                      uint32_t branch, unsigned way) {
    struct st_journey back = *there;
    uint32_t next = walk->steps[branch].next[way];
    if (next == ST_NOWHERE || !go_on(walk, &back, site, branch) ||
        !st_walk_find_path(walk, next, site, true))
        return false;
    st_journey_go(walk, &back, site);
    return expects_answer(walk, &back, site);
}

/* Does it wait for one value, whatever it finds? */
static bool is_fixed(struct st_code_walk *walk, const struct st_journey *there, uint32_t site) {
    struct st_journey once = *there;
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
static bool is_like(const struct st_code_walk *walk, const struct st_code_step *a,
                    const struct st_code_step *b) {
    struct st_callee first = st_code_callee(walk->object, &a->instruction);
    struct st_callee second = st_code_callee(walk->object, &b->instruction);
    if (first.name && second.name)
        return strcmp(first.name, second.name) == 0;
    return first.address && first.address == second.address;
}

/* Compilers like to test before a loop, and again at the end of each turn. So the first look is one
 * of its own, from which a quiet way leads to one in the loop. */
static bool leads_to_loop(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                          unsigned char arguments) {
    for (uint32_t i = 0; i < walk->count; i++) {
        struct st_journey on = *there;
        if (i == site || !walk->steps[i].calls || walk->steps[i].effect == ST_SOME_EFFECT ||
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
    bool callback = st_begins_with(name, "__tsan_atomic");
    bool member =
        st_begins_with(name, "_ZNSt") && strstr(name, "atomic"); /* no const one: _ZNKSt */
    if ((!callback && !member) || strstr(name, "load") || strstr(name, "fence"))
        return ST_SPIN_GOES_ON;
    for (const char *const *other = stores; *other; other++)
        if (strstr(name, *other))
            return ST_SPIN_STORES;
    return ST_SPIN_CHANGES;
}

/* Is what the call answers what the next branch depends on? */
static bool is_checked(const struct st_code_walk *walk, const struct st_journey *there,
                       uint32_t site) {
    enum { MOST_BEFORE_BRANCH = 64 };
    struct st_journey on = *there;
    st_journey_step(&on, &walk->steps[site], true, site);
    uint32_t at = walk->steps[site].next[0];
    for (int i = 0; i < MOST_BEFORE_BRANCH && at != ST_NOWHERE && !walk->steps[at].returns; i++) {
        st_journey_step(&on, &walk->steps[at], false, at);
        if (walk->steps[at].instruction.flow == ST_FLOW_BRANCH)
            return on.decided;
        at = walk->steps[at].next[0];
    }
    return on.values.registers[ST_RAX].from & ST_ANSWER;
}

static enum st_spin_next next_of(struct st_code_walk *walk, const struct st_journey *there,
                                 uint32_t site, unsigned char arguments) {
    enum st_spin_next next = ST_SPIN_GOES_ON;
    if (arguments != ST_FIRST_ARGUMENT)
        return next;
    for (uint32_t i = 0; i < walk->count; i++) {
        struct st_journey on = *there;
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

/* Does the function come quietly from the look to a compare-and-swap of the word, which does not
 * expect what was seen, and which decides what comes next? */
static bool asks_first(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                       unsigned char arguments) {
    if (arguments != ST_FIRST_ARGUMENT)
        return false;
    for (uint32_t i = 0; i < walk->count; i++) {
        struct st_journey on = *there;
        const char *name = walk->steps[i].calls
                               ? st_code_callee(walk->object, &walk->steps[i].instruction).name
                               : NULL;
        if (name && strstr(name, "compare_exchange") && change_by(name) == ST_SPIN_CHANGES &&
            go_on(walk, &on, site, i) && is_same_place(&there->values, &on.values, arguments) &&
            !expects_answer(walk, &on, i) && is_checked(walk, &on, i))
            return true;
    }
    return false;
}

/* Wherever it goes from the look, is all that depends on the answer whether it is the thread's
 * own? */
static unsigned asks_for(struct st_code_walk *walk, const struct st_journey *there, uint32_t site) {
    enum { MOST = 512 }; /* steps: the question is asked of each of them */
    const unsigned self = ST_IS_SELF | ST_IS_OWN;
    uint32_t behind = walk->steps[site].next[0];
    unsigned found = 0;
    for (uint32_t i = 0; i < walk->count && walk->count <= MOST && behind != ST_NOWHERE; i++) {
        const struct st_code_step *step = &walk->steps[i];
        struct st_journey on = *there;
        bool branches = step->instruction.flow == ST_FLOW_BRANCH;
        if ((!branches && !step->returns) || !st_walk_find_path(walk, behind, i, false))
            continue;
        st_journey_step(&on, &walk->steps[site], true, site);
        st_journey_go(walk, &on, site);
        unsigned from = branches ? on.values.flags.from : on.values.registers[ST_RAX].from;
        bool orders = branches && (step->instruction.opcode & 0xe) != 4;
        if (from & ST_ANSWER && (!(from & self) || orders))
            return 0;
        found |= from & self;
    }
    return found;
}

static bool is_known(const struct st_values *values) {
    return !(values->registers[ST_RDI].from & ST_UNKNOWN);
}

static bool takes_there(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                        unsigned char arguments) {
    if (arguments != ST_FIRST_ARGUMENT || !is_known(&there->values) ||
        !is_checked(walk, there, site))
        return false;
    for (uint32_t i = 0; i < walk->count; i++) {
        struct st_journey look = {.bad = ST_NOWHERE};
        if (i == site || !walk->steps[i].calls || walk->steps[i].effect != ST_NO_EFFECT ||
            !st_walk_find_path(walk, 0, i, false))
            continue;
        st_values_start(&look.values);
        st_journey_go(walk, &look, i);
        look.bad = ST_NOWHERE;
        if (is_known(&look.values) && is_same_place(&there->values, &look.values, arguments) &&
            loops_around(walk, &look, i, arguments))
            return true;
    }
    return false;
}

/* It returns what it has seen, or tries to take what it has seen to be free. A function that does
 * anything else with it has checked something and then acted: both are one step. */
static bool passes_through(struct st_code_walk *walk, const struct st_journey *there, uint32_t site,
                           unsigned char arguments) {
    struct st_journey on = *there;
    if (there->bad != ST_NOWHERE ||
        !(st_walk_is_quiet_from(walk, site) ||
          next_of(walk, there, site, arguments) > ST_SPIN_STORES) ||
        !go_on(walk, &on, site, ST_NOWHERE))
        return false;
    return on.decided || on.values.registers[ST_RAX].from & ST_ANSWER;
}

static unsigned arguments_of(const struct st_values *values, unsigned char which) {
    unsigned from = 0;
    for (unsigned i = 0; ST_FIRST_ARGUMENT << i & ST_ARGUMENTS; i++)
        if (which & ST_FIRST_ARGUMENT << i)
            from |= values->registers[st_argument_register(i)].from;
    return from;
}

static struct st_spin ask_function(struct st_code_walk *walk, uint64_t after,
                                   unsigned char arguments) {
    struct st_spin spin = {0};
    struct st_journey there = {.bad = ST_NOWHERE};
    uint32_t site = find_site(walk, after);
    if (site == ST_NOWHERE)
        return spin;
    bool quietly = st_walk_find_path(walk, 0, site, true);
    if (!quietly && !st_walk_find_path(walk, 0, site, false))
        return spin;
    st_values_start(&there.values);
    st_journey_go(walk, &there, site);
    uint32_t bad = there.bad;
    there.bad = ST_NOWHERE;
    spin.loops =
        loops_around(walk, &there, site, arguments) || leads_to_loop(walk, &there, site, arguments);
    if (spin.loops)
        spin.next = next_of(walk, &there, site, arguments);
    else
        spin.asks_first = asks_first(walk, &there, site, arguments);
    unsigned asks = spin.loops ? 0 : asks_for(walk, &there, site);
    spin.asks_for_self = asks != 0;
    spin.by_own = asks & ST_IS_OWN;
    spin.fixed = spin.loops && is_fixed(walk, &there, site);
    spin.takes = takes_there(walk, &there, site, arguments);
    there.bad = bad;
    unsigned from = arguments_of(&there.values, arguments) & ~(unsigned)ST_SELF;
    spin.passes =
        quietly && !(from & ~ST_ARGUMENTS) && passes_through(walk, &there, site, arguments);
    spin.arguments = from & ST_ARGUMENTS;
    return spin;
}

struct st_spin st_spin_in(struct st_object *object, uint64_t after, unsigned char arguments) {
    struct st_code_walk walk;
    struct st_spin spin = {0};
    unsigned work = 0;
    if (st_walk_read(&walk, object, after - 1, after, 0, &work))
        spin = ask_function(&walk, after, arguments);
    st_walk_free(&walk);
    return spin;
}
