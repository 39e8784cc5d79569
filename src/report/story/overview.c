/* A finding in a line: what a reader sees before the stories, and why it stands where it does. */
#include "report/story/builder.h"

#include "base/memory.h"
#include "report/predicted_violation.h"
#include "report/triage/finding_groups.h"

#include <stdlib.h>
#include <string.h>

/* ---- What was cut ---- */

static const char *variable_of(const struct st_report *report, const struct st_place *place) {
    if (place->event.written != ST_READ && place->event.written != ST_WRITE)
        return NULL;
    return st_target_name(report->symbols, (enum st_op)place->event.written, place->event.target);
}

/* "balance", "count and sum"; of a block that only locks show to be cut, those. */
static char *make_subject(const struct st_report *report, const struct st_violation *violation) {
    const struct st_place *left = violation->path_length ? &violation->path[0].from : NULL;
    const char *first = left ? variable_of(report, left) : NULL;
    const char *last = variable_of(report, &violation->event);
    if (!first)
        first = last;
    if (!first)
        first = st_target_name(report->symbols, (enum st_op)violation->event.event.written,
                               violation->event.event.target);
    if (!last || strcmp(first, last) == 0)
        return st_strdup(first);
    return st_sentence(report, "%s and %s", first, last);
}

/* ---- How often ---- */

/* Several violations that are not kept may have been the same. */
static char *make_frequency(const struct st_report *report, const struct st_result *result,
                            const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    const struct st_block_row *row = group->row;
    if (violation->observation)
        return st_sentence(report, "in %n run%s", violation->observation->seen_in,
                           violation->observation->seen_in == 1 ? "" : "s");
    const char *least = st_findings_unkept(result->findings, violation->block) ? "at least " : "";
    if (!row || !row->executed || report->stopped)
        return st_sentence(report, "%s%n time%s", least, (uint64_t)group->count,
                           group->count == 1 ? "" : "s");
    if (group->count > row->executed) /* a call that waits has parts, each of which can be cut */
        return st_sentence(report, "%s%n times in %n call%s", least, (uint64_t)group->count,
                           row->executed, row->executed == 1 ? "" : "s");
    return st_sentence(report, "%s%n of %n call%s", least, (uint64_t)group->count, row->executed,
                       row->executed == 1 ? "" : "s");
}

/* ---- Where to look ---- */

/* "bank.c:26 and 28", "bank.c:26", "bank.c:26 and pay.c:7" */
static char *make_place(const struct st_report *report, const struct st_violation *violation) {
    char buffer[ST_LOCATION_SIZE];
    const struct st_block_gap *gap = violation->gap;
    const char *left = gap ? gap->left : "";
    const char *back = gap ? gap->back
                           : st_user_location(report->symbols, report->details,
                                              violation->event.event.loc, buffer);
    if (!*left || !*back || strcmp(left, back) == 0)
        return st_strdup(*back ? back : left);
    const char *line = strrchr(back, ':');
    if (line && strncmp(left, back, (size_t)(line - back) + 1) == 0 &&
        strrchr(left, ':') == left + (line - back))
        return st_sentence(report, "%s and %s", left, line + 1);
    return st_sentence(report, "%s and %s", left, back);
}

/* ---- Why it stands there ---- */

static void put_damage(FILE *file, const struct st_report *report,
                       const struct st_violation_group *group, const char *subject) {
    switch (group->damage) {
    case ST_DAMAGE_VALUE:
        st_put_sentence(file, report, "another thread wrote %s between two accesses to it",
                        subject);
        return;
    case ST_DAMAGE_PAIR:
        st_put_sentence(file, report, "another thread changed one of %s, which it uses together",
                        subject);
        return;
    case ST_DAMAGE_AFTER:
        st_put_sentence(file, report, "another thread wrote %s after it did, and it looked again",
                        subject);
        return;
    case ST_DAMAGE_SEEN:
        st_put_sentence(file, report, "another thread read %s between two writes to it", subject);
        return;
    case ST_DAMAGE_ORDER:
        fputs("no value is known to be wrong, only the order of steps", file);
        return;
    }
}

static void put_design(FILE *file, const struct st_report *report,
                       const struct st_violation_group *group) {
    switch (group->design) {
    case ST_DESIGN_NONE:
        return;
    case ST_DESIGN_CALLS:
        st_put_sentence(file, report,
                        "by design? It was cut between two calls, and %b, which it "
                        "calls, is cut on its own; ",
                        group->callee->block);
        return;
    case ST_DESIGN_LOOP:
        fputs("by design? It was cut between two turns of a loop, each of which may be a step of "
              "its own; ",
              file);
        return;
    case ST_DESIGN_WAIT:
        fputs("by design? Between the two it waited for something outside of the program, such as "
              "input or a connection; ",
              file);
        return;
    }
}

