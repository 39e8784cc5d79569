#include "session/compare/refinement.h"

#include "base/memory.h"
#include "base/output.h"
#include "session/trace_check.h"
#include "spec/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

const char st_refinement_usual_start[] = "ignore function main\n"
                                         "ignore function *.main(*\n"
                                         "ignore function *.run()V\n"
                                         "ignore thread functions\n";

void st_refinement_init(struct st_refinement *refinement, const struct st_engine *const *engines,
                        size_t count, const char *start, uint64_t settled) {
    *refinement = (struct st_refinement){.start = start, .settled = settled, .count = count};
    st_names_init(&refinement->names);
    refinement->refiners = st_alloc(count, sizeof *refinement->refiners);
    for (size_t i = 0; i < count; i++)
        refinement->refiners[i].engine = engines[i];
}

void st_refinement_free(struct st_refinement *refinement) {
    for (size_t i = 0; i < refinement->count; i++) {
        free(refinement->refiners[i].refuted);
        free(refinement->refiners[i].dynamic);
        free(refinement->refiners[i].rounds);
    }
    free(refinement->refiners);
    free(refinement->executed);
    free(refinement->now);
    st_names_free(&refinement->names);
}

/* ---- the specification ---- */

static void write_line(const char *word, const char *name, FILE *file) {
    char *pattern = st_pattern_of(name);
    fprintf(file, "%s function %s", word, pattern);
    free(pattern);
}

/* The start, without what was refuted since. Release with free(). */
static char *make_spec(const struct st_refinement *refinement, const struct st_refiner *refiner) {
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s\n", refinement->start);
    for (uint32_t name = 0; name < refinement->names.count; name++)
        if (st_refiner_refutes(refiner, name)) {
            write_line("ignore", st_name(&refinement->names, name), buffer.file);
            fputc('\n', buffer.file);
        }
    return st_text_buffer_close(&buffer);
}

void st_refinement_write_spec(const struct st_refinement *refinement,
                              const struct st_refiner *refiner, FILE *file) {
    bool any = false;
    fprintf(file, "# What is left after %zu round%s of refinement with %s.\n", refiner->round_count,
            refiner->round_count == 1 ? "" : "s", refiner->engine->name);
    for (uint32_t name = 0; name < refinement->names.count; name++) {
        if (name >= refinement->executed_capacity || !refinement->executed[name] ||
            st_refiner_refutes(refiner, name) || !*st_name(&refinement->names, name))
            continue;
        write_line("atomic", st_name(&refinement->names, name), file);
        fprintf(file, "  # %" PRIu64 " run%s\n", refinement->executed[name],
                refinement->executed[name] == 1 ? "" : "s");
        any = true;
    }
    /* A file without an `atomic` line would make every block atomic. */
    if (!any)
        fputs("ignore function *  # no block name remains\n", file);
}

/* ---- one round ---- */

/* The number of a block's name over all traces. */
static uint32_t number_of(struct st_refinement *refinement, const struct st_symbols *symbols,
                          uint32_t block) {
    const char *name = block == ST_NO_NAME ? "" : st_name(&symbols->blocks, block);
    size_t length = block == ST_NO_NAME ? 0 : st_name_length(&symbols->blocks, block);
    return st_names_add(&refinement->names, name, length);
}

static void note_violated(struct st_refinement *refinement, struct st_refiner *refiner,
                          const struct st_symbols *symbols, uint32_t block, uint64_t violated) {
    struct st_refinement_round *round = &refiner->rounds[refiner->round_count - 1];
    if (!violated)
        return;
    uint32_t name = number_of(refinement, symbols, block);
    st_reserve(&refiner->refuted, &refiner->refuted_capacity, (size_t)name + 1);
    st_reserve(&refiner->dynamic, &refiner->dynamic_capacity, (size_t)name + 1);
    round->fresh += !refiner->refuted[name];
    round->dynamic += violated;
    refiner->refuted[name] = true;
    refiner->dynamic[name] += violated;
}

static void note_executed(struct st_refinement *refinement, const struct st_trace_input *input) {
    const struct st_symbols *symbols = st_trace_symbols(input->reading.trace);
    struct st_facts facts = st_trace_input_facts(input);
    for (uint32_t block = 0; block < facts.executed_count; block++) {
        if (!facts.executed[block])
            continue;
        uint32_t name = number_of(refinement, symbols, block);
        st_reserve(&refinement->now, &refinement->now_capacity, (size_t)name + 1);
        refinement->now[name] += facts.executed[block];
    }
}

