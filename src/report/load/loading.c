#include "report/load/loading.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/output.h"
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

static const char *const none[] = {NULL};

/* ---- Names ---- */

static uint32_t name_number(struct st_loading *loading, struct st_names *names, const char *text) {
    uint32_t number = st_names_add(names, text, strlen(text));
    if (number == ST_NAMES_FULL) {
        st_fields_reject(&loading->fields, "is one name too many");
        return 0;
    }
    return number;
}

uint32_t st_load_thread(struct st_loading *loading, const char *text) {
    return name_number(loading, &loading->symbols.threads, text);
}

uint32_t st_load_variable(struct st_loading *loading, const char *text) {
    return name_number(loading, &loading->symbols.variables, text);
}

uint32_t st_load_block(struct st_loading *loading, const char *text) {
    if (!*text)
        return ST_NO_NAME;
    struct st_names *blocks = &loading->symbols.blocks;
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s\n%s", loading->program ? loading->program : "", text);
    char *key = st_text_buffer_close(&buffer);
    uint32_t number = name_number(loading, &loading->block_keys, key);
    free(key);
    if (number == blocks->count) {
        st_names_append(blocks, text, strlen(text));
        st_reserve(&loading->block_programs, &loading->block_capacity, (size_t)number + 1);
        loading->block_programs[number] = loading->program;
    }
    return number;
}

/* ---- Locations and what led there ---- */

/* A number as a trace has it, not such as "007", which would come back as another. */
static bool is_plain_number(const char *text, uint64_t *number) {
    size_t length = strlen(text);
    return length && (length == 1 || *text != '0') && st_parse_number(text, length, number) &&
           *number < ST_LOC_NUMBER_LIMIT;
}

static void add_text(const char ***list, size_t *count, size_t *capacity, const char *text) {
    st_reserve(list, capacity, *count + 2);
    (*list)[(*count)++] = text;
}

