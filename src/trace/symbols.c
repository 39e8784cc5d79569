#include "trace/symbols.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void st_contexts_init(struct st_contexts *contexts) {
    *contexts = (struct st_contexts){0};
    st_names_init(&contexts->functions);
    st_names_init(&contexts->lines);
}

void st_contexts_free(struct st_contexts *contexts) {
    st_names_free(&contexts->functions);
    st_names_free(&contexts->lines);
    free(contexts->frames);
    free(contexts->held);
    free(contexts->sites);
}

uint32_t st_contexts_frame(struct st_contexts *contexts, struct st_frame_row row) {
    st_reserve(&contexts->frames, &contexts->frame_capacity, contexts->frame_count + 1);
    contexts->frames[contexts->frame_count++] = row;
    return (uint32_t)contexts->frame_count;
}

uint32_t st_contexts_held(struct st_contexts *contexts, struct st_held_row row) {
    st_reserve(&contexts->held, &contexts->held_capacity, contexts->held_count + 1);
    contexts->held[contexts->held_count++] = row;
    return (uint32_t)contexts->held_count;
}

void st_symbols_init(struct st_symbols *symbols) {
    st_names_init(&symbols->threads);
    st_names_init(&symbols->variables);
    st_names_init(&symbols->locks);
    st_names_init(&symbols->blocks);
    st_names_init(&symbols->locations);
    st_names_init(&symbols->channels);
    st_names_init(&symbols->shared_locks);
    st_names_init(&symbols->read_locks);
    symbols->channel_facts = (struct st_channels){{0}};
    symbols->noted = symbols->lock_channels = symbols->doubts = 0;
    symbols->doubtful = NULL;
    symbols->doubtful_capacity = 0;
    symbols->given = symbols->started = (struct st_thread_words){NULL, 0, 0};
    st_contexts_init(&symbols->contexts);
    symbols->reuses = symbols->packs = false;
    symbols->rule = ST_RULE_UNKNOWN;
    symbols->late = false;
    symbols->left_out = (struct st_silent_calls){NULL, 0};
    symbols->elsewhere = (struct st_names_elsewhere){NULL, NULL, NULL};
}

static void free_words(struct st_thread_words *words) {
    for (size_t i = 0; i < words->capacity; i++)
        free(words->list[i]);
    free(words->list);
}

void st_symbols_free(struct st_symbols *symbols) {
    st_names_free(&symbols->threads);
    st_names_free(&symbols->variables);
    if (symbols->elsewhere.free)
        symbols->elsewhere.free(symbols->elsewhere.store);
    st_names_free(&symbols->locks);
    st_names_free(&symbols->blocks);
    st_names_free(&symbols->locations);
    st_names_free(&symbols->channels);
    st_names_free(&symbols->shared_locks);
    st_names_free(&symbols->read_locks);
    st_channels_free(&symbols->channel_facts);
    st_contexts_free(&symbols->contexts);
    free(symbols->doubtful);
    free(symbols->left_out.list);
    free_words(&symbols->given);
    free_words(&symbols->started);
}

void st_silent_calls_add(struct st_silent_calls *calls, uint32_t block, uint64_t times) {
    st_reserve(&calls->list, &calls->capacity, (size_t)block + 1);
    calls->list[block] += times;
}

/* ---- threads ---- */

void st_thread_words_set(struct st_thread_words *words, uint32_t thread, const char *word) {
    st_reserve(&words->list, &words->capacity, (size_t)thread + 1);
    free(words->list[thread]);
    words->list[thread] = *word ? st_strdup(word) : NULL;
    words->changes++;
}

/* Is the name that of one thread only, be it one that the program has not named? */
static bool is_unique(const struct st_symbols *symbols, uint32_t thread, const char *name) {
    for (uint32_t i = 0; i < symbols->threads.count; i++) {
        const char *other = st_thread_word(&symbols->given, i);
        if (i != thread && other && strcmp(other, name) == 0)
            return false;
        if (strcmp(st_name(&symbols->threads, i), name) == 0)
            return false;
    }
    return true;
}