static char *make_reason(const struct st_report *report, const struct st_violation_group *group,
                         const char *subject, const char *frequency) {
    const struct st_observation *seen = group->violation->observation;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_design(file, report, group);
    if (seen && seen->outcome != ST_OUTCOME_SAME)
        st_put_sentence(file, report, "a run with it did harm (%s); ",
                        st_outcome_name(seen->outcome));
    put_damage(file, report, group, subject);
    fputs(group->direct ? "; one thread came in between" : "; several steps led back to it", file);
    st_put_sentence(file, report, "; cut %s", frequency);
    return st_text_buffer_close(&buffer);
}

/* ---- Variants ---- */

static struct st_variant make_variant(const struct st_report *report,
                                      const struct st_violation *violation) {
    char buffer[ST_LOCATION_SIZE];
    struct st_user_line line = {"", ""};
    if (violation->path_length)
        line =
            st_user_line(report->symbols, report->details, violation->path[0].to.event.loc, buffer);
    return (struct st_variant){.function = st_strdup(line.function),
                               .place = st_strdup(line.location),
                               .subject = make_subject(report, violation),
                               .count = 1};
}

static void free_variant(struct st_variant *variant) {
    free(variant->subject);
    free(variant->function);
    free(variant->place);
}

/* Its number among those of the same texts. */
static uint32_t number_of_variant(struct st_names *keys, const struct st_variant *variant) {
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s\n%s\n%s", variant->subject, variant->function,
            variant->place);
    char *key = st_text_buffer_close(&buffer);
    uint32_t number = st_names_add(keys, key, strlen(key));
    free(key);
    return number;
}

/* Those with the same count stay in the order of their first events. */
static void put_frequent_first(struct st_variant *variants, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct st_variant variant = variants[i];
        size_t j = i;
        for (; j && variants[j - 1].count < variant.count; j--)
            variants[j] = variants[j - 1];
        variants[j] = variant;
    }
}

/* Of so many violations we look for variants: enough to see which are frequent. */
enum { MOST_MEMBERS = 1000 };

static void find_variants(const struct st_report *report, const struct st_violation_group *group,
                          struct st_overview *line) {
    size_t count = group->member_count < MOST_MEMBERS ? group->member_count : MOST_MEMBERS;
    struct st_names keys;
    line->variants = st_alloc(count + 1, sizeof *line->variants);
    st_names_init(&keys);
    for (size_t i = 0; i < count; i++) {
        struct st_variant variant = make_variant(report, group->members[i]);
        uint32_t number = number_of_variant(&keys, &variant);
        if (number == line->variant_count) {
            line->variants[line->variant_count++] = variant;
            continue;
        }
        line->variants[number].count++;
        free_variant(&variant);
    }
    st_names_free(&keys);
    put_frequent_first(line->variants, line->variant_count);
    while (line->variant_count > ST_MOST_VARIANTS) {
        free_variant(&line->variants[--line->variant_count]);
        line->more_variants++;
    }
}

struct st_overview st_overview_of(const struct st_report *report, const struct st_result *result,
                                  const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    struct st_text_buffer buffer;
    struct st_overview line = {.rank = group->rank, .by_design = group->design != ST_DESIGN_NONE};
    st_put_subject(st_text_buffer_open(&buffer), report, violation->block);
    line.function = st_text_buffer_close(&buffer);
    line.subject = make_subject(report, violation);
    line.frequency = make_frequency(report, result, group);
    line.place = make_place(report, violation);
    line.why_here = make_reason(report, group, line.subject, line.frequency);
    find_variants(report, group, &line);
    return line;
}

/* "407 of 1027", of all blocks of the name. */
static char *make_share(const struct st_report *report, const struct st_block_row *row) {
    return row ? st_sentence(report, "%n of %n", row->violated, row->executed) : st_strdup("");
}

struct st_overview st_predicted_overview(const struct st_report *report,
                                         const struct st_predicted_group *group) {
    struct st_violation violation = st_predicted_violation(group->block);
    struct st_text_buffer buffer;
    struct st_overview line = {.rank = group->rank};
    st_put_subject(st_text_buffer_open(&buffer), report, violation.block);
    line.function = st_text_buffer_close(&buffer);
    line.subject = make_subject(report, &violation);
    line.frequency = make_share(report, group->row);
    line.place = make_place(report, &violation);
    free(violation.path);
    return line;
}

void st_overview_free(struct st_overview *line) {
    free(line->function);
    free(line->subject);
    free(line->frequency);
    free(line->place);
    free(line->why_here);
    for (size_t i = 0; i < line->variant_count; i++)
        free_variant(&line->variants[i]);
    free(line->variants);
}
