#include "cli/compare/refine_tables.h"

#include "base/json.h"
#include "base/memory.h"
#include "cli/compare/engine_list.h"
#include "report/sheet/chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REFINE_SCHEMA "seriatim-refine/1"

const char *const refine_layout_words[] = {[REFINE_SUMMARY] = "summary",
                                           [REFINE_ROUNDS] = "rounds",
                                           [REFINE_FUNCTIONS] = "functions",
                                           [REFINE_LAYOUTS] = NULL};

/* The measure for the others, or NULL. */
static const struct st_refiner *find_regiontrack(const struct st_refinement *refinement) {
    for (size_t i = 0; i < refinement->count; i++)
        if (strcmp(refinement->refiners[i].engine->name, "regiontrack") == 0)
            return &refinement->refiners[i];
    return NULL;
}

/* Names that only the first one reports. */
static uint64_t count_only(const struct st_refinement *refinement, const struct st_refiner *one,
                           const struct st_refiner *other) {
    uint64_t count = 0;
    for (uint32_t name = 0; name < refinement->names.count; name++)
        count += st_refiner_refutes(one, name) && !st_refiner_refutes(other, name);
    return count;
}

/* In percent of what RegionTrack reports. */
static void add_share(struct st_sheet *sheet, const struct st_refiner *measure, uint64_t number,
                      uint64_t of) {
    if (measure && of)
        st_sheet_add(sheet, "%.2f", 100.0 * (double)number / (double)of);
    else
        st_sheet_add(sheet, "-");
}

static void add_difference(struct st_sheet *sheet, const struct st_refinement *refinement,
                           const struct st_refiner *one, const struct st_refiner *other) {
    if (one && other)
        st_sheet_add(sheet, "%" PRIu64, count_only(refinement, one, other));
    else
        st_sheet_add(sheet, "-");
}

static struct st_sheet lay_out_summary(const struct st_refinement *refinement) {
    static const char *const titles[] = {"engine", "rounds",  "distinct",        "missed",
                                         "false",  "dynamic", "% of regiontrack"};
    const struct st_refiner *measure = find_regiontrack(refinement);
    struct st_sheet sheet = {.columns = sizeof titles / sizeof *titles};
    for (size_t i = 0; i < sheet.columns; i++)
        st_sheet_add(&sheet, "%s", titles[i]);
    for (size_t i = 0; i < refinement->count; i++) {
        const struct st_refiner *refiner = &refinement->refiners[i];
        st_sheet_add(&sheet, "%s", refiner->engine->name);
        st_sheet_add(&sheet, "%zu", refiner->round_count);
        st_sheet_add(&sheet, "%" PRIu64, st_refiner_distinct(refiner));
        add_difference(&sheet, refinement, measure, refiner);
        add_difference(&sheet, refinement, measure ? refiner : NULL, measure);
        st_sheet_add(&sheet, "%" PRIu64, st_refiner_dynamic(refiner));
        add_share(&sheet, measure, st_refiner_dynamic(refiner),
                  measure ? st_refiner_dynamic(measure) : 0);
    }
    return sheet;
}

static size_t most_rounds(const struct st_refinement *refinement) {
    size_t most = 0;
    for (size_t i = 0; i < refinement->count; i++)
        if (refinement->refiners[i].round_count > most)
            most = refinement->refiners[i].round_count;
    return most;
}

/* Up to that round, counted from 0, or to the last one. */
static uint64_t dynamic_until(const struct st_refiner *refiner, size_t round) {
    uint64_t sum = 0;
    for (size_t i = 0; i < refiner->round_count && i <= round; i++)
        sum += refiner->rounds[i].dynamic;
    return sum;
}

static void add_round(struct st_sheet *sheet, const struct st_refiner *refiner, size_t round) {
    if (round < refiner->round_count) {
        st_sheet_add(sheet, "%" PRIu64, refiner->rounds[round].fresh);
        st_sheet_add(sheet, "%" PRIu64, refiner->rounds[round].dynamic);
    } else {
        st_sheet_add(sheet, "-");
        st_sheet_add(sheet, "-");
    }
    st_sheet_add(sheet, "%" PRIu64, dynamic_until(refiner, round));
}

static struct st_sheet lay_out_rounds(const struct st_refinement *refinement) {
    struct st_sheet sheet = {.columns = 1 + 3 * refinement->count};
    st_sheet_add(&sheet, "round");
    for (size_t i = 0; i < refinement->count; i++) {
        const char *engine = refinement->refiners[i].engine->name;
        st_sheet_add(&sheet, "%s new names", engine);
        st_sheet_add(&sheet, "%s dynamic", engine);
        st_sheet_add(&sheet, "%s dynamic so far", engine);
    }
    for (size_t round = 0; round < most_rounds(refinement); round++) {
        st_sheet_add(&sheet, "%zu", round + 1);
        for (size_t i = 0; i < refinement->count; i++)
            add_round(&sheet, &refinement->refiners[i], round);
    }
    return sheet;
}

