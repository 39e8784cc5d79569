/* A graph with a node for each instruction that can be reached. Its strongly connected components
 * are the loops that are in no other loop. */
#include "symbol/code/code_flow.h"

#include "base/map64.h"
#include "base/memory.h"
#include "symbol/code/code_bytes.h"
#include "symbol/frames.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 1 << 14,  /* of a function that is followed */
    MOST_COPIES = 1 << 8,  /* calls that come from a place in the source which others come from */
    MOST_ANSWERS = 1 << 12 /* about pairs of calls */
};

/* What an instruction is for whoever listens. */
enum role {
    PLAIN,
    READS,  /* a callback for a plain access */
    WRITES, /* the same */
    QUIET,  /* any other call that can go unheard */
    MARKED, /* a call of a function with instrumentation: heard of, or known to be skipped */
    LOUD
};

#define NOWHERE UINT32_MAX

struct node {
    uint64_t address;
    uint32_t next[2]; /* or NOWHERE */
    uint32_t loop;    /* or ST_NO_LOOP */
    unsigned char length, role;
    uint64_t callee; /* a number for what it calls */
};

struct loop {
    uint32_t first;  /* the node at which all turns begin */
    bool is_unknown; /* what is one turn cannot be seen */
};

struct st_code_flow {
    struct st_object *object;
    uint64_t low, high, bias; /* [low, high) is the function */
    struct node *nodes;       /* the first one is where it begins */
    size_t count, capacity;
    struct st_map64 numbers; /* of nodes, by address */
    struct st_map64 calls;   /* by return address ... */
    uint32_t *call_nodes;    /* ... the node that calls */
    size_t call_capacity;
    struct loop *loops;
    size_t loop_count, loop_capacity;
    struct st_map64 answers; /* by two nodes ... */
    bool *same;              /* ... whether they are in the same turn */
    size_t same_capacity;
    bool lost;       /* it cannot be followed */
    unsigned others; /* calls of other functions than callbacks, that can return; and writes */
};

void st_code_flow_free(struct st_code_flow *flow) {
    if (!flow)
        return;
    st_map64_free(&flow->numbers);
    st_map64_free(&flow->calls);
    st_map64_free(&flow->answers);
    free(flow->call_nodes);
    free(flow->nodes);
    free(flow->loops);
    free(flow->same);
    free(flow);
}

/* ---- what is called ---- */

