#include "report/triage/gaps.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/predicted_violation.h"
#include "report/source/source.h"
#include "report/triage/fingerprint.h"

#include <stdlib.h>
#include <string.h>

/* One end of a gap. */
struct spot {
    const struct st_place *place; /* NULL: not known */
    uint32_t section;             /* the frame of the acquire that stands for it; 0: none */
    bool bare;                    /* an access under no lock that the block took */
    char *location;               /* "" where it is not known */
    bool in_function;             /* the location is a line of a function that is known */
    char *lock;                   /* that the section holds; NULL: none */
};

struct finder {
    const struct st_report *report;
    struct st_sources *sources; /* NULL: lines are not read */
};

/* ---- Critical sections ---- */

/* The acquires of the locks that are held somewhere, the first of them last. */
struct sections {
    uint32_t *frames;
    char **locks; /* of each */
    size_t count;
    bool known;
};

static bool is_access(const struct st_place *place) {
    return place->event.written == ST_READ || place->event.written == ST_WRITE;
}

static bool is_held(const char *const *locks, const char *lock) {
    for (; *locks; locks++)
        if (strcmp(*locks, lock) == 0)
            return true;
    return false;
}

/* Texts of a detail stay until the next question only. */
static char **copy_texts(const char *const *texts) {
    size_t count = 0;
    while (texts[count])
        count++;
    char **copy = st_alloc(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = st_strdup(texts[i]);
    return copy;
}

static void free_texts(char **texts) {
    for (size_t i = 0; texts[i]; i++)
        free(texts[i]);
    free(texts);
}

static void free_sections(struct sections *sections) {
    for (size_t i = 0; i < sections->count; i++)
        free(sections->locks[i]);
    free(sections->locks);
    free(sections->frames);
}

/* Those that the block acquired itself. */
static struct sections sections_at(const struct st_report *report, uint64_t begin_loc,
                                   const struct st_place *place) {
    struct st_detail detail = st_detail_at(report, begin_loc);
    struct sections sections = {0};
    char **before = copy_texts(detail.locks);
    detail = st_detail_at(report, place->event.loc);
    size_t all = 0;
    while (detail.locks[all])
        all++;
    sections.frames = st_alloc(all + 1, sizeof *sections.frames);
    sections.locks = st_alloc(all + 1, sizeof *sections.locks);
    for (size_t i = 0; detail.acquired && i < all; i++) {
        if (!detail.acquired[i] || is_held((const char *const *)before, detail.locks[i]))
            continue;
        sections.locks[sections.count] = st_strdup(detail.locks[i]);
        sections.frames[sections.count++] = detail.acquired[i];
    }
    sections.known = detail.acquired && *detail.stack && !detail.locks_unknown;
    free_texts(before);
    return sections;
}

/* Frames are rows of their own for each description, but those with the same text are the same. */
static bool same_stack(const struct st_contexts *contexts, uint32_t one, uint32_t other) {
    while (one && other && one != other) {
        const struct st_frame_row *a = &contexts->frames[one - 1];
        const struct st_frame_row *b = &contexts->frames[other - 1];
        if (a->function != b->function || a->line != b->line)
            return false;
        one = a->caller;
        other = b->caller;
    }
    return one == other;
}

/* A section that may be around both ends is passed over where each has another one. What a thread
 * held is forgotten after a while: where it held nothing when it came back, we guess the same of
 * the time before. */
static void choose_sections(const struct st_report *report, uint64_t begin_loc, struct spot *left,
                            struct spot *back) {
    if (!left->place || !back->place || !report->details)
        return;
    struct sections a = sections_at(report, begin_loc, left->place);
    struct sections b = sections_at(report, begin_loc, back->place);
    size_t i = a.count, j = b.count;
    while (i > 1 && j > 1 &&
           same_stack(&report->symbols->contexts, a.frames[i - 1], b.frames[j - 1])) {
        i--;
        j--;
    }
    left->section = i ? a.frames[i - 1] : 0;
    back->section = j ? b.frames[j - 1] : 0;
    left->lock = i ? st_strdup(a.locks[i - 1]) : NULL;
    back->lock = j ? st_strdup(b.locks[j - 1]) : NULL;
    back->bare = b.known && !j && is_access(back->place);
    left->bare = (a.known || back->bare) && !i && is_access(left->place);
    free_sections(&a);
    free_sections(&b);
}

/* Did the block come back in the critical section that it left, having entered it once more, and to
 * the same variable? Then it went around in a loop. That it released the lock in between is shown
 * by the other thread, which held it. */
static bool came_around(const struct st_report *report, const struct st_violation *violation,
                        const struct spot *left, const struct spot *back) {
    if (!left->section || !back->section || strcmp(left->lock, back->lock) != 0 ||
        !same_stack(&report->symbols->contexts, left->section, back->section) ||
        !is_access(left->place) || !is_access(back->place) ||
        left->place->event.target != back->place->event.target || !violation->path_length)
        return false;
    struct st_detail detail = st_detail_at(report, violation->path[0].to.event.loc);
    return violation->path[0].kind == ST_EDGE_CONFLICT && is_held(detail.locks, left->lock);
}

/* ---- Lines ---- */

static void locate(const struct st_report *report, const struct st_calls *around,
                   struct spot *spot) {
    char buffer[ST_LOCATION_SIZE];
    if (!spot->place) {
        spot->location = st_strdup("");
        return;
    }
    struct st_calls calls = spot->section ? st_calls_of_frame(report->symbols, spot->section)
                                          : st_calls_at(report->details, spot->place->event.loc);
    size_t inside = around->count ? st_calls_new(&calls, around) : 1;
    spot->in_function = calls.count != 0;
    spot->location = st_strdup(calls.count ? calls.frames[inside - 1].location
                                           : st_user_location(report->symbols, report->details,
                                                              spot->place->event.loc, buffer));
    st_calls_free(&calls);
}

/* ---- What the fingerprint is made from ---- */

static bool is_name_part(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Without blanks, and without the names of functions that are called: those are renamed elsewhere.
 */
static void put_text(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t end = i;
        while (end < length && is_name_part(text[end]))
            end++;
        if (end == i) {
            if (text[i] != ' ' && text[i] != '\t')
                fputc(text[i], file);
            i++;
            continue;
        }
        size_t next = end;
        while (next < length && (text[next] == ' ' || text[next] == '\t'))
            next++;
        if (next == length || text[next] != '(')
            fwrite(text + i, 1, end - i, file);
        i = end;
    }
}

/* Splits a location into a file and a line; one that is a mere number is a line of no file. */
static bool split(const char *location, size_t *length, uint32_t *line) {
    size_t digits = strspn(location, "0123456789");
    *length = 0;
    *line = 0;
    if (digits && digits < 10 && !location[digits]) {
        *line = (uint32_t)strtoul(location, NULL, 10);
        return true;
    }
    *length = st_split_location(location, line);
    return *length != 0;
}

/* How far below the one the other location is, if both are in the same file. */
static bool find_distance(const char *begin, const char *location, long *distance) {
    size_t length, begin_length;
    uint32_t line, first;
    if (!split(begin, &begin_length, &first) || !split(location, &length, &line) ||
        length != begin_length || memcmp(begin, location, length) != 0)
        return false;
    *distance = (long)line - (long)first;
    return true;
}

/* The text of the line, and the how-manieth line of the function with this text it is; otherwise
 * how far below the function's first line it is. Where functions or lines are not known, what was
 * done there. */
static void put_spot(FILE *file, const struct finder *finder, const char *begin,
                     const struct spot *spot, bool by_line) {
    const char *text;
    size_t length;
    uint32_t first, alone;
    long distance = 0;
    if (!spot->place)
        return;
    bool near = find_distance(begin, spot->location, &distance);
    if (!spot->in_function) {
        st_put_stable_step(file, finder->report, spot->place);
        fputc(' ', file);
    }
    if (near && !by_line && finder->sources && spot->in_function &&
        st_split_location(begin, &first) &&
        st_source_line(finder->sources, spot->location, &text, &length)) {
        put_text(file, text, length);
        fprintf(file, " #%zu", st_source_repeats(finder->sources, spot->location, first));
    } else if (near) {
        fprintf(file, "%+ld", distance);
    } else if (st_split_location(spot->location, &alone)) {
        fprintf(file, "line %u", (unsigned)alone);
    } else if (spot->in_function) {
        st_put_stable_step(file, finder->report, spot->place);
    }
}

static struct st_fingerprint make_fingerprint(const struct finder *finder,
                                              const struct st_violation *violation,
                                              const struct spot *left, const struct spot *back,
                                              bool by_line) {
    char buffer[ST_LOCATION_SIZE];
    struct st_text_buffer text;
    const char *begin = st_innermost_line(finder->report->symbols, finder->report->details,
                                          violation->begin_loc, buffer)
                            .location;
    char *line = st_strdup(begin);
    FILE *file = st_text_buffer_open(&text);
    if (left->bare && back->bare) {
        fputs("no lock", file);
    } else {
        fputs("left ", file);
        put_spot(file, finder, line, left, by_line);
        fputs("\nback ", file);
        put_spot(file, finder, line, back, by_line);
    }
    char *key = st_text_buffer_close(&text);
    struct st_fingerprint fingerprint =
        st_gap_fingerprint(finder->report, violation->block, violation->begin_loc, key);
    free(key);
    free(line);
    return fingerprint;
}

/* ---- Gaps ---- */

static struct st_block_gap *make_gap(const struct finder *finder,
                                     const struct st_violation *violation,
                                     const struct st_place *left_place) {
    const struct st_report *report = finder->report;
    struct spot left = {.place = left_place}, back = {.place = &violation->event};
    struct st_calls around = st_calls_at(report->details, violation->begin_loc);
    struct st_block_gap *gap = st_alloc(1, sizeof *gap);
    choose_sections(report, violation->begin_loc, &left, &back);
    locate(report, &around, &left);
    locate(report, &around, &back);
    gap->fingerprint = make_fingerprint(finder, violation, &left, &back, false);
    gap->by_line = make_fingerprint(finder, violation, &left, &back, true);
    gap->function = st_strdup(st_target_name(report->symbols, ST_BEGIN, violation->block));
    gap->left = left.location;
    gap->back = back.location;
    gap->next_turn = came_around(report, violation, &left, &back);
    free(left.lock);
    free(back.lock);
    st_calls_free(&around);
    return gap;
}

static const struct st_place *left_of(const struct st_violation *violation) {
    return violation->path_length ? &violation->path[0].from : NULL;
}

struct st_block_gap *st_make_gap(const struct st_report *report,
                                 const struct st_violation *violation) {
    struct finder finder = {report, NULL};
    return make_gap(&finder, violation, left_of(violation));
}

/* Sources are read where they are those of the program that ran. */
static struct finder start(const struct st_report *report) {
    return (struct finder){report,
                           report->details ? st_sources_new(report->folder, report->built) : NULL};
}

static void finish(struct finder *finder) {
    if (finder->sources)
        st_sources_free(finder->sources);
}

static struct st_block_gap *copy_gap(const struct st_block_gap *gap) {
    struct st_block_gap *copy = st_alloc(1, sizeof *copy);
    *copy = *gap;
    copy->function = st_strdup(gap->function);
    copy->left = st_strdup(gap->left);
    copy->back = st_strdup(gap->back);
    return copy;
}

static bool cut_by_same(const struct st_violation *inner, const struct st_violation *outer) {
    return inner->event.number == outer->event.number && inner->process == outer->process &&
           inner->thread == outer->thread && inner->depth != outer->depth;
}

/* How often each gap was cut: blocks around others are not counted. */
static void count_times(struct st_findings *findings) {
    struct st_names prints;
    uint64_t *times = st_alloc(findings->kept + 1, sizeof *times);
    st_names_init(&prints);
    for (size_t i = 0; i < findings->kept; i++) {
        const struct st_violation *violation = &findings->violations[i];
        bool innermost = i + 1 == findings->kept || !cut_by_same(violation + 1, violation);
        uint32_t number =
            st_names_add(&prints, violation->gap->fingerprint.text, ST_FINGERPRINT_SIZE - 1);
        times[number] += innermost;
    }
    for (size_t i = 0; i < findings->kept; i++) {
        struct st_block_gap *gap = findings->violations[i].gap;
        gap->times = times[st_names_find(&prints, gap->fingerprint.text, ST_FINGERPRINT_SIZE - 1)];
    }
    st_names_free(&prints);
    free(times);
}

/* They are in the order of their events, outer ones before inner ones. */
void st_find_gaps(const struct st_report *report, struct st_findings *findings) {
    struct finder finder = start(report);
    for (size_t i = findings->kept; i-- > 0;) {
        struct st_violation *violation = &findings->violations[i];
        const struct st_violation *inner = i + 1 < findings->kept ? violation + 1 : NULL;
        if (violation->gap)
            continue;
        violation->gap = inner && cut_by_same(inner, violation)
                             ? copy_gap(inner->gap)
                             : make_gap(&finder, violation, left_of(violation));
    }
    count_times(findings);
    finish(&finder);
}

void st_free_gaps(struct st_findings *findings) {
    for (size_t i = 0; i < findings->kept; i++)
        st_block_gap_free(findings->violations[i].gap);
}

/* The first event of the block's own thread that is not the one where it came back. */
static const struct st_place *first_own(const struct st_predicted_block *block,
                                        const struct st_violation *violation) {
    for (size_t i = 0; i < block->event_count; i++)
        if (block->events[i].event.thread == block->thread &&
            block->events[i].number != violation->event.number)
            return &block->events[i];
    return NULL;
}

void st_find_predicted_gaps(const struct st_report *report, struct st_predictions *predictions) {
    struct finder finder = start(report);
    for (size_t i = 0; i < predictions->count; i++)
        for (size_t j = 0; j < predictions->items[i].listed; j++) {
            struct st_predicted_block *block = &predictions->items[i].blocks[j];
            if (!st_is_reported(block) || block->gap)
                continue;
            struct st_violation violation = st_predicted_violation(block);
            block->gap = make_gap(&finder, &violation,
                                  violation.path_length ? left_of(&violation)
                                                        : first_own(block, &violation));
            free(violation.path);
        }
    finish(&finder);
}
