/* Fuzzes the reader of saved results. What it takes must survive writing and reading again, and be
 * fit for the other reports. */
#include "report/load/load.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The table of formats names it, and the page is made by the build. */
void st_report_html(const struct st_report *report, FILE *file) {
    (void)report;
    (void)file;
}

/* Release with free(). */
static char *write_json(const struct st_loaded *loaded, size_t *size) {
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    st_report_json(st_loaded_report(loaded), file);
    fclose(file);
    return text;
}

static void write_others(const struct st_loaded *loaded) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    st_report_text(st_loaded_report(loaded), (struct st_text_style){.color = true}, file);
    st_report_sarif(st_loaded_report(loaded), file);
    st_report_suppressions(st_loaded_report(loaded), file);
    fclose(file);
    free(text);
}

static void check_again(const char *text, size_t size) {
    struct st_error error;
    size_t again_size;
    struct st_loaded *loaded = st_report_load("again", text, size, &error);
    if (!loaded)
        abort();
    char *again = write_json(loaded, &again_size);
    if (again_size != size || memcmp(again, text, size) != 0)
        abort();
    free(again);
    st_loaded_free(loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct st_error error;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    struct st_loaded *loaded = st_report_load("fuzz", text, size, &error);
    if (loaded) {
        size_t written_size;
        char *written = write_json(loaded, &written_size);
        check_again(written, written_size);
        write_others(loaded);
        free(written);
    } else if (!*error.cause ||
               (error.at == ST_AT_LINE ? !error.position : error.at != ST_AT_FILE)) {
        abort();
    }
    st_loaded_free(loaded);
    free(text);
    return 0;
}
