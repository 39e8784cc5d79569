/* The report as a page: what src/report/page holds, with the data in the middle of it. The data is
 * the JSON that programs get and excerpts of the sources, as text that no browser takes for
 * anything else; a script that is part of the page draws everything from it. */
#include "report/json/json_report.h"
#include "report/html/page.h"
#include "report/source/excerpts.h"

static void write_data(const struct st_report *report, const char *id, FILE *file,
                       void (*write)(const struct st_report *, struct st_json *)) {
    struct st_json json;
    fprintf(file, "<script type=\"application/json\" id=\"%s\">", id);
    st_json_start_in_page(&json, file);
    write(report, &json);
    st_json_finish(&json);
    fputs("</script>\n", file);
}

void st_report_html(const struct st_report *report, FILE *file) {
    fwrite(st_page_before, 1, st_page_before_size, file);
    write_data(report, "report-data", file, st_report_json_value);
    write_data(report, "source-data", file, st_excerpts_json);
    fwrite(st_page_behind, 1, st_page_behind_size, file);
}