static bool is_among(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* These always emit an event. */
static bool is_loud(const char *name) {
    static const char *const list[] = {"pthread_mutex_lock",
                                       "pthread_mutex_unlock",
                                       "pthread_rwlock_rdlock",
                                       "pthread_rwlock_wrlock",
                                       "pthread_rwlock_unlock",
                                       "pthread_spin_lock",
                                       "pthread_spin_unlock",
                                       "pthread_cond_wait",
                                       "pthread_barrier_wait",
                                       "pthread_create",
                                       "pthread_join",
                                       "sem_wait",
                                       "sem_post",
                                       "mtx_lock",
                                       "mtx_unlock",
                                       "cnd_wait",
                                       "thrd_create",
                                       "thrd_join",
                                       NULL};
    return is_among(name, list);
}

bool st_code_never_returns(const char *name) {
    static const char *const list[] = {"__assert_fail",
                                       "abort",
                                       "exit",
                                       "_exit",
                                       "_Exit",
                                       "quick_exit",
                                       "pthread_exit",
                                       "thrd_exit",
                                       "__cxa_throw",
                                       "__cxa_rethrow",
                                       "__stack_chk_fail",
                                       "longjmp",
                                       "_longjmp",
                                       "siglongjmp",
                                       "__longjmp_chk",
                                       "_Unwind_Resume",
                                       "_ZSt9terminatev",
                                       "__fortify_fail",
                                       "__chk_fail",
                                       "err",
                                       "errx",
                                       "verr",
                                       "verrx",
                                       NULL};
    return is_among(name, list);
}

/* After these the function can go on somewhere else. */
static bool returns_elsewhere(const char *name) {
    static const char *const list[] = {"__cxa_begin_catch", "setjmp",      "_setjmp",
                                       "sigsetjmp",         "__sigsetjmp", "getcontext",
                                       "swapcontext",       "vfork",       NULL};
    return is_among(name, list);
}

/* Does the function report that it was entered, before it does anything else? */
static bool is_instrumented(struct st_object *object, uint64_t address) {
    struct st_instruction instruction;
    size_t left;
    const unsigned char *bytes;
    while ((bytes = st_code_bytes(object, address, &left)) &&
           st_instruction_read(bytes, left, address, &instruction)) {
        address += instruction.length;
        if (instruction.flow == ST_FLOW_NEXT)
            continue;
        const char *name = st_code_callee(object, &instruction).name;
        return name && strcmp(name, "__tsan_func_entry") == 0 &&
               (instruction.flow == ST_FLOW_CALL || instruction.flow == ST_FLOW_CALL_SLOT);
    }
    return false;
}

static enum role role_of(struct st_object *object, const struct st_callee *callee) {
    if (!callee->name)
        return callee->address && is_instrumented(object, callee->address) ? MARKED : QUIET;
    if (st_begins_with(callee->name, "__tsan_func_"))
        return PLAIN;
    if (st_begins_with(callee->name, "__tsan_read_write") ||
        st_begins_with(callee->name, "__tsan_unaligned_read_write") ||
        st_begins_with(callee->name, "__tsan_write") ||
        st_begins_with(callee->name, "__tsan_unaligned_write"))
        return WRITES;
    if (st_begins_with(callee->name, "__tsan_read") ||
        st_begins_with(callee->name, "__tsan_unaligned_read"))
        return READS;
    if (is_loud(callee->name))
        return LOUD;
    return callee->address && is_instrumented(object, callee->address) ? MARKED : QUIET;
}

/* ---- reading the code ---- */

static uint32_t number_of(struct st_code_flow *flow, uint64_t address) {
    uint32_t number = st_map64_number(&flow->numbers, address);
    if (number == flow->count) {
        st_reserve(&flow->nodes, &flow->capacity, flow->count + 1);
        flow->nodes[flow->count++] =
            (struct node){.address = address, .next = {NOWHERE, NOWHERE}, .loop = ST_NO_LOOP};
    }
    return number;
}

/* Jumps to other functions leave this one for good; its own cold part is still the function. */
static bool stays_inside(struct st_code_flow *flow, uint64_t target) {
    uint64_t low, high;
    const char *name;
    if (target >= flow->low && target < flow->high)
        return true;
    return st_code_function(flow->object, target, &low, &high, &name) && strstr(name, ".cold");
}

static void read_call(struct st_code_flow *flow, uint32_t number,
                      const struct st_instruction *instruction) {
    struct st_callee callee = st_code_callee(flow->object, instruction);
    struct node *node = &flow->nodes[number];
    uint64_t after = node->address + instruction->length;
    node->role = (unsigned char)role_of(flow->object, &callee);
    node->callee = callee.address;
    for (const char *c = callee.name; c && *c; c++)
        node->callee = 31 * node->callee + (unsigned char)*c;
    uint32_t call = st_map64_number(&flow->calls, after);
    st_reserve(&flow->call_nodes, &flow->call_capacity, (size_t)call + 1);
    flow->call_nodes[call] = number;
    if (callee.name && returns_elsewhere(callee.name))
        flow->lost = true;
    if (callee.name && st_code_never_returns(callee.name))
        return;
    flow->others += node->role == WRITES || !callee.name || !st_begins_with(callee.name, "__tsan_");
    uint32_t next = number_of(flow, after);
    flow->nodes[number].next[0] = next;
}

static void read_node(struct st_code_flow *flow, uint32_t number) {
    struct st_instruction instruction;
    uint64_t address = flow->nodes[number].address;
    size_t left;
    const unsigned char *bytes = st_code_bytes(flow->object, address, &left);
    if (!bytes || !st_instruction_read(bytes, left, address, &instruction)) {
        flow->lost = true;
        return;
    }
    flow->nodes[number].length = (unsigned char)instruction.length;
    uint32_t next;
    switch (instruction.flow) {
    case ST_FLOW_CALL:
    case ST_FLOW_CALL_SLOT:
    case ST_FLOW_CALL_ANYWHERE:
        read_call(flow, number, &instruction);
        break;
    case ST_FLOW_BRANCH:
    case ST_FLOW_NEXT:
        next = number_of(flow, address + instruction.length);
        flow->nodes[number].next[0] = next;
        if (instruction.flow == ST_FLOW_NEXT)
            break;
        /* fall through */
    case ST_FLOW_JUMP:
        if (!stays_inside(flow, instruction.target))
            break;
        next = number_of(flow, instruction.target);
        flow->nodes[number].next[1] = next;
        break;
    case ST_FLOW_JUMP_ANYWHERE:
        flow->lost = true;
        break;
    case ST_FLOW_JUMP_SLOT:
    case ST_FLOW_RETURN:
    case ST_FLOW_STOP:
        break;
    }
}

/* A part of the function that no jump leads to: the handlers of exceptions. */
static void read_handlers(struct st_code_flow *flow, uint64_t low, uint64_t high) {
    struct st_instruction instruction;
    size_t left;
    for (uint64_t at = low; at < high && !flow->lost; at += instruction.length) {
        const unsigned char *bytes = st_code_bytes(flow->object, at, &left);
        if (!bytes || !st_instruction_read(bytes, left, at, &instruction)) {
            flow->lost = true;
            return;
        }
        if (instruction.flow != ST_FLOW_CALL && instruction.flow != ST_FLOW_CALL_SLOT)
            continue;
        const char *name = st_code_callee(flow->object, &instruction).name;
        flow->lost |= name && returns_elsewhere(name);
    }
}

static void read_code(struct st_code_flow *flow, const char *function) {
    uint64_t low, high;
    number_of(flow, flow->low);
    for (uint32_t i = 0; i < flow->count && !flow->lost; i++) {
        read_node(flow, i);
        flow->lost |= flow->count > MOST_NODES;
    }
    read_handlers(flow, flow->low, flow->high);
    if (!flow->lost && st_code_cold_part(flow->object, function, &low, &high))
        read_handlers(flow, low, high);
}

/* ---- loops ---- */

/* Tarjan's algorithm, without recursion. */
struct search {
    struct st_code_flow *flow;
    uint32_t *index, *low, *stack, *path;
    unsigned char *turn; /* which successor of the node is next */
    bool *on_stack;
    uint32_t stacked, deep, seen;
};

static bool is_cycle(const struct st_code_flow *flow, const uint32_t *members, size_t count) {
    const struct node *node = &flow->nodes[members[0]];
    return count > 1 || node->next[0] == members[0] || node->next[1] == members[0];
}

/* Does anything happen in it that an observer could hear of, or wait in? */
static bool is_work(const struct st_code_flow *flow, const uint32_t *members, size_t count) {
    bool reads = false, writes = false;
    for (size_t i = 0; i < count; i++) {
        enum role role = (enum role)flow->nodes[members[i]].role;
        if (role >= QUIET)
            return true;
        reads |= role == READS;
        writes |= role == WRITES;
    }
    return reads && !writes;
}

static void add_loop(struct st_code_flow *flow, const uint32_t *members, size_t count) {
    if (!is_cycle(flow, members, count) || !is_work(flow, members, count))
        return;
    st_reserve(&flow->loops, &flow->loop_capacity, flow->loop_count + 1);
    flow->loops[flow->loop_count] = (struct loop){.first = NOWHERE};
    for (size_t i = 0; i < count; i++)
        flow->nodes[members[i]].loop = (uint32_t)flow->loop_count;
    flow->loop_count++;
}

static void open_node(struct search *s, uint32_t node) {
    s->index[node] = s->low[node] = ++s->seen;
    s->stack[s->stacked++] = s->path[s->deep++] = node;
    s->on_stack[node] = true;
}

static void close_node(struct search *s, uint32_t node) {
    s->deep--;
    if (s->deep && s->low[node] < s->low[s->path[s->deep - 1]])
        s->low[s->path[s->deep - 1]] = s->low[node];
    if (s->low[node] != s->index[node])
        return;
    uint32_t first = s->stacked;
    do
        s->on_stack[s->stack[--first]] = false;
    while (s->stack[first] != node);
    add_loop(s->flow, &s->stack[first], s->stacked - first);
    s->stacked = first;
}

static void search_from(struct search *s, uint32_t start) {
    open_node(s, start);
    while (s->deep) {
        uint32_t node = s->path[s->deep - 1];
        if (s->turn[node] == 2) {
            close_node(s, node);
            continue;
        }
        uint32_t next = s->flow->nodes[node].next[s->turn[node]++];
        if (next == NOWHERE)
            continue;
        if (!s->index[next])
            open_node(s, next);
        else if (s->on_stack[next] && s->index[next] < s->low[node])
            s->low[node] = s->index[next];
    }
}

static void find_loops(struct st_code_flow *flow) {
    struct search s = {.flow = flow};
    s.index = st_alloc(flow->count, sizeof *s.index);
    s.low = st_alloc(flow->count, sizeof *s.low);
    s.stack = st_alloc(flow->count, sizeof *s.stack);
    s.path = st_alloc(flow->count, sizeof *s.path);
    s.turn = st_alloc(flow->count, sizeof *s.turn);
    s.on_stack = st_alloc(flow->count, sizeof *s.on_stack);
    search_from(&s, 0); /* all nodes were reached from there */
    free(s.index);
    free(s.low);
    free(s.stack);
    free(s.path);
    free(s.turn);
    free(s.on_stack);
}

/* Where each loop is entered: in one place, or it has no turns that begin somewhere. */
static void note_entry(struct st_code_flow *flow, uint32_t number) {
    uint32_t in = flow->nodes[number].loop;
    if (in == ST_NO_LOOP)
        return;
    struct loop *loop = &flow->loops[in];
    flow->lost |= loop->first != NOWHERE && loop->first != number;
    loop->first = number;
}

static void find_entries(struct st_code_flow *flow) {
    note_entry(flow, 0);
    for (size_t i = 0; i < flow->count; i++)
        for (int n = 0; n < 2; n++) {
            uint32_t next = flow->nodes[i].next[n];
            if (next != NOWHERE && flow->nodes[next].loop != flow->nodes[i].loop)
                note_entry(flow, next);
        }
}

/* ---- what a compiler wrote several times ---- */

/* A compiler may write several turns of a loop one after the other, and leave a loop around them or
 * none. Then what looks like one turn, or like a function without a loop, is several. It shows in
 * the debug information: two calls of the same function, one of which can follow the other without
 * a turn in between, come from the same place in the source. (Plain accesses do not count: one
 * assignment can make several.) Not if they are in an inner loop, or one of them is: what happens
 * to that one does not matter. */
struct copy {
    uint32_t node;
    uint64_t origin;
};

static int by_origin(const void *left, const void *right) {
    const struct copy *a = left, *b = right;
    if (a->origin != b->origin)
        return a->origin < b->origin ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Marks the nodes that come after `from` without another turn of the loop. */
static void mark_later(const struct st_code_flow *flow, uint32_t loop, uint32_t from, bool *later,
                       uint32_t *todo) {
    uint32_t first = loop == ST_NO_LOOP ? 0 : flow->loops[loop].first;
    size_t count = 0;
    memset(later, 0, flow->count * sizeof *later);
    todo[count++] = from;
    while (count) {
        const struct node *node = &flow->nodes[todo[--count]];
        for (int n = 0; n < 2; n++) {
            uint32_t next = node->next[n];
            if (next == NOWHERE || next == first || later[next] || flow->nodes[next].loop != loop)
                continue;
            later[next] = true;
            todo[count++] = next;
        }
    }
}

/* Those of the calls that share their origin, sorted by it; their number. */
static size_t keep_copies(struct copy *copies, size_t count) {
    size_t kept = 0;
    if (count)
        qsort(copies, count, sizeof *copies, by_origin);
    for (size_t i = 0; i < count; i++) {
        bool before = i && copies[i - 1].origin == copies[i].origin;
        bool after = i + 1 < count && copies[i + 1].origin == copies[i].origin;
        if (before || after)
            copies[kept++] = copies[i];
    }
    return kept;
}

static bool has_copies(const struct st_code_flow *flow, uint32_t loop, struct copy *copies,
                       size_t count) {
    size_t kept = keep_copies(copies, count);
    bool found = kept > MOST_COPIES;
    bool *later = st_alloc(flow->count, sizeof *later), *inner = st_alloc(flow->count, 1);
    uint32_t *todo = st_alloc(flow->count + 1, sizeof *todo);
    for (size_t i = 0; i < kept && !found; i++) {
        mark_later(flow, loop, copies[i].node, later, todo);
        inner[copies[i].node] = later[copies[i].node];
    }
    for (size_t i = 0; i < kept && !found; i++) {
        if (inner[copies[i].node])
            continue;
        mark_later(flow, loop, copies[i].node, later, todo);
        for (size_t j = 0; j < kept; j++)
            found |= copies[j].origin == copies[i].origin && later[copies[j].node] &&
                     !inner[copies[j].node];
    }
    free(later);
    free(inner);
    free(todo);
    return found;
}

/* Calls without an origin are what a compiler made of several. But if none has one, there is no
 * debug information, and nothing is known. */
static bool is_written_once(const struct st_code_flow *flow, uint32_t loop) {
    struct copy *copies = st_alloc(flow->count, sizeof *copies);
    size_t calls = 0, count = 0;
    for (uint32_t i = 0; i < flow->count; i++) {
        const struct node *node = &flow->nodes[i];
        if (node->role < QUIET || node->loop != loop)
            continue;
        uint64_t origin = st_code_origin(flow->object, node->address + node->length - 1u);
        calls++;
        if (origin)
            copies[count++] = (struct copy){i, origin ^ node->callee};
    }
    bool once = (count || !calls) && !has_copies(flow, loop, copies, count);
    free(copies);
    return once;
}

static void find_copies(struct st_code_flow *flow) {
    for (uint32_t loop = 0; loop < flow->loop_count; loop++)
        flow->loops[loop].is_unknown = !is_written_once(flow, loop);
    if (!flow->loop_count)
        flow->lost = !is_written_once(flow, ST_NO_LOOP);
}

struct st_code_flow *st_code_flow_in(struct st_object *object, uint64_t address, uint64_t bias) {
    uint64_t low, high;
    const char *name;
    if (!st_code_function(object, address, &low, &high, &name))
        return NULL;
    struct st_code_flow *flow = st_alloc(1, sizeof *flow);
    *flow = (struct st_code_flow){.object = object, .low = low, .high = high, .bias = bias};
    st_map64_init(&flow->numbers);
    st_map64_init(&flow->calls);
    st_map64_init(&flow->answers);
    read_code(flow, name);
    if (!flow->lost) {
        find_loops(flow);
        find_entries(flow);
    }
    if (!flow->lost)
        find_copies(flow);
    if (!flow->lost)
        return flow;
    st_code_flow_free(flow);
    return NULL;
}

/* ---- questions ---- */

bool st_code_flow_hands_on(const struct st_code_flow *flow) {
    return !flow->loop_count && flow->others == 1;
}

unsigned st_code_flow_loops(const struct st_code_flow *flow) {
    return (unsigned)flow->loop_count;
}

static uint32_t call_before(const struct st_code_flow *flow, uint64_t pc) {
    uint32_t call = st_map64_find(&flow->calls, pc - flow->bias);
    return call == ST_MAP64_NONE ? NOWHERE : flow->call_nodes[call];
}

uint32_t st_code_flow_loop(const struct st_code_flow *flow, uint64_t pc) {
    uint32_t node = call_before(flow, pc);
    uint32_t loop = node == NOWHERE ? ST_NO_LOOP : flow->nodes[node].loop;
    return loop == ST_NO_LOOP || flow->loops[loop].is_unknown ? ST_NO_LOOP : loop;
}

uint64_t st_code_flow_next_call(const struct st_code_flow *flow, size_t *position) {
    while (*position < flow->count) {
        const struct node *node = &flow->nodes[(*position)++];
        if (node->role != PLAIN)
            return node->address + node->length + flow->bias;
    }
    return 0;
}

/* A walk from behind one call to another, through nothing loud. A state is a node, and whether a
 * turn of the loop began on the way there. */
struct walk {
    const struct st_code_flow *flow;
    uint32_t loop, first, *todo;
    size_t count;
    bool *been;
};

static void step_to(struct walk *walk, uint32_t node, bool turned) {
    if (node == NOWHERE || walk->flow->nodes[node].loop != walk->loop)
        return;
    uint32_t state = 2 * node + (turned || node == walk->first);
    if (walk->been[state])
        return;
    walk->been[state] = true;
    walk->todo[walk->count++] = state;
}

static bool ask(const struct st_code_flow *flow, uint32_t from, uint32_t to, bool skipped) {
    uint32_t loop = flow->nodes[from].loop;
    struct walk walk = {.flow = flow, .loop = loop, .first = flow->loops[loop].first};
    walk.todo = st_alloc(2 * flow->count, sizeof *walk.todo);
    walk.been = st_alloc(2 * flow->count, sizeof *walk.been);
    step_to(&walk, flow->nodes[from].next[0], false);
    while (walk.count) {
        uint32_t state = walk.todo[--walk.count];
        const struct node *node = &flow->nodes[state / 2];
        if (node->role == LOUD || (node->role == MARKED && !skipped))
            continue; /* it would have been heard */
        step_to(&walk, node->next[0], state % 2);
        step_to(&walk, node->next[1], state % 2);
    }
    bool same = walk.been[2 * to] && !walk.been[2 * to + 1];
    free(walk.todo);
    free(walk.been);
    return same;
}

bool st_code_flow_same_turn(struct st_code_flow *flow, uint64_t from, uint64_t to, bool skipped) {
    uint32_t first = call_before(flow, from), second = call_before(flow, to);
    if (first == NOWHERE || second == NOWHERE || flow->nodes[first].loop == ST_NO_LOOP ||
        flow->nodes[first].loop != flow->nodes[second].loop)
        return false;
    uint64_t key = (uint64_t)first << 32 | second << 1 | skipped;
    uint32_t known = st_map64_find(&flow->answers, key);
    if (known != ST_MAP64_NONE)
        return flow->same[known];
    if (flow->answers.count >= MOST_ANSWERS)
        return false;
    known = st_map64_number(&flow->answers, key);
    st_reserve(&flow->same, &flow->same_capacity, (size_t)known + 1);
    return flow->same[known] = ask(flow, first, second, skipped);
}

/* The first node of the loop, and those that lead back to it. */
uint64_t st_code_flow_turn(const struct st_code_flow *flow, uint32_t loop, size_t index) {
    uint32_t first = flow->loops[loop].first;
    if (index-- == 0)
        return flow->nodes[first].address + flow->bias;
    for (size_t i = 0; i < flow->count; i++) {
        const struct node *node = &flow->nodes[i];
        if (node->loop == loop && (node->next[0] == first || node->next[1] == first) &&
            index-- == 0)
            return node->address + flow->bias;
    }
    return 0;
}
