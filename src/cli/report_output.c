#include "cli/report_output.h"

#include "cli/messages.h"
#include "report/story/story.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum status report_status(const struct st_report *report) {
    if (st_report_found(report))
        return STATUS_FOUND;
    return st_report_undecided(report) ? STATUS_TROUBLE : STATUS_CLEAN;
}

bool was_unchecked(const struct st_report *report) {
    struct st_unchecked unchecked = st_report_unchecked(report);
    bool result = unchecked.what != NULL;
    st_unchecked_free(&unchecked);
    return result;
}

static size_t find_width(int fd) {
    enum { LEAST = 40, MOST = 1000 };
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;
    if (!width && isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (!width)
        return 0;
    return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

struct st_text_style text_style(const struct common_values *common, int fd) {
    return (struct st_text_style){
        .quiet = common->quiet, .color = use_color(common->color, fd), .width = find_width(fd)};
}

static bool leaves_editor_out(const char *url) {
    return !url || strcmp(url, "none") == 0;
}

const char *refuse_editor(const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    size_t scheme = strspn(text, letters);
    if (leaves_editor_out(text))
        return NULL;
    if (!scheme || strncmp(text + scheme, "://", 3) != 0 || !strstr(text + scheme, "{file}"))
        return "needs an address with {file} in it, such as vscode://file{file}:{line}, or none";
    return NULL;
}

void write_report_as(const struct st_report *report, const struct filter_values *filters,
                     unsigned format, struct st_text_style style, FILE *file) {
    struct st_report with_editor = *report;
    with_editor.editor_url = leaves_editor_out(filters->editor_url) ? NULL : filters->editor_url;
    style.stories = filters->stories;
    if (filters->print)
        st_report_suppressions(report, file);
    else
        st_report_formats[format].write(&with_editor, style, file);
}
