/* The functions that threads start with, as blocks.
 *
 * What a thread does from its start to its end is one step only if it does it once. So the function
 * is a block if it has no loop; if it has, each turn of an outermost loop is one, and what it does
 * outside of them is none. symbol/code/code_flow.h knows the loops, from the machine code. Where
 * that cannot be followed, there is no block, and a report says so if nothing else was checked.
 *
 * In C++ it is often a lambda that does nothing but call another function, which is then what the
 * thread starts with: std::thread([this] { work(); }).
 *
 * main is no such function: until it starts others and after it has joined them it is alone, and in
 * between it is there to manage them. What it does can cut the blocks of others all the same.
 *
 * A turn begins with the first call in the loop that is heard of, and lasts as long as it is
 * certain that the next one was made in the same turn. So a block can be shorter than the turn, if
 * parts of it may belong to another, and never longer: if a part of a turn is cut, the turn is. An
 * access that comes late, because it was deferred, may be given to the turn before its own. That is
 * harmless: all that it depends on came before it, so it can only be where a dependence starts, and
 * what starts behind a turn starts behind the turn before it, too. */
#include "watch/translator_state.h"

#include "base/memory.h"
#include "symbol/code/code_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void st_start_free(struct function *function) {
    st_code_flow_free(function->flow);
    free(function->turn_blocks);
}

/* ---- names ---- */

static uint32_t block_named(struct st_translator *t, const char *name) {
    return st_names_add(&t->symbols.blocks, name, strlen(name));
}

/* The line at which a reader finds the loop: the first one of those where it begins and turns. */
static unsigned line_of(struct st_translator *t, const struct st_code_flow *flow, uint32_t loop,
                        const char *file) {
    unsigned least = 0;
    uint64_t address;
    for (size_t i = 0; (address = st_code_flow_turn(flow, loop, i)); i++) {
        struct st_code code = {0}, outer;
        size_t depth = 0;
        while (st_places_frame(t->places, address + 1, depth, &outer)) {
            code = outer;
            depth++;
        }
        if (depth && code.line && strcmp(code.file, file) == 0 && (!least || code.line < least))
            least = code.line;
    }
    return least;
}

static uint32_t turn_block(struct st_translator *t, const struct function *function, uint64_t pc,
                           uint32_t loop) {
    char name[2 * ST_LONGEST_NAME], file[ST_LONGEST_NAME];
    snprintf(file, sizeof file, "%s", st_places_function(t->places, pc).file);
    unsigned line = function->inlined ? 0 : line_of(t, function->flow, loop, file);
    int length =
        snprintf(name, sizeof name, ST_TURN_OF "%s", st_name(&t->symbols.blocks, function->block));
    if (line && length > 0 && (size_t)length < sizeof name)
        snprintf(name + length, sizeof name - (size_t)length, ", %s:%u", file, line);
    return block_named(t, name);
}

/* Reports call a thread by the function that it starts with. Names in columns should be short. */
enum { LONGEST_WORD = 40 };

/* The last components of a name that fit: "Pool::work". */
static const char *shortened(const char *name) {
    const char *rest = name;
    while (strlen(rest) > LONGEST_WORD && strstr(rest, "::"))
        rest = strstr(rest, "::") + 2;
    return rest;
}

/* "lambda at pool.cc:33", or "lambda in Pool::start" where the line is not known. */
static void name_lambda(struct st_translator *t, const struct function *function, uint64_t pc,
                        const char *owner, char *word, size_t size) {
    struct st_code code = st_places_function(t->places, pc);
    const char *slash = strrchr(code.file, '/'), *file = slash ? slash + 1 : code.file;
    if (code.line && !function->inlined)
        snprintf(word, size, "lambda at %.*s:%u", LONGEST_WORD, file, code.line);
    else
        snprintf(word, size, "lambda in %.*s", LONGEST_WORD, shortened(owner));
}

/* "Pool::work"; of an object that is called, its class. */
static void make_thread_word(struct st_translator *t, const struct function *function, uint64_t pc,
                             char *word, size_t size) {
    char name[ST_LONGEST_NAME], *at;
    snprintf(name, sizeof name, "%s", st_name(&t->symbols.blocks, function->block));
    bool lambda = (at = strstr(name, "::{lambda")) != NULL;
    if (lambda || (at = strstr(name, "::operator()")))
        *at = '\0';
    if (lambda)
        name_lambda(t, function, pc, name, word, size);
    else
        snprintf(word, size, "%.*s", LONGEST_WORD, shortened(name));
}

/* A lambda that hands on is followed by what it calls, which counts then. Threads of a library that
 * work for many are not named after one piece of the work. */
static void name_thread(struct st_translator *t, const struct thread *thread,
                        const struct function *function, uint64_t pc) {
    struct st_thread_words *words = &t->symbols.started;
    char word[LONGEST_WORD + sizeof "lambda at :4294967295"];
    if (thread->pauses)
        return;
    make_thread_word(t, function, pc, word, sizeof word);
    st_thread_words_set(words, thread->number, word);
}

/* ---- which it is ---- */

static bool is_wanted(const struct st_translator *t) {
    const struct st_spec *spec = t->options.spec;
    return !spec || (st_spec_wants_starts(spec) && !st_spec_section_line(spec));
}

static void make_whole(struct st_translator *t, struct function *function, bool hands_on) {
    char name[ST_LONGEST_NAME + sizeof ST_START_OF];
    snprintf(name, sizeof name, ST_START_OF "%s", st_name(&t->symbols.blocks, function->block));
    function->start = hands_on ? HANDS_ON : AS_WHOLE;
    function->start_block = block_named(t, name);
}