void st_symbols_thread_name(const struct st_symbols *symbols, uint32_t thread, char *buffer,
                            size_t size) {
    const char *usual = st_name(&symbols->threads, thread);
    const char *name = st_thread_word(&symbols->given, thread);
    const char *function = st_thread_word(&symbols->started, thread);
    if (!name && function)
        snprintf(buffer, size, "%s (%s)", usual, function);
    else if (!name)
        snprintf(buffer, size, "%s", usual);
    else if (is_unique(symbols, thread, name))
        snprintf(buffer, size, "%s", name);
    else
        snprintf(buffer, size, "%s (%s)", name, usual);
}

/* ---- locks ---- */

void st_symbols_doubt(struct st_symbols *symbols, uint32_t lock, bool doubtful) {
    st_reserve(&symbols->doubtful, &symbols->doubtful_capacity, (size_t)lock + 1);
    if (symbols->doubtful[lock] == doubtful)
        return;
    symbols->doubtful[lock] = doubtful;
    symbols->doubts += doubtful ? 1 : UINT32_MAX;
}

const char *st_lock_of_channel(const struct st_symbols *symbols, const struct st_event *event) {
    if (event->written != ST_SEND && event->written != ST_RECEIVE)
        return NULL;
    struct st_channel channel = st_channel(&symbols->channel_facts, event->target);
    return st_is_lock_kind(channel.kind) ? st_name(&symbols->shared_locks, channel.lock) : NULL;
}

const char *st_held_name(const struct st_symbols *symbols, uint32_t lock) {
    uint32_t number = lock & ~(ST_HELD_SHARED | ST_HELD_READ);
    if (!(lock & ST_HELD_SHARED))
        return st_name(&symbols->locks, lock);
    return st_name(lock & ST_HELD_READ ? &symbols->read_locks : &symbols->shared_locks, number);
}

static void add_read_locks(struct st_symbols *symbols) {
    static const char suffix[] = ST_HELD_FOR_READING;
    for (uint32_t i = symbols->read_locks.count; i < symbols->shared_locks.count; i++) {
        size_t length = st_name_length(&symbols->shared_locks, i);
        char *name = st_alloc(length + sizeof suffix, 1);
        memcpy(name, st_name(&symbols->shared_locks, i), length);
        memcpy(name + length, suffix, sizeof suffix);
        st_names_append(&symbols->read_locks, name, length + sizeof suffix - 1);
        free(name);
    }
}

static bool ends_with(const char *name, size_t length, const char *end) {
    size_t size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
}

void st_symbols_note_channels(struct st_symbols *symbols) {
    const struct st_names *names = &symbols->channels;
    for (; symbols->noted < names->count; symbols->noted++) {
        const char *name = st_name(names, symbols->noted);
        struct st_channel channel = {0};
        size_t length;
        channel.kind = st_channel_kind(name, st_name_length(names, symbols->noted), &length);
        if (length) {
            channel.lock = st_names_add(&symbols->shared_locks, name, length);
            symbols->lock_channels += channel.kind != ST_SIGNAL_SIDE;
            channel.several = ends_with(name, length, ST_SEVERAL_HOLD);
        }
        st_channels_set(&symbols->channel_facts, symbols->noted, channel);
    }
    add_read_locks(symbols);
}

struct st_names *st_symbols_of(struct st_symbols *symbols, enum st_op op) {
    switch (op) {
    case ST_READ:
    case ST_WRITE:
        return &symbols->variables;
    case ST_ACQUIRE:
    case ST_RELEASE:
        return &symbols->locks;
    case ST_FORK:
    case ST_JOIN:
        return &symbols->threads;
    case ST_SEND:
    case ST_RECEIVE:
        return &symbols->channels;
    default:
        return &symbols->blocks;
    }
}

