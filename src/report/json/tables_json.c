#include "report/tables.h"

#include "base/json.h"

static void put_value(const struct st_table_cell *cell, enum st_table_kind kind,
                      struct st_json *json) {
    switch (kind) {
    case ST_TABLE_TEXT:
        st_json_string(json, cell->value.text);
        break;
    case ST_TABLE_NUMBER:
        st_json_number(json, cell->value.number);
        break;
    case ST_TABLE_SECONDS:
    case ST_TABLE_REAL:
        st_json_real(json, cell->value.real);
        break;
    case ST_TABLE_FLAG:
        st_json_bool(json, cell->value.flag);
        break;
    }
}

static void put_row(const struct st_table *table, const struct st_table_cell *cells,
                    struct st_json *json) {
    st_json_flat_object(json);
    for (size_t i = 0; i < table->column_count; i++) {
        st_json_key(json, table->columns[i].key);
        put_value(&cells[i], table->columns[i].kind, json);
    }
    st_json_object_end(json);
}

void st_write_table_json(const struct st_table *table, const char *trace, uint64_t events,
                         FILE *file) {
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_key(&json, "schema");
    st_json_string(&json, table->schema);
    st_json_key(&json, "trace");
    st_json_string(&json, trace);
    if (!table->heading) {
        st_json_key(&json, "events");
        st_json_number(&json, events);
    }
    st_json_key(&json, "rows");
    st_json_array(&json);
    for (size_t i = 0; i < table->cell_count; i += table->column_count)
        put_row(table, &table->cells[i], &json);
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}