static bool is_reported(const struct st_refinement *refinement, uint32_t name) {
    for (size_t i = 0; i < refinement->count; i++)
        if (st_refiner_refutes(&refinement->refiners[i], name))
            return true;
    return false;
}

static struct st_sheet lay_out_functions(const struct st_refinement *refinement) {
    const struct st_refiner *measure = find_regiontrack(refinement);
    struct st_sheet sheet = {.columns = 1 + 2 * refinement->count};
    st_sheet_add(&sheet, "function");
    for (size_t i = 0; i < refinement->count; i++)
        st_sheet_add(&sheet, "%s", refinement->refiners[i].engine->name);
    for (size_t i = 0; i < refinement->count; i++)
        st_sheet_add(&sheet, "%s %%", refinement->refiners[i].engine->name);
    for (uint32_t name = 0; name < refinement->names.count; name++) {
        if (!is_reported(refinement, name))
            continue;
        st_sheet_add(&sheet, "%s", st_name(&refinement->names, name));
        for (size_t i = 0; i < refinement->count; i++)
            st_sheet_add(&sheet, "%" PRIu64, st_refiner_dynamic_of(&refinement->refiners[i], name));
        for (size_t i = 0; i < refinement->count; i++)
            add_share(&sheet, measure, st_refiner_dynamic_of(&refinement->refiners[i], name),
                      measure ? st_refiner_dynamic_of(measure, name) : 0);
    }
    return sheet;
}

struct st_sheet refine_table(const struct st_refinement *refinement, enum refine_layout layout) {
    return layout == REFINE_SUMMARY  ? lay_out_summary(refinement)
           : layout == REFINE_ROUNDS ? lay_out_rounds(refinement)
                                     : lay_out_functions(refinement);
}

/* ---- the figure of rounds ---- */

/* Okabe and Ito's colours, which remain distinct for colour-blind readers. */
static const char *const colours[] = {"#d55e00", "#009e73", "#cc79a7", "#0072b2",
                                      "#e69f00", "#56b4e9", "#6b7280"};
enum { COLOURS = sizeof colours / sizeof *colours };
enum { LEFT = 90, TOP = 40, WIDTH = 480, HEIGHT = 260, LINE = 22 };

static double x_of(const struct st_refinement *refinement, size_t round) {
    size_t most = most_rounds(refinement);
    return LEFT + (most > 1 ? (double)WIDTH * (double)round / (double)(most - 1) : WIDTH / 2.0);
}

static uint64_t most_dynamic(const struct st_refinement *refinement) {
    uint64_t most = 1;
    for (size_t i = 0; i < refinement->count; i++)
        if (st_refiner_dynamic(&refinement->refiners[i]) > most)
            most = st_refiner_dynamic(&refinement->refiners[i]);
    return most;
}

static void draw_line(const struct st_refinement *refinement, size_t i, FILE *file) {
    const struct st_refiner *refiner = &refinement->refiners[i];
    const char *colour = colours[i % COLOURS];
    double most = (double)most_dynamic(refinement);
    int legend = TOP + HEIGHT + 60 + LINE * (int)i;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t round = 0; round < most_rounds(refinement); round++)
        fprintf(file, "%s%.1f,%.1f", round ? " " : "", x_of(refinement, round),
                TOP + HEIGHT * (1 - (double)dynamic_until(refiner, round) / most));
    fputs("\"/>\n", file);
    fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", LEFT,
            legend - 6, colour);
    fprintf(file, "<text x=\"%d\" y=\"%d\">%s: %" PRIu64 " in %zu round%s</text>\n", LEFT + 22,
            legend, refiner->engine->name, st_refiner_dynamic(refiner), refiner->round_count,
            refiner->round_count == 1 ? "" : "s");
}

static void draw_axes(const struct st_refinement *refinement, FILE *file) {
    fprintf(file, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#6b7280\"/>\n", LEFT, TOP,
            TOP + HEIGHT, LEFT + WIDTH);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRIu64 "</text>\n", LEFT - 8,
            TOP + 5, most_dynamic(refinement));
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>\n", LEFT - 8, TOP + HEIGHT);
    fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">1</text>\n",
            x_of(refinement, 0), TOP + HEIGHT + 18);
    if (most_rounds(refinement) > 1)
        fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%zu</text>\n", LEFT + WIDTH,
                TOP + HEIGHT + 18, most_rounds(refinement));
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">round</text>\n", LEFT + WIDTH / 2,
            TOP + HEIGHT + 34);
}

