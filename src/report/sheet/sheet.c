#include "report/sheet/sheet.h"

#include "base/memory.h"
#include "base/output.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void st_sheet_add(struct st_sheet *table, const char *format, ...) {
    struct st_text_buffer buffer;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(st_text_buffer_open(&buffer), format, arguments);
    va_end(arguments);
    st_reserve(&table->cells, &table->capacity, table->count + 1);
    table->cells[table->count++] = st_text_buffer_close(&buffer);
}

void st_sheet_free(struct st_sheet *table) {
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct st_sheet){.columns = 0};
}

static const char *cell_at(const struct st_sheet *table, size_t row, size_t column) {
    return table->cells[row * table->columns + column];
}

static size_t row_count(const struct st_sheet *table) {
    return table->columns ? table->count / table->columns : 0;
}

/* "12", "> 3.5", "-", "TO" and nothing. */
static bool is_number_like(const char *text) {
    return !*text || isdigit((unsigned char)*text) || strcmp(text, "-") == 0 ||
           strcmp(text, "TO") == 0 || (text[0] == '>' && text[1] == ' ');
}

static bool is_flush_right(const struct st_sheet *table, size_t column) {
    for (size_t row = 1; row < row_count(table); row++)
        if (!is_number_like(cell_at(table, row, column)))
            return false;
    return row_count(table) > 1;
}

/* ---- cells ---- */

/* Writes the text, with what `escape` gives for a character in its place, or the character if that
 * is NULL. Control characters become \xHH, where the backslash is escaped, too. */
static void put_escaped(const char *text, const char *(*escape)(char c), FILE *file) {
    for (; *text; text++) {
        char control[8], *at = control;
        snprintf(control, sizeof control, "\\x%02x", (unsigned char)*text);
        if (!iscntrl((unsigned char)*text)) {
            control[0] = *text;
            control[1] = 0;
        }
        for (; *at; at++) {
            const char *instead = escape ? escape(*at) : NULL;
            if (instead)
                fputs(instead, file);
            else
                fputc(*at, file);
        }
    }
}

static const char *escape_markdown(char c) {
    switch (c) {
    case '|':
        return "\\|";
    case '\\':
        return "\\\\";
    case '*':
        return "\\*";
    case '_':
        return "\\_";
    case '`':
        return "\\`";
    case '<':
        return "&lt;";
    default:
        return NULL;
    }
}

static const char *escape_latex(char c) {
    switch (c) {
    case '&':
        return "\\&";
    case '%':
        return "\\%";
    case '$':
        return "\\$";
    case '#':
        return "\\#";
    case '_':
        return "\\_";
    case '{':
        return "\\{";
    case '}':
        return "\\}";
    case '~':
        return "\\textasciitilde{}";
    case '^':
        return "\\textasciicircum{}";
    case '\\':
        return "\\textbackslash{}";
    case '<':
        return "\\textless{}";
    case '>':
        return "\\textgreater{}";
    default:
        return NULL;
    }
}

/* RFC 4180. */
static void put_csv(const char *text, FILE *file) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/* ---- forms ---- */

/* In columns on a terminal; a character of several bytes takes one. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += iscntrl((unsigned char)*text) ? 4 : ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void put_blanks(size_t count, FILE *file) {
    for (; count; count--)
        fputc(' ', file);
}

static size_t *widths_of(const struct st_sheet *table) {
    size_t *widths = st_alloc(table->columns + 1, sizeof *widths);
    for (size_t i = 0; i < table->count; i++) {
        size_t width = width_of(table->cells[i]), column = i % table->columns;
        if (widths[column] < width)
            widths[column] = width;
    }
    return widths;
}

static void write_text(const struct st_sheet *table, FILE *file) {
    size_t *widths = widths_of(table);
    for (size_t row = 0; row < row_count(table); row++) {
        size_t owed = 0; /* blanks, if anything follows */
        for (size_t column = 0; column < table->columns; column++) {
            const char *text = cell_at(table, row, column);
            size_t padding = widths[column] - width_of(text);
            bool right = is_flush_right(table, column);
            owed += (column ? 2 : 0) + (right ? padding : 0);
            if (*text) {
                put_blanks(owed, file);
                put_escaped(text, NULL, file);
                owed = 0;
            }
            owed += right ? 0 : padding;
        }
        fputc('\n', file);
    }
    free(widths);
}

static void write_csv(const struct st_sheet *table, FILE *file) {
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t column = 0; column < table->columns; column++) {
            fputs(column ? "," : "", file);
            put_csv(cell_at(table, row, column), file);
        }
        fputc('\n', file);
    }
}

static void write_markdown(const struct st_sheet *table, FILE *file) {
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t column = 0; column < table->columns; column++) {
            fputs(column ? " | " : "| ", file);
            put_escaped(cell_at(table, row, column), escape_markdown, file);
        }
        fputs(" |\n", file);
        for (size_t column = 0; row == 0 && column < table->columns; column++)
            fputs(is_flush_right(table, column) ? "|--:" : "|---", file);
        fputs(row == 0 ? "|\n" : "", file);
    }
}

static void write_latex(const struct st_sheet *table, FILE *file) {
    fputs("\\begin{tabular}{", file);
    for (size_t column = 0; column < table->columns; column++)
        fputc(is_flush_right(table, column) ? 'r' : 'l', file);
    fputs("}\n\\hline\n", file);
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t column = 0; column < table->columns; column++) {
            fputs(column ? " & " : "", file);
            put_escaped(cell_at(table, row, column), escape_latex, file);
        }
        fputs(row == 0 ? " \\\\\n\\hline\n" : " \\\\\n", file);
    }
    fputs("\\hline\n\\end{tabular}\n", file);
}

void st_sheet_write(const struct st_sheet *table, enum st_sheet_form form, FILE *file) {
    switch (form) {
    case ST_SHEET_TEXT:
        write_text(table, file);
        break;
    case ST_SHEET_CSV:
        write_csv(table, file);
        break;
    case ST_SHEET_MARKDOWN:
        write_markdown(table, file);
        break;
    case ST_SHEET_LATEX:
        write_latex(table, file);
        break;
    }
}
