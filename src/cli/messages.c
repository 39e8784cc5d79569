#include "cli/messages.h"

#include "base/output.h"
#include "cli/common_options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

enum status complain(const struct st_error *error) {
    char text[sizeof *error + 64];
    st_error_text(error, text, sizeof text);
    fprintf(stderr, "seriatim: %s\n", text);
    return STATUS_TROUBLE;
}

void warn(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "seriatim: warning: %s\n", text);
}

enum status show(void (*write)(FILE *file, const void *context), const void *context) {
    struct st_output output;
    struct st_error error;
    if (st_output_open(&output, NULL, NULL, &error) < 0)
        return complain(&error);
    write(output.file, context);
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

bool use_color(unsigned color, int fd) {
    const char *no_color = getenv("NO_COLOR");
    if (color == COLOR_AUTO)
        return isatty(fd) && !(no_color && *no_color);
    return color == COLOR_ALWAYS;
}