static void draw_rounds(const struct st_refinement *refinement, FILE *file) {
    int width = LEFT + WIDTH + 40, height = TOP + HEIGHT + 60 + LINE * (int)refinement->count;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#1f2937\">\n"
            "<title>Dynamic violations so far, by round</title>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
    fprintf(file, "<text x=\"%d\" y=\"20\">Dynamic violations so far, by round</text>\n", LEFT);
    draw_axes(refinement, file);
    for (size_t i = 0; i < refinement->count; i++)
        draw_line(refinement, i, file);
    fputs("</svg>\n", file);
}

/* ---- how imprecise engines are for each function ---- */

/* A function, and how far engines are off for it. */
struct imprecision {
    const char *name;
    double sum, off[MOST_ENGINES];
};

static int by_sum(const void *left, const void *right) {
    const struct imprecision *a = left, *b = right;
    return a->sum != b->sum ? (a->sum > b->sum) - (a->sum < b->sum) : strcmp(a->name, b->name);
}

static struct imprecision measure(const struct st_refinement *refinement,
                                  const struct st_refiner *exact, uint32_t name) {
    struct imprecision result = {.name = st_name(&refinement->names, name)};
    double all = (double)st_refiner_dynamic_of(exact, name);
    size_t at = 0;
    for (size_t i = 0; i < refinement->count; i++) {
        const struct st_refiner *refiner = &refinement->refiners[i];
        if (refiner == exact)
            continue;
        double share = 100 * ((double)st_refiner_dynamic_of(refiner, name) / all - 1);
        result.off[at] = share < 0 ? -share : share;
        result.sum += result.off[at++];
    }
    return result;
}

static void draw_functions(const struct st_refinement *refinement, FILE *file) {
    const struct st_refiner *exact = find_regiontrack(refinement);
    const char *series[MOST_ENGINES];
    struct st_chart chart = {.title = "How imprecise engines are for each function, in percent",
                             .unit = "%",
                             .series = series};
    struct imprecision *functions = st_alloc(refinement->names.count + 1, sizeof *functions);
    size_t count = 0;
    for (size_t i = 0; i < refinement->count; i++)
        if (&refinement->refiners[i] != exact)
            series[chart.series_count++] = refinement->refiners[i].engine->name;
    for (uint32_t name = 0; exact && name < refinement->names.count; name++)
        if (st_refiner_dynamic_of(exact, name))
            functions[count++] = measure(refinement, exact, name);
    qsort(functions, count, sizeof *functions, by_sum);
    for (size_t i = 0; i < count; i++)
        st_chart_add(&chart, functions[i].name, functions[i].off);
    st_chart_write(&chart, file);
    st_chart_free(&chart);
    free(functions);
}

void refine_svg(const struct st_refinement *refinement, enum refine_layout layout, FILE *file) {
    if (layout == REFINE_FUNCTIONS)
        draw_functions(refinement, file);
    else
        draw_rounds(refinement, file);
}

/* ---- JSON ---- */

static void write_rounds(const struct st_refiner *refiner, struct st_json *json) {
    st_json_key(json, "rounds");
    st_json_array(json);
    for (size_t i = 0; i < refiner->round_count; i++) {
        st_json_flat_object(json);
        st_json_number_field(json, "new_names", refiner->rounds[i].fresh);
        st_json_number_field(json, "dynamic", refiner->rounds[i].dynamic);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_names(const struct st_refinement *refinement, const struct st_refiner *refiner,
                        bool refuted, struct st_json *json) {
    st_json_key(json, refuted ? "reported" : "atomic");
    st_json_array(json);
    for (uint32_t name = 0; name < refinement->names.count; name++) {
        uint64_t executed = name < refinement->executed_capacity ? refinement->executed[name] : 0;
        if (st_refiner_refutes(refiner, name) != refuted || (!refuted && !executed))
            continue;
        st_json_flat_object(json);
        st_json_string_field(json, "name", st_name(&refinement->names, name));
        st_json_number_field(json, "executed", executed);
        st_json_number_field(json, "dynamic", st_refiner_dynamic_of(refiner, name));
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

void refine_json(const struct st_refinement *refinement, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", REFINE_SCHEMA);
    st_json_key(&json, "engines");
    st_json_array(&json);
    for (size_t i = 0; i < refinement->count; i++) {
        const struct st_refiner *refiner = &refinement->refiners[i];
        st_json_object(&json);
        st_json_string_field(&json, "engine", refiner->engine->name);
        st_json_number_field(&json, "distinct", st_refiner_distinct(refiner));
        st_json_number_field(&json, "dynamic", st_refiner_dynamic(refiner));
        write_rounds(refiner, &json);
        write_names(refinement, refiner, true, &json);
        write_names(refinement, refiner, false, &json);
        st_json_object_end(&json);
    }
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}