const struct st_names *st_symbols_of_const(const struct st_symbols *symbols, enum st_op op) {
    return st_symbols_of((struct st_symbols *)symbols, op);
}

const char *st_target_name(const struct st_symbols *symbols, enum st_op op, uint32_t target) {
    if (target == ST_NO_NAME)
        return "";
    const struct st_names *names = st_symbols_of_const(symbols, op);
    if (target < names->first)
        return symbols->elsewhere.find(symbols->elsewhere.store, target);
    return st_name(names, target);
}

/* Only the way that printing gives back counts as a number: no sign, no leading zero. */
static bool parse_number(const char *text, size_t length, uint64_t *number) {
    if (length == 0 || length > 15 || (text[0] == '0' && length > 1))
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return value < ST_LOC_NUMBER_LIMIT;
}

/* Up to 8 digits at once: how many there are differs from line to line, and a loop over them costs
 * a branch miss on most. Digits are paired, then pairs of pairs, each step one multiplication. */
static bool parse_short_number(const char *text, size_t length, uint64_t *number) {
    uint64_t digits;
    memcpy(&digits, text, sizeof digits);
    digits <<= 64 - 8 * length;
    if (length < 8)
        digits |= UINT64_C(0x3030303030303030) >> 8 * length; /* zeros in front */
    /* A digit is a byte from 0x30 to 0x39: both it and it plus 6 have 3 as their high half. */
    const uint64_t high_halves = UINT64_C(0xf0f0f0f0f0f0f0f0);
    const uint64_t threes = UINT64_C(0x3030303030303030);
    uint64_t plus_six = digits + UINT64_C(0x0606060606060606);
    if ((digits & high_halves) != threes || (plus_six & high_halves) != threes ||
        (*text == '0' && length > 1))
        return false;
    digits = (digits & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 256 + 1) >> 8;
    digits = (digits & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
    *number = (digits & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) * 4294967296 + 1) >> 32;
    return true;
}

uint64_t st_location_add_padded(struct st_symbols *symbols, const char *text, size_t length) {
    uint64_t number;
    if (length - 1 < 8 && parse_short_number(text, length, &number))
        return number;
    return st_location_add(symbols, text, length);
}

uint64_t st_location_add(struct st_symbols *symbols, const char *text, size_t length) {
    uint64_t number;
    if (parse_number(text, length, &number))
        return number;
    uint32_t name = st_names_add(&symbols->locations, text, length);
    return name == ST_NAMES_FULL ? UINT64_MAX : ST_LOC_NAME | name;
}

uint32_t st_symbols_site(struct st_symbols *symbols, struct st_site_row row) {
    struct st_contexts *contexts = &symbols->contexts;
    uint32_t number = st_names_append(&symbols->locations, st_name(&contexts->lines, row.line),
                                      st_name_length(&contexts->lines, row.line));
    if (number == ST_NAMES_FULL)
        return UINT32_MAX;
    st_reserve(&contexts->sites, &contexts->site_capacity, contexts->site_count + 1);
    contexts->sites[contexts->site_count++] = row;
    return number;
}

const char *st_location_text(const struct st_symbols *symbols, uint64_t loc,
                             char buffer[ST_LOCATION_SIZE]) {
    if (loc & ST_LOC_NAME)
        return st_name(&symbols->locations, (uint32_t)(loc & ~ST_LOC_NAME));
    snprintf(buffer, ST_LOCATION_SIZE, "%" PRIu64, loc);
    return buffer;
}

static bool starts_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

bool st_block_is_start(const char *name, const char **function, size_t *length) {
    bool turn = starts_with(name, ST_TURN_OF), whole = starts_with(name, ST_START_OF);
    *function = name + (turn ? strlen(ST_TURN_OF) : whole ? strlen(ST_START_OF) : 0);
    *length = strlen(*function);
    if (turn)
        for (const char *comma = *function; (comma = strstr(comma, ", ")); comma++)
            *length = (size_t)(comma - *function); /* the last one: the line is behind it */
    return turn || whole;
}