static const char **read_stack(struct st_fields *fields, const json_t *object) {
    const char **list = NULL;
    size_t count = 0, capacity = 0;
    const json_t *stack = st_field_maybe_array(fields, object, "stack");
    st_reserve(&list, &capacity, 1);
    st_fields_enter(fields, "stack", 0);
    for (size_t i = 0; i < json_array_size(stack); i++) {
        const json_t *frame = st_element_object(fields, stack, i);
        st_fields_enter(fields, NULL, i);
        add_text(&list, &count, &capacity, st_field_text(fields, frame, "function"));
        add_text(&list, &count, &capacity, st_field_text(fields, frame, "loc"));
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    return list;
}

static const char **read_locks(struct st_fields *fields, const json_t *object) {
    const char **list = NULL;
    size_t count = 0, capacity = 0;
    const json_t *locks = st_field_maybe_array(fields, object, "locks");
    st_reserve(&list, &capacity, 1);
    st_fields_enter(fields, "locks", 0);
    for (size_t i = 0; i < json_array_size(locks); i++) {
        const char *name = json_string_value(json_array_get(locks, i));
        st_fields_enter(fields, NULL, i);
        if (!name)
            st_fields_reject(fields, "must be a text");
        st_fields_leave(fields);
        add_text(&list, &count, &capacity, name ? name : "");
    }
    st_fields_leave(fields);
    return list;
}

static void write_list(FILE *file, const char *const *list) {
    for (; *list; list++)
        fprintf(file, "%s\n", *list);
    fputc('\f', file);
}

/* A text that two contexts share only if they are the same. What separates its parts cannot be in
 * them, or it does not matter: contexts that are taken for the same lose a frame of a stack. */
static char *make_key(const char *loc, const struct st_loaded_context *context) {
    char *key = NULL;
    size_t size;
    FILE *file = open_memstream(&key, &size);
    if (!file)
        st_out_of_memory();
    fprintf(file, "%s\n", loc);
    if (context->function) {
        fprintf(file, "%s\f", context->function);
        write_list(file, context->stack);
        write_list(file, context->locks);
        fputs(context->locks_unknown ? "?" : "", file);
    }
    if (fclose(file) != 0)
        st_out_of_memory();
    return key;
}

static void free_context(struct st_loaded_context *context) {
    free(context->stack);
    free(context->locks);
}

/* Takes over the context. */
static uint64_t location_number(struct st_loading *loading, const char *loc,
                                struct st_loaded_context *context) {
    char *key = make_key(loc, context);
    uint32_t number = name_number(loading, &loading->keys, key);
    free(key);
    if (number < loading->symbols.locations.count) {
        free_context(context);
    } else {
        st_names_append(&loading->symbols.locations, loc, strlen(loc));
        st_reserve(&loading->contexts, &loading->context_capacity, (size_t)number + 1);
        loading->contexts[number] = *context;
    }
    return ST_LOC_NAME | number;
}

uint64_t st_load_location(struct st_loading *loading, const char *loc) {
    uint64_t number;
    if (is_plain_number(loc, &number))
        return number;
    return location_number(loading, loc, &(struct st_loaded_context){0});
}

static uint64_t read_location(struct st_loading *loading, const json_t *object) {
    struct st_fields *fields = &loading->fields;
    const char *loc = st_field_text(fields, object, "loc");
    const char *function = st_field_maybe_text(fields, object, "function");
    uint64_t number;
    loading->has_details |= function != NULL;
    if (!function || (!*function && is_plain_number(loc, &number)))
        return st_load_location(loading, loc);
    struct st_loaded_context context = {function, read_stack(fields, object),
                                        read_locks(fields, object),
                                        st_field_maybe_bool(fields, object, "locks_unknown")};
    const char *const *frame = st_user_frame(context.stack);
    if (*frame) { /* it is what reports show, whatever else the file says */
        context.function = frame[0];
        loc = frame[1];
    }
    return location_number(loading, loc, &context);
}

void st_loading_lookup(void *context, uint64_t loc, struct st_detail *detail) {
    const struct st_loading *loading = context;
    *detail = (struct st_detail){"", none, none, false, NULL};
    if (!(loc & ST_LOC_NAME))
        return;
    const struct st_loaded_context *found = &loading->contexts[loc & ~ST_LOC_NAME];
    if (found->function)
        *detail = (struct st_detail){found->function, found->stack, found->locks,
                                     found->locks_unknown, NULL};
}

/* ---- Events and dependences ---- */

/* The operation that the text begins with; ST_OP_COUNT when there is none. */
static enum st_op find_op(const char *text, size_t length) {
    enum st_op op = 0;
    while (op < ST_OP_COUNT &&
           (strlen(st_op_std(op)) != length || memcmp(st_op_std(op), text, length) != 0))
        op++;
    return op;
}

/* "r(x)", "begin" */
static void read_op(struct st_loading *loading, const json_t *object, struct st_event *event) {
    const char *text = st_field_text(&loading->fields, object, "op");
    size_t word = strcspn(text, "("), length = strlen(text);
    enum st_op op = find_op(text, word);
    bool has_target = text[word] && text[length - 1] == ')' && length > word + 2;
    bool may_lack_it = (op == ST_BEGIN || op == ST_END) && !text[word];
    if (op == ST_OP_COUNT || !(has_target || may_lack_it)) {
        st_fields_enter(&loading->fields, "op", 0);
        st_fields_reject(&loading->fields, "must be an operation such as r(x)");
        st_fields_leave(&loading->fields);
        return;
    }
    event->op = event->written = op;
    event->target = ST_NO_NAME;
    if (!has_target)
        return;
    char *target = st_strdup(text + word + 1);
    target[length - word - 2] = '\0';
    event->target = op == ST_BEGIN || op == ST_END
                        ? st_load_block(loading, target)
                        : name_number(loading, st_symbols_of(&loading->symbols, op), target);
    free(target);
}

uint64_t st_load_event_number(struct st_fields *fields, const json_t *object, const char *key) {
    uint64_t number = st_field_number(fields, object, key);
    if (!number) {
        st_fields_enter(fields, key, 0);
        st_fields_reject(fields, "must not be 0");
        st_fields_leave(fields);
    }
    return number;
}

static struct st_place read_event(struct st_loading *loading, const json_t *value) {
    struct st_fields *fields = &loading->fields;
    struct st_place place = {0};
    place.number = st_load_event_number(fields, value, "event");
    place.event.thread = st_load_thread(loading, st_field_text(fields, value, "thread"));
    read_op(loading, value, &place.event);
    if (place.event.written <= ST_WRITE)
        place.event.atomic = st_field_maybe_bool(fields, value, "atomic");
    place.event.loc = read_location(loading, value) & ((ST_LOC_NAME << 1) - 1);
    return place;
}

struct st_place st_load_place(struct st_loading *loading, const json_t *object, const char *key) {
    const json_t *value = st_field_object(&loading->fields, object, key);
    st_fields_enter(&loading->fields, key, 0);
    struct st_place place = read_event(loading, value);
    st_fields_leave(&loading->fields);
    return place;
}

struct st_place *st_load_places(struct st_loading *loading, const json_t *array) {
    size_t count = json_array_size(array);
    struct st_place *places = count ? st_alloc(count, sizeof *places) : NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = st_element_object(&loading->fields, array, i);
        st_fields_enter(&loading->fields, NULL, i);
        places[i] = read_event(loading, value);
        st_fields_leave(&loading->fields);
    }
    return places;
}

