#include "session/race_list.h"

#include "base/memory.h"
#include "report/story/story.h"
#include "report/text/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many pairs are told. More are kept, since those that differ only in what called them look the
 * same. */
enum { TOLD = 10, KEPT = 32 };

static bool is_new(struct race_list *list, uint32_t variable) {
    st_reserve(&list->racing, &list->racing_capacity, (size_t)variable / 8 + 1);
    unsigned char *byte = &list->racing[variable / 8], bit = (unsigned char)(1 << variable % 8);
    bool was = *byte & bit;
    *byte |= bit;
    return !was;
}

static bool same_places(const struct race_pair *pair, const struct st_place *from,
                        const struct st_place *to) {
    return pair->to.event.target == to->event.target && pair->from.event.loc == from->event.loc &&
           pair->to.event.loc == to->event.loc;
}

static void note(void *context, const struct st_place *from, const struct st_place *to) {
    struct race_list *list = context;
    list->accesses++;
    list->variables += is_new(list, to->event.target);
    for (size_t i = 0; i < list->pair_count; i++) {
        if (same_places(&list->pairs[i], from, to)) {
            list->pairs[i].count++;
            return;
        }
    }
    if (list->pair_count == KEPT)
        return;
    st_reserve(&list->pairs, &list->pair_capacity, list->pair_count + 1);
    list->pairs[list->pair_count++] = (struct race_pair){*from, *to, 1};
}

void race_list_init(struct race_list *list) {
    *list = (struct race_list){.races = st_races_new(note, list)};
}

void race_list_free(struct race_list *list) {
    st_races_free(list->races);
    free(list->racing);
    free(list->pairs);
}

void race_list_feed(struct race_list *list, const struct st_event *events, size_t count,
                    uint64_t first) {
    st_races_feed(list->races, events, count, first);
}

/* ---- what is told ---- */

static bool same_location(const struct st_symbols *symbols, uint64_t one, uint64_t other) {
    char first[ST_LOCATION_SIZE], second[ST_LOCATION_SIZE];
    return one == other || strcmp(st_location_text(symbols, one, first),
                                  st_location_text(symbols, other, second)) == 0;
}

static bool look_same(const struct st_symbols *symbols, const struct race_pair *one,
                      const struct race_pair *other) {
    return one->from.event.op == other->from.event.op && one->to.event.op == other->to.event.op &&
           one->to.event.target == other->to.event.target &&
           same_location(symbols, one->from.event.loc, other->from.event.loc) &&
           same_location(symbols, one->to.event.loc, other->to.event.loc);
}

/* Makes pairs that look the same one pair, and leaves those that are told. */
static void choose(struct race_list *list, const struct st_symbols *symbols) {
    size_t kept = 0;
    for (size_t i = 0; i < list->pair_count; i++) {
        size_t k = 0;
        while (k < kept && !look_same(symbols, &list->pairs[k], &list->pairs[i]))
            k++;
        if (k < kept)
            list->pairs[k].count += list->pairs[i].count;
        else
            list->pairs[kept++] = list->pairs[i];
    }
    list->pair_count = kept < TOLD ? kept : TOLD;
}

static void put_access(const struct st_text *text, const struct st_place *place) {
    char buffer[ST_LOCATION_SIZE];
    bool located = *st_location_text(text->symbols, place->event.loc, buffer);
    fputs(located ? " " : "", text->file);
    st_put_location(text, place->event.loc);
    fprintf(text->file, " (event %" PRIu64 ")", place->number);
}

static void put_pair(const struct st_text *text, const struct race_pair *pair) {
    fputs("  ", text->file);
    st_put_thread(text, pair->from.event.thread);
    fputc(' ', text->file);
    char *action = st_action_text(text->symbols, &pair->from.event, false);
    st_put_name(text, action);
    free(action);
    put_access(text, &pair->from);
    fputs(", ", text->file);
    st_put_thread(text, pair->to.event.thread);
    fputs(pair->to.event.op == ST_READ ? " read it" : " wrote it", text->file);
    put_access(text, &pair->to);
    if (pair->count > 1)
        fprintf(text->file, " and %" PRIu64 " more like it", pair->count - 1);
    fputc('\n', text->file);
}

void race_list_write_text(struct race_list *list, const struct st_symbols *symbols, FILE *file) {
    struct st_text text = {.file = file, .symbols = symbols};
    uint64_t told = 0;
    fprintf(file, "%-24s ", "data races");
    if (st_races_gave_up(list->races)) {
        fputs("not known: " ST_OUT_OF_TIME "\n", file);
        return;
    }
    if (!list->accesses) {
        fputs("none\n", file);
        return;
    }
    fprintf(file, "%" PRIu64 " access%s to ", list->accesses, list->accesses == 1 ? "" : "es");
    st_put_count(&text, list->variables, "variable");
    fputc('\n', file);
    choose(list, symbols);
    for (size_t i = 0; i < list->pair_count; i++) {
        put_pair(&text, &list->pairs[i]);
        told += list->pairs[i].count;
    }
    if (told < list->accesses)
        fprintf(file, "  and %" PRIu64 " more\n", list->accesses - told);
}

static void number_field(struct st_json *json, const char *key, uint64_t number) {
    st_json_key(json, key);
    st_json_number(json, number);
}

static void string_field(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_string(json, text);
}

static void write_place(const char *key, const struct st_place *place,
                        const struct st_symbols *symbols, struct st_json *json) {
    char buffer[ST_LOCATION_SIZE];
    char *op = st_op_text(symbols, &place->event);
    st_json_key(json, key);
    st_json_flat_object(json);
    number_field(json, "event", place->number);
    string_field(json, "thread", st_name(&symbols->threads, place->event.thread));
    string_field(json, "op", op);
    string_field(json, "loc", st_location_text(symbols, place->event.loc, buffer));
    st_json_object_end(json);
    free(op);
}

void race_list_write_json(struct race_list *list, const struct st_symbols *symbols,
                          struct st_json *json) {
    if (st_races_gave_up(list->races)) {
        st_json_null(json);
        return;
    }
    choose(list, symbols);
    st_json_object(json);
    number_field(json, "accesses", list->accesses);
    number_field(json, "variables", list->variables);
    st_json_key(json, "pairs");
    st_json_array(json);
    for (size_t i = 0; i < list->pair_count; i++) {
        const struct race_pair *pair = &list->pairs[i];
        st_json_flat_object(json);
        string_field(json, "variable", st_target_name(symbols, ST_READ, pair->to.event.target));
        number_field(json, "count", pair->count);
        write_place("from", &pair->from, symbols, json);
        write_place("to", &pair->to, symbols, json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
    st_json_object_end(json);
}
