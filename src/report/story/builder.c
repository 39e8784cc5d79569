#include "report/story/builder.h"

#include "base/memory.h"
#include "report/triage/rank.h"
#include "report/calls.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *st_story_kind_name(enum st_story_kind kind) {
    static const char *const names[] = {
        [ST_STORY_VIOLATION] = "violation", [ST_STORY_BLAMED] = "blamed",
        [ST_STORY_CYCLE] = "cycle",         [ST_STORY_VERDICT] = "verdict",
        [ST_STORY_PREDICTED] = "predicted", [ST_STORY_POTENTIAL] = "potential",
        [ST_STORY_RACE] = "race",           [ST_STORY_DEADLOCK] = "deadlock",
        [ST_STORY_FAILURE] = "failure",
    };
    return names[kind];
}

/* ---- Sentences ---- */

static void put_block(FILE *file, const struct st_report *report, uint32_t block) {
    fputs(block == ST_NO_NAME ? "the block" : st_target_name(report->symbols, ST_BEGIN, block),
          file);
}

size_t st_short_thread(const char *name) {
    size_t length = 1 + strspn(name + (*name == 'T'), "0123456789");
    bool longer = *name == 'T' && length > 1 && strncmp(name + length, " (", 2) == 0;
    return longer ? length : strlen(name);
}

void st_put_short_thread(FILE *file, const char *name) {
    fwrite(name, 1, st_short_thread(name), file);
}

static void put_arguments(FILE *file, const struct st_report *report, const char *format,
                          va_list arguments) {
    for (; *format; format++) {
        if (*format != '%') {
            fputc(*format, file);
            continue;
        }
        switch (*++format) {
        case 't':
            st_put_short_thread(file,
                                st_name(&report->symbols->threads, va_arg(arguments, uint32_t)));
            break;
        case 'T':
            fputs(st_name(&report->symbols->threads, va_arg(arguments, uint32_t)), file);
            break;
        case 'b':
            put_block(file, report, va_arg(arguments, uint32_t));
            break;
        case 'n':
            fprintf(file, "%" PRIu64, va_arg(arguments, uint64_t));
            break;
        case 's':
            fputs(va_arg(arguments, const char *), file);
            break;
        }
    }
}

char *st_sentence(const struct st_report *report, const char *format, ...) {
    struct st_text_buffer buffer;
    va_list arguments;
    va_start(arguments, format);
    put_arguments(st_text_buffer_open(&buffer), report, format, arguments);
    va_end(arguments);
    return st_text_buffer_close(&buffer);
}

void st_put_sentence(FILE *file, const struct st_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_arguments(file, report, format, arguments);
    va_end(arguments);
}