static enum st_edge_kind read_kind(struct st_fields *fields, const json_t *object) {
    const char *text = st_field_text(fields, object, "kind");
    for (enum st_edge_kind kind = 0; kind <= ST_EDGE_SYNC; kind++)
        if (strcmp(text, st_edge_kind_name(kind)) == 0)
            return kind;
    st_fields_enter(fields, "kind", 0);
    st_fields_reject(fields, "must be conflict, lock, fork, join or sync");
    st_fields_leave(fields);
    return ST_EDGE_CONFLICT;
}

static enum st_race read_race(struct st_fields *fields, const json_t *object) {
    const json_t *race = json_object_get(object, "race");
    bool found = st_field_maybe_bool(fields, object, "race");
    return found ? ST_RACE_FOUND : race && !json_is_null(race) ? ST_RACE_NONE : ST_RACE_UNKNOWN;
}

struct st_edge st_load_edge(struct st_loading *loading, const json_t *object) {
    struct st_edge edge;
    edge.from = st_load_place(loading, object, "from");
    edge.to = st_load_place(loading, object, "to");
    edge.kind = read_kind(&loading->fields, object);
    edge.race = read_race(&loading->fields, object);
    return edge;
}

struct st_edge *st_load_edges(struct st_loading *loading, const json_t *array) {
    size_t count = json_array_size(array);
    struct st_edge *edges = count ? st_alloc(count, sizeof *edges) : NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *edge = st_element_object(&loading->fields, array, i);
        st_fields_enter(&loading->fields, NULL, i);
        edges[i] = st_load_edge(loading, edge);
        st_fields_leave(&loading->fields);
    }
    return edges;
}

/* ---- All ---- */

void st_loading_init(struct st_loading *loading) {
    *loading = (struct st_loading){0};
    st_symbols_init(&loading->symbols);
    st_names_init(&loading->keys);
    st_names_init(&loading->block_keys);
}

void st_loading_free(struct st_loading *loading) {
    for (size_t i = 0; i < loading->symbols.locations.count; i++)
        free_context(&loading->contexts[i]);
    free(loading->contexts);
    st_symbols_free(&loading->symbols);
    st_names_free(&loading->keys);
    st_names_free(&loading->block_keys);
    free(loading->block_programs);
    st_fields_close(&loading->fields);
}

/* ---- Causes ---- */

struct st_fingerprint st_load_fingerprint(struct st_fields *fields, const json_t *object,
                                          const char *key) {
    const char *text = st_field_text(fields, object, key);
    size_t length = strspn(text, "0123456789abcdef");
    struct st_fingerprint fingerprint = {""};
    if (length == ST_FINGERPRINT_SIZE - 1 && !text[length]) {
        memcpy(fingerprint.text, text, ST_FINGERPRINT_SIZE);
        return fingerprint;
    }
    st_fields_enter(fields, key, 0);
    st_fields_reject(fields, "must be 32 hexadecimal digits");
    st_fields_leave(fields);
    return fingerprint;
}

struct st_block_gap *st_load_gap(struct st_fields *fields, const json_t *object) {
    const json_t *cause = st_field_maybe_object(fields, object, "cause");
    if (!cause)
        return NULL;
    struct st_block_gap *gap = st_alloc(1, sizeof *gap);
    gap->fingerprint = st_load_fingerprint(fields, object, "fingerprint");
    st_fields_enter(fields, "cause", 0);
    gap->by_line = st_load_fingerprint(fields, cause, "by_line");
    gap->function = st_strdup(st_field_text(fields, cause, "function"));
    gap->left = st_strdup(st_field_text(fields, cause, "left"));
    gap->back = st_strdup(st_field_text(fields, cause, "back"));
    gap->times = st_field_maybe_number(fields, cause, "count");
    gap->next_turn = st_field_maybe_bool(fields, cause, "next_turn");
    st_fields_leave(fields);
    return gap;
}
