#include "trace/native/native_lives.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A life begins with an event, which begins 8 at most: the bytes of a word. */
enum { LIVES_OF_EVENT = 8 };

void native_lives_free(struct native_lives *lives) {
    free(lives->runs);
    free(lives->numbers);
    st_bits_free(&lives->ended);
}

static void start_numbers(struct native_lives *lives) {
    if (lives->number_capacity)
        return;
    st_reserve(&lives->numbers, &lives->number_capacity, (size_t)lives->variables + 1);
    for (uint32_t i = 0; i < lives->variables; i++)
        lives->numbers[i] = i;
}

/* Without the last test, a small file could keep us busy for ever. */
static bool is_possible(const struct native_lives *lives, struct st_variable_run run,
                        uint64_t events) {
    return run.count && run.first < lives->variables && run.count <= lives->variables - run.first &&
           lives->ends + run.count <= LIVES_OF_EVENT * events + lives->variables;
}

const char *native_lives_take(struct native_lives *lives, bool reuses, const unsigned char *payload,
                              size_t size, uint64_t events) {
    uint32_t count = size < GONE_HEAD_SIZE ? 0 : get_u32(payload);
    if (!count || size != GONE_HEAD_SIZE + (size_t)count * GONE_RUN_SIZE)
        return "its ends of lives do not fit its size";
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *at = payload + GONE_HEAD_SIZE + (size_t)i * GONE_RUN_SIZE;
        struct st_variable_run run = {get_u32(at), get_u32(at + 4)};
        if (!is_possible(lives, run, events))
            return "a life ends that never began";
        lives->ends += run.count;
        if (reuses) {
            st_reserve(&lives->runs, &lives->run_capacity, lives->run_count + 1);
            lives->runs[lives->run_count++] = run;
            continue;
        }
        start_numbers(lives);
        for (uint32_t n = 0; n < run.count; n++)
            st_bits_add(&lives->ended, run.first + n);
    }
    return NULL;
}

void native_lives_name(struct native_lives *lives, const struct st_names *names, uint32_t count) {
    if (lives->number_capacity) {
        st_reserve(&lives->numbers, &lives->number_capacity, (size_t)lives->variables + count);
        for (uint32_t i = 0; i < count; i++)
            lives->numbers[lives->variables + i] = names->count - count + i;
    }
    lives->variables += count;
}

/* Returns the number of another variable of the same name, or ST_NAMES_FULL. */
static uint32_t name_again(struct native_lives *lives, struct st_names *names, uint32_t number) {
    size_t length = st_name_length(names, number);
    char *name = st_strdup(st_name(names, number));
    uint32_t again = st_names_append(names, name, length);
    free(name);
    lives->renewed_bytes += length + 1;
    return again;
}

static uint32_t pack_again(struct st_packed_names *packed, struct st_names *names,
                           uint32_t number) {
    if (names->count >= ST_NAMES_FULL - 1)
        return ST_NAMES_FULL;
    st_packed_names_repeat(packed, number);
    st_names_skip(names, 1);
    return names->count - 1;
}

/* A new variable of the same name. */
static bool renew(struct native_lives *lives, struct st_names *names,
                  struct st_packed_names *packed, uint32_t number) {
    uint32_t old = lives->numbers[number];
    uint32_t renewed = packed ? pack_again(packed, names, old) : name_again(lives, names, old);
    if (renewed == ST_NAMES_FULL)
        return false;
    lives->numbers[number] = renewed;
    st_bit_clear(lives->ended.words, number);
    return true;
}

bool native_lives_renumber(struct native_lives *lives, struct st_names *names,
                           struct st_packed_names *packed, struct st_event *events, size_t count) {
    if (!lives->number_capacity)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (events[i].op > ST_WRITE)
            continue;
        uint32_t number = events[i].target;
        if (st_bits_has(&lives->ended, number) && !renew(lives, names, packed, number))
            return false;
        events[i].target = lives->numbers[number];
    }
    return true;
}