void st_put_counted(FILE *file, uint64_t count, const char *noun) {
    fprintf(file, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
}

const char *st_list_link(size_t index, size_t count) {
    return index == 0 ? "" : index + 1 == count ? " and " : ", ";
}

void st_put_where(FILE *file, const struct st_report *report, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    const char *name = st_user_location(report->symbols, report->details, loc, buffer);
    if (*name)
        fprintf(file, "%s%s", loc & ST_LOC_NAME ? "at " : "at location ", name);
}

void st_put_subject(FILE *file, const struct st_report *report, uint32_t block) {
    if (block == ST_NO_NAME)
        fputs("A block without a name", file);
    else
        put_block(file, report, block);
}

char *st_frequency_text(const struct st_report *report, const char *cut,
                        const struct st_block_row *row) {
    if (row->block == ST_NO_NAME && row->executed > 1)
        return st_sentence(report, "%s: %n of %n blocks without a name", cut, row->violated,
                           row->executed);
    if (row->block == ST_NO_NAME)
        return NULL;
    if (row->executed == 1)
        return st_sentence(report, "%s in its only run", cut);
    if (row->violated == row->executed)
        return st_sentence(report, "%s in all of its %n runs", cut, row->executed);
    return st_sentence(report, "%s in %n of its %n runs", cut, row->violated, row->executed);
}

/* ---- Steps ---- */

char *st_action_text(const struct st_symbols *symbols, const struct st_event *event,
                     bool predicted) {
    static const char *const verbs[][2] = {
        [ST_READ] = {"read", "reads"},
        [ST_WRITE] = {"wrote", "writes"},
        [ST_ACQUIRE] = {"acquired lock", "acquires lock"},
        [ST_RELEASE] = {"released lock", "releases lock"},
        [ST_FORK] = {"forked", "forks"},
        [ST_JOIN] = {"joined", "joins"},
        [ST_BEGIN] = {"began", "begins"},
        [ST_END] = {"ended", "ends"},
        [ST_SEND] = {"sent on channel", "sends on channel"},
        [ST_RECEIVE] = {"received from channel", "receives from channel"},
    };
    enum st_op op = (enum st_op)event->written;
    const char *lock = st_lock_of_channel(symbols, event), *target = lock;
    if (lock) /* a receive acquires it, a send releases it */
        op = op == ST_RECEIVE ? ST_ACQUIRE : ST_RELEASE;
    else
        target =
            event->target == ST_NO_NAME ? "a block" : st_target_name(symbols, op, event->target);
    struct st_text_buffer buffer;
    const char *how = op <= ST_WRITE && event->atomic ? "atomically " : "";
    fprintf(st_text_buffer_open(&buffer), "%s%s %s", how, verbs[op][predicted], target);
    return st_text_buffer_close(&buffer);
}

static char *make_action(const struct st_story_builder *builder, const struct st_event *event,
                         const char *before, const char *after) {
    char *action = st_action_text(builder->report->symbols, event, builder->predicted);
    char *whole = st_sentence(builder->report, "%s%s%s", before, action, after);
    free(action);
    return whole;
}

/* Is it the lock of that name, be it held for reading? */
static bool is_same_lock(const char *held, const char *name) {
    size_t length = strlen(name);
    return strncmp(held, name, length) == 0 &&
           (!held[length] || strcmp(held + length, ST_HELD_FOR_READING) == 0);
}

/* Of the locks that the thread held, those that say something beyond the action itself. */
static char *make_holding(const struct st_report *report, const struct st_event *event) {
    bool access = event->written == ST_READ || event->written == ST_WRITE;
    bool on_mutex = event->written == ST_ACQUIRE || event->written == ST_RELEASE;
    const char *own =
        on_mutex ? st_target_name(report->symbols, (enum st_op)event->written, event->target)
                 : st_lock_of_channel(report->symbols, event);
    struct st_detail detail = st_detail_at(report, event->loc);
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    size_t count = 0;
    for (const char *const *lock = detail.locks; *lock; lock++)
        if (!own || !is_same_lock(*lock, own))
            fprintf(file, "%s%s", count++ ? ", " : "holding ", *lock);
    if (access && !count && !detail.locks_unknown)
        fputs("holding no lock", file);
    char *holding = st_text_buffer_close(&buffer);
    if (*holding)
        return holding;
    free(holding);
    return NULL;
}

/* The calls that the last step of the same thread has shown. */
static const struct st_calls *earlier_calls(const struct st_story_steps *steps, uint32_t thread) {
    static const struct st_calls none;
    for (size_t i = steps->count - 1; i-- > 0;) {
        const struct st_story_step *step = &steps->items[i];
        if (step->calls.count && step->place.event.thread == thread)
            return &step->calls;
    }
    return &none;
}

static void set_place(const struct st_report *report, struct st_story_step *step) {
    uint64_t loc = step->place.event.loc;
    char buffer[ST_LOCATION_SIZE];
    if (step->place.number)
        step->calls = st_calls_at(report->details, loc);
    if (step->calls.count) {
        step->location = st_strdup(step->calls.frames[0].location);
        step->where = st_sentence(report, "at %s", step->location);
        return;
    }
    step->location = st_strdup(st_user_location(report->symbols, report->details, loc, buffer));
    if (*step->location)
        step->where =
            st_sentence(report, loc & ST_LOC_NAME ? "at %s" : "at location %s", step->location);
}

static struct st_story_step *new_step(struct st_story_steps *steps) {
    st_reserve(&steps->items, &steps->capacity, steps->count + 1);
    return &steps->items[steps->count++];
}

static void set_thread(const struct st_story_builder *builder, struct st_story_step *step,
                       uint32_t thread) {
    step->thread = st_strdup(st_name(&builder->report->symbols->threads, thread));
    step->place.event.thread = thread;
    step->home = thread == builder->home;
}

struct st_story_step *st_add_event(const struct st_story_builder *builder,
                                   struct st_story_steps *steps, const struct st_place *place,
                                   const char *before, const char *after) {
    struct st_story_step *step = new_step(steps);
    step->place = *place;
    set_thread(builder, step, place->event.thread);
    step->action = make_action(builder, &place->event, before, after);
    set_place(builder->report, step);
    return step;
}

struct st_story_step *st_add_step(struct st_story_builder *builder, const struct st_place *place,
                                  const char *before, const char *after) {
    struct st_story_steps *steps = &builder->story.steps;
    struct st_story_step *step = st_add_event(builder, steps, place, before, after);
    step->new_calls = st_calls_new(&step->calls, earlier_calls(steps, place->event.thread));
    if (step->calls.count && place->event.written != ST_BEGIN)
        step->holding = make_holding(builder->report, &place->event);
    return step;
}

struct st_story_step *st_add_remark(struct st_story_builder *builder, uint32_t thread,
                                    const char *action) {
    struct st_story_step *step = new_step(&builder->story.steps);
    set_thread(builder, step, thread);
    step->action = st_strdup(action);
    step->location = st_strdup("");
    return step;
}

void st_add_gap(struct st_story_steps *steps, char *gap) {
    new_step(steps)->gap = gap;
}

void st_add_note(struct st_story *story, char *note) {
    st_reserve(&story->notes, &story->note_capacity, story->note_count + 1);
    story->notes[story->note_count++] = note;
}

/* ---- Release ---- */

static void free_steps(struct st_story_steps *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        struct st_story_step *step = &steps->items[i];
        free(step->gap);
        free(step->thread);
        free(step->action);
        free(step->holding);
        free(step->where);
        free(step->location);
        free(step->follows);
        free(step->race);
        st_calls_free(&step->calls);
    }
    free(steps->items);
}

void st_story_free(struct st_story *story) {
    free(story->headline);
    free(story->frequency);
    free(story->introduction);
    free_steps(&story->steps);
    free(story->explanation);
    free(story->conclusion);
    free(story->hint);
    free(story->suppression);
    for (size_t i = 0; i < story->note_count; i++)
        free(story->notes[i]);
    free(story->notes);
    free(story->schedule_title);
    free_steps(&story->schedule);
    free_steps(&story->course);
    *story = (struct st_story){0};
}

void st_put_blocks(FILE *file, const struct st_report *report, const uint32_t *names,
                   size_t count) {
    enum { NAMED_BLOCKS = 8 };
    for (size_t i = 0; i < count && i < NAMED_BLOCKS; i++) {
        fputs(i ? ", " : "", file);
        if (names[i] == ST_NO_NAME)
            fputs("one without a name", file);
        else
            st_put_sentence(file, report, "%b", names[i]);
    }
    if (count > NAMED_BLOCKS)
        fprintf(file, " and %zu more", count - NAMED_BLOCKS);
    fputc('.', file);
}
