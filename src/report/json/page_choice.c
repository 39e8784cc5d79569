#include "report/json/page_choice.h"

#include "base/memory.h"
#include "base/output.h"

#include <stdlib.h>
#include <string.h>

void st_page_choice_init(struct st_page_choice *choice, size_t count) {
    *choice = (struct st_page_choice){.count = count};
    st_names_init(&choice->keys);
    choice->finding = st_alloc(count + 1, sizeof *choice->finding);
    choice->turn = st_alloc(count + 1, sizeof *choice->turn);
    choice->skipped = st_alloc(count + 1, sizeof *choice->skipped);
    choice->chosen = st_alloc(count + 1, sizeof *choice->chosen);
    for (size_t i = 0; i < count; i++)
        choice->chosen[i] = true;
}

void st_page_choice_free(struct st_page_choice *choice) {
    st_names_free(&choice->keys);
    free(choice->finding);
    free(choice->turn);
    free(choice->skipped);
    free(choice->chosen);
    free(choice->counts);
}

void st_page_choice_rank(struct st_page_choice *choice, const char *key) {
    st_names_add(&choice->keys, key, strlen(key));
}

void st_page_choice_add(struct st_page_choice *choice, size_t item, const char *key, bool first) {
    uint32_t number = st_names_add(&choice->keys, key, strlen(key));
    choice->finding[item] = number;
    if (first || number == ST_NAMES_FULL)
        return; /* its turn is 0 */
    st_reserve(&choice->counts, &choice->space, (size_t)number + 1);
    choice->turn[item] = ++choice->counts[number];
}

/* ---- choosing ---- */

struct rated {
    size_t item, turn;
    uint32_t finding;
};

static int by_importance(const void *a, const void *b) {
    const struct rated *one = a, *other = b;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    if (one->finding != other->finding)
        return one->finding < other->finding ? -1 : 1;
    return one->item < other->item ? -1 : one->item > other->item;
}

static struct rated *rate(const struct st_page_choice *choice) {
    struct rated *rated = st_alloc(choice->count + 1, sizeof *rated);
    for (size_t i = 0; i < choice->count; i++)
        rated[i] = (struct rated){i, choice->turn[i], choice->finding[i]};
    qsort(rated, choice->count, sizeof *rated, by_importance);
    return rated;
}

/* One that is huge gives way to the others; one that has no room behind them ends it. */
static void choose(struct st_page_choice *choice, const struct rated *rated, size_t room,
                   size_t (*measure)(void *context, size_t item), void *context) {
    size_t used = 0;
    bool full = false;
    for (size_t i = 0; i < choice->count; i++) {
        size_t item = rated[i].item, size = 0;
        bool fits = !full && !choice->skipped[item] && rated[i].turn < ST_PAGE_BLOCKS;
        if (fits) {
            size = measure(context, item);
            fits = used + size <= room;
            full = !fits && size <= room / 4;
        }
        choice->chosen[item] = fits;
        used += fits ? size : 0;
    }
}

static void count_left_out(struct st_page_choice *choice) {
    bool *present = st_alloc(choice->keys.count + 1, sizeof *present);
    bool *absent = st_alloc(choice->keys.count + 1, sizeof *absent);
    for (size_t i = 0; i < choice->count; i++) {
        bool *seen = choice->chosen[i] ? present : absent;
        if (choice->skipped[i])
            continue;
        choice->left_out += !choice->chosen[i];
        if (choice->finding[i] != ST_NAMES_FULL)
            seen[choice->finding[i]] = true;
    }
    for (size_t i = 0; i < choice->keys.count; i++)
        choice->lost += absent[i] && !present[i];
    free(present);
    free(absent);
}

struct measuring {
    void (*write)(void *context, size_t item, struct st_json *json);
    void *context;
    FILE *file;
};

static size_t measure(void *context, size_t item) {
    struct measuring *measuring = context;
    struct st_json json;
    rewind(measuring->file);
    st_json_start_in_page(&json, measuring->file, 0);
    measuring->write(measuring->context, item, &json);
    long size = ftell(measuring->file);
    return size < 0 ? SIZE_MAX / 2 : (size_t)size;
}

void st_page_choose(struct st_page_choice *choice, const struct st_json *json,
                    void (*write)(void *context, size_t item, struct st_json *json),
                    void *context) {
    if (!json->in_page)
        return;
    struct st_text_buffer buffer;
    struct measuring measuring = {write, context, st_text_buffer_open(&buffer)};
    struct rated *rated = rate(choice);
    choose(choice, rated, json->room, measure, &measuring);
    count_left_out(choice);
    free(rated);
    free(st_text_buffer_close(&buffer));
}

void st_write_left_out_of_page(const struct st_page_choice *choice, struct st_json *json) {
    if (!json->in_page || (!choice->left_out && !choice->edges))
        return;
    st_json_key(json, "left_out_of_page");
    st_json_flat_object(json);
    st_json_number_field(json, "blocks", choice->left_out);
    st_json_number_field(json, "findings", choice->lost);
    st_json_number_field(json, "dependences", choice->edges);
    st_json_object_end(json);
}