/* Does the name of a method say nothing but that it is a task: a lambda, or what interfaces of
 * tasks have? */
static bool is_task(const char *name) {
    static const char *const names[] = {".run", ".call", ".compute", ".exec", ".<clinit>", NULL};
    const char *dot = strrchr(name, '.');
    size_t length = strlen(name);
    for (const char *const *task = names; dot && *task; task++)
        if (strcmp(dot, *task) == 0)
            return true;
    return length && name[length - 1] == '}';
}

/* The agent has seen whether the method has a loop. Where its turns begin is not known. A method
 * with a name of its own that somebody handed to a thread or a pool is a step like those that are
 * called: pool.submit(this::transfer). */
static void look_at_java(struct st_translator *t, struct function *function, uint64_t pc) {
    struct st_java_row row = st_places_java(t->places, pc);
    if (row.kind != ST_JAVA_METHOD || st_java_has_flag(&row, 'l'))
        return;
    if (!is_task(row.name))
        function->start = LIKE_OTHERS;
    else if (is_wanted(t))
        make_whole(t, function, st_java_has_flag(&row, 'h'));
}

static void look_at(struct st_translator *t, struct function *function, uint64_t pc) {
    function->start = NOT_AT_ALL;
    if (function->java) {
        look_at_java(t, function, pc);
        return;
    }
    function->flow = is_wanted(t) ? st_places_flow(t->places, pc) : NULL;
    if (!function->flow)
        return;
    unsigned loops = st_code_flow_loops(function->flow);
    if (!loops) {
        make_whole(t, function, st_code_flow_hands_on(function->flow));
        return;
    }
    function->start = IN_TURNS;
    function->turn_blocks = st_alloc(loops, sizeof *function->turn_blocks);
    for (uint32_t i = 0; i < loops; i++)
        function->turn_blocks[i] = turn_block(t, function, pc, i);
}

/* Only where functions of a library are below it: the program may skip calls of what a thread of C
 * starts with hands on to, so its turns would not be known. */
static bool can_hand_on(const struct thread *thread, const struct function *function) {
    return thread->depth > 0 || function->java;
}

void st_translate_enter_start(struct st_translator *t, struct thread *thread,
                              struct function *function, struct frame frame, uint64_t pc) {
    if (!function->java) /* they all have names */
        name_thread(t, thread, function, pc);
    /* Tasks and parallel regions are parts of a function that the compiler made functions of their
     * own: they are no blocks. */
    if (frame.kind == INFERRED && (thread->pauses || thread->turns.flow)) {
        frame.kind = NO_BLOCK;
    } else if (frame.kind == INFERRED) {
        if (function->start == NOT_LOOKED_AT)
            look_at(t, function, pc);
        bool hands_on = function->start == HANDS_ON && can_hand_on(thread, function);
        thread->started = !hands_on;
        frame.start = function->start == AS_WHOLE || (function->start == HANDS_ON && !hands_on);
        frame.block = frame.start ? function->start_block : frame.block;
        frame.kind = frame.start || function->start == LIKE_OTHERS ? INFERRED : NO_BLOCK;
    }
    bool turns = function->start == IN_TURNS && function->kind == INFERRED && !thread->pauses &&
                 !thread->turns.flow;
    function->was_block |= turns;
    st_translate_open(t, thread, function, frame, pc);
    if (turns)
        thread->turns = (struct turns){
            .flow = function->flow, .blocks = function->turn_blocks, .base = thread->depth};
}

/* ---- what the program should know ---- */

static enum st_stream_start start_of_users(const struct function *function) {
    switch (function->start) {
    case HANDS_ON:
        return ST_START_HANDS_ON;
    case IN_TURNS:
        return ST_START_TURNS;
    case NOT_LOOKED_AT:
        return function->kind == INFERRED ? ST_START_OF_WORK : ST_START_WHOLE;
    default:
        return ST_START_WHOLE;
    }
}

/* What is none now, though it is the user's, may be one with another caller: nobody knows before.
 */
void st_translate_tell_start(struct st_translator *t, struct function *function, uint64_t pc,
                             bool starts) {
    enum st_stream_start kind = function->hidden ? ST_START_LIBRARY
                                : starts         ? start_of_users(function)
                                                 : ST_START_UNKNOWN;
    if (function->java || (function->told && function->told_kind == kind))
        return;
    size_t at = st_stream_start_at(t->head, pc);
    if (at == ST_STREAM_STARTS || (function->told && function->told_kind == ST_START_UNKNOWN))
        return;
    function->told = true;
    function->told_kind = kind;
    atomic_store_explicit(&t->head->starts[at], pc << ST_START_BITS | kind, memory_order_relaxed);
}

/* ---- turns ---- */

void st_translate_end_turn(struct st_translator *t, struct thread *thread) {
    if (thread->turns.open)
        st_translate_pop(t, thread);
    thread->turns.last = 0;
}

void st_translate_turn(struct st_translator *t, struct thread *thread, uint64_t pc) {
    struct turns *turns = &thread->turns;
    bool same = turns->open && turns->last &&
                st_code_flow_same_turn(turns->flow, turns->last, pc, turns->skipped);
    turns->skipped = false;
    if (!same) {
        st_translate_end_turn(t, thread);
        uint32_t loop = st_code_flow_loop(turns->flow, pc);
        if (loop != ST_NO_LOOP) {
            struct frame frame = {.kind = TURN, .start = true, .block = turns->blocks[loop]};
            st_translate_begin_block(t, thread, frame, pc);
            turns->open = true;
        }
    }
    turns->last = pc;
}
