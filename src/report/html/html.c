/* The report as a page: what src/report/html/page holds, with the data in the middle of it. The
 * data is the JSON that programs get and excerpts of the sources, as text that no browser takes for
 * anything else; a script that is part of the page draws everything from it.
 *
 * A page has an end: what report/json/page_choice.h leaves out is said in it. */
#include "base/output.h"
#include "report/json/json_report.h"
#include "report/json/page_choice.h"
#include "report/source/source.h"

#include <stdlib.h>

/* A page has at most so many bytes of results and of sources. What counts is there with a fraction
 * of that, so that less room for findings makes it fit unless the names themselves are monstrous.
 */
enum { LARGEST_RESULT = 40 << 20, LARGEST_SOURCES = 10 << 20, LEAST_ROOM = 64 << 10 };

/* The page without its data, which goes between the two: cmake/page.cmake makes them from page/. */
extern const unsigned char st_page_before[], st_page_behind[];
extern const size_t st_page_before_size, st_page_behind_size;

static void write_script(const char *id, const char *text, FILE *file) {
    fprintf(file, "<script type=\"application/json\" id=\"%s\">", id);
    fputs(text, file);
    fputs("</script>\n", file);
}

/* As text, or NULL where that is more than a page can have. Release it with free(). */
static char *data_text(const struct st_report *report, size_t room, size_t most,
                       void (*write)(const struct st_report *, struct st_json *)) {
    struct st_text_buffer buffer;
    struct st_json json;
    st_json_start_in_page(&json, st_text_buffer_open(&buffer), room);
    write(report, &json);
    st_json_finish(&json);
    char *text = st_text_buffer_close(&buffer);
    if (buffer.size <= most)
        return text;
    free(text);
    return NULL;
}

static void write_too_large(const struct st_report *report, struct st_json *json) {
    (void)report;
    st_json_object(json);
    st_json_bool_field(json, "too_large", true);
    st_json_object_end(json);
}

static char *report_text(const struct st_report *report) {
    char *text = NULL;
    for (size_t room = ST_PAGE_ROOM; !text && room >= LEAST_ROOM; room /= 8)
        text = data_text(report, room, LARGEST_RESULT, st_report_json_value);
    return text ? text : data_text(report, 0, LARGEST_RESULT, write_too_large);
}

void st_report_html(const struct st_report *report, FILE *file) {
    char *findings = report_text(report);
    char *sources = data_text(report, 0, LARGEST_SOURCES, st_excerpts_json);
    fwrite(st_page_before, 1, st_page_before_size, file);
    write_script("report-data", findings, file);
    write_script("source-data", sources ? sources : "{\"files\": [], \"left_out\": 1}\n", file);
    fwrite(st_page_behind, 1, st_page_behind_size, file);
    free(findings);
    free(sources);
}
