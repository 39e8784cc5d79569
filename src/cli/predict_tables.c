#include "cli/predict_tables.h"

#include "base/json.h"
#include "report/columns.h"

#include <inttypes.h>

static void write_ablation_json(const char *trace, const struct st_ablation_row *rows, FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, "seriatim-ablation/1");
    st_json_key(&json, "trace");
    st_json_string(&json, trace);
    st_json_key(&json, "rows");
    st_json_array(&json);
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++) {
        st_json_flat_object(&json);
        st_json_key(&json, "name");
        st_json_string(&json, rows[i].name);
        st_json_key(&json, "reported_blocks");
        st_json_number(&json, rows[i].reported_blocks);
        st_json_key(&json, "reported_names");
        st_json_number(&json, rows[i].reported_names);
        st_json_key(&json, "racy_variables");
        st_json_number(&json, rows[i].racy_variables);
        st_json_key(&json, "seconds");
        st_json_real(&json, rows[i].seconds);
        st_json_object_end(&json);
    }
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

static void write_ablation_text(const char *trace, const struct st_ablation_row *rows, FILE *file) {
    static const char *const heads[] = {"with", "reported blocks", "reported names",
                                        "racy variables", "time"};
    struct st_columns columns = {.count = 5, .right = 0x1e};
    fprintf(file, "%s: what each improvement of reduction is worth (cumulative)\n\n", trace);
    for (size_t i = 0; i < columns.count; i++)
        fputs(heads[i], st_columns_cell(&columns));
    for (size_t i = 0; i < ST_ABLATION_ROWS; i++) {
        fputs(rows[i].name, st_columns_cell(&columns));
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].reported_blocks);
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].reported_names);
        fprintf(st_columns_cell(&columns), "%" PRIu64, rows[i].racy_variables);
        fprintf(st_columns_cell(&columns), "%.3f s", rows[i].seconds);
    }
    st_columns_print(&columns, "", file);
}

void write_ablation(const char *trace, const struct st_ablation_row rows[ST_ABLATION_ROWS],
                    bool json, FILE *file) {
    if (json)
        write_ablation_json(trace, rows, file);
    else
        write_ablation_text(trace, rows, file);
}