static int read_trace(struct st_refinement *refinement, struct st_refiner *refiner,
                      const struct st_trace_source *source, enum st_relation chosen,
                      struct st_error *error) {
    struct st_trace_input input;
    struct st_trace_check check;
    if (st_trace_input_open(&input, source, error) < 0)
        return -1;
    const struct st_symbols *symbols = st_trace_symbols(input.reading.trace);
    st_trace_check_start(&check, &refiner->engine, 1,
                         st_relation_or_usual(chosen, st_trace_is_recording(input.reading.trace)),
                         1, false);
    int result = st_trace_check_read(&check, &input, error);
    const struct st_findings *findings = &check.runs[0].findings;
    for (uint32_t block = 0; result == 0 && block < symbols->blocks.count; block++)
        note_violated(refinement, refiner, symbols, block, st_findings_violated(findings, block));
    if (result == 0) {
        note_violated(refinement, refiner, symbols, ST_NO_NAME,
                      st_findings_violated(findings, ST_NO_NAME));
        note_executed(refinement, &input);
    }
    st_trace_check_free(&check);
    st_trace_input_close(&input);
    return result;
}

/* What ran in this round, if it is more than in any before. */
static void keep_executed(struct st_refinement *refinement) {
    st_reserve(&refinement->executed, &refinement->executed_capacity, refinement->now_capacity);
    for (size_t name = 0; name < refinement->now_capacity; name++) {
        if (refinement->executed[name] < refinement->now[name])
            refinement->executed[name] = refinement->now[name];
        refinement->now[name] = 0;
    }
}

static int refine(struct st_refinement *refinement, struct st_refiner *refiner,
                  const char *const *paths, size_t count, const struct st_trace_source *source,
                  enum st_relation relation, struct st_error *error) {
    struct st_trace_source own = *source;
    char *spec = make_spec(refinement, refiner);
    int result = 0;
    st_reserve(&refiner->rounds, &refiner->round_capacity, refiner->round_count + 1);
    refiner->round_count++;
    own.spec_text = spec;
    for (size_t i = 0; result == 0 && i < count; i++) {
        own.path = paths[i];
        result = read_trace(refinement, refiner, &own, relation, error);
    }
    free(spec);
    keep_executed(refinement);
    refiner->quiet = refiner->rounds[refiner->round_count - 1].fresh ? 0 : refiner->quiet + 1;
    return result;
}

int st_refinement_advance(struct st_refinement *refinement, const char *const *paths, size_t count,
                          const struct st_trace_source *source, enum st_relation relation,
                          struct st_error *error) {
    for (size_t i = 0; i < refinement->count; i++)
        if (!st_refiner_is_done(refinement, &refinement->refiners[i]) &&
            refine(refinement, &refinement->refiners[i], paths, count, source, relation, error) < 0)
            return -1;
    return 0;
}

/* ---- what came of it ---- */

bool st_refiner_is_done(const struct st_refinement *refinement, const struct st_refiner *refiner) {
    return refiner->quiet >= refinement->settled;
}

bool st_refinement_is_over(const struct st_refinement *refinement) {
    for (size_t i = 0; i < refinement->count; i++)
        if (!st_refiner_is_done(refinement, &refinement->refiners[i]))
            return false;
    return true;
}

uint64_t st_refiner_distinct(const struct st_refiner *refiner) {
    uint64_t sum = 0;
    for (size_t i = 0; i < refiner->round_count; i++)
        sum += refiner->rounds[i].fresh;
    return sum;
}

uint64_t st_refiner_dynamic(const struct st_refiner *refiner) {
    uint64_t sum = 0;
    for (size_t i = 0; i < refiner->round_count; i++)
        sum += refiner->rounds[i].dynamic;
    return sum;
}

bool st_refiner_refutes(const struct st_refiner *refiner, uint32_t name) {
    return name < refiner->refuted_capacity && refiner->refuted[name];
}

uint64_t st_refiner_dynamic_of(const struct st_refiner *refiner, uint32_t name) {
    return name < refiner->dynamic_capacity ? refiner->dynamic[name] : 0;
}
