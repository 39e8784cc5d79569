#include "report/formats.h"

static void write_text(const struct st_report *report, struct st_text_style style, FILE *file) {
    st_report_text(report, style, file);
}

static void write_json(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_json(report, file);
}

static void write_sarif(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_sarif(report, file);
}

static void write_html(const struct st_report *report, struct st_text_style style, FILE *file) {
    (void)style;
    st_report_html(report, file);
}

const struct st_report_format st_report_formats[] = {
    {.name = "text", .write = write_text},
    {.name = "json", .write = write_json},
    {.name = "sarif", .write = write_sarif},
    {.name = "html", .write = write_html},
    {0},
};

const char *st_report_format_name(size_t index) {
    for (size_t i = 0; i <= index; i++)
        if (!st_report_formats[i].name)
            return NULL;
    return st_report_formats[index].name;
}
