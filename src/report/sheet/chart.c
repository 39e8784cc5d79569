#include "report/sheet/chart.h"

#include "base/memory.h"

#include <stdlib.h>

/* Okabe and Ito's colours, which remain distinct for colour-blind readers. */
static const char *const colours[] = {"#0072b2", "#009e73", "#d55e00", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#6b7280"};
enum { COLOURS = sizeof colours / sizeof *colours };
enum { LEFT = 220, TOP = 46, WIDTH = 420, RIGHT = 110, BAR = 13, GAP = 9, LINE = 20 };

void st_chart_add(struct st_chart *chart, const char *label, const double *values) {
    size_t first = chart->count * chart->series_count;
    st_reserve(&chart->labels, &chart->label_capacity, chart->count + 1);
    st_reserve(&chart->values, &chart->value_capacity, first + chart->series_count);
    for (size_t i = 0; i < chart->series_count; i++)
        chart->values[first + i] = values[i];
    chart->labels[chart->count++] = st_strdup(label);
}

void st_chart_free(struct st_chart *chart) {
    for (size_t i = 0; i < chart->count; i++)
        free(chart->labels[i]);
    free(chart->labels);
    free(chart->values);
}

static double value_at(const struct st_chart *chart, size_t row, size_t series) {
    return chart->values[row * chart->series_count + series];
}

/* The length of the longest bar. */
static double longest(const struct st_chart *chart) {
    double most = 0;
    for (size_t row = 0; row < chart->count; row++) {
        double sum = 0;
        for (size_t i = 0; i < chart->series_count; i++) {
            double value = value_at(chart, row, i) > 0 ? value_at(chart, row, i) : 0;
            sum = chart->stacked ? sum + value : value;
            most = sum > most ? sum : most;
        }
    }
    return most > 0 ? most : 1;
}

static int row_height(const struct st_chart *chart) {
    return GAP + BAR * (chart->stacked ? 1 : (int)chart->series_count);
}

static void put_text(FILE *file, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
}

static void put_label(FILE *file, double x, int y, const char *anchor, const char *text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    put_text(file, text);
    fputs("</text>\n", file);
}

static void put_number(const struct st_chart *chart, FILE *file, double x, int y, double value) {
    char text[64];
    if (value < 0)
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.4g%s", value, chart->unit ? chart->unit : "");
    put_label(file, x, y, "start", text);
}

static void put_bar(FILE *file, double x, int y, double width, size_t series) {
    fprintf(file, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y,
            width, BAR - 2, colours[series % COLOURS]);
}

static void put_row(const struct st_chart *chart, size_t row, double scale, FILE *file) {
    int y = TOP + (int)row * row_height(chart);
    double x = LEFT, sum = 0;
    put_label(file, LEFT - 8, y + BAR - 3, "end", chart->labels[row]);
    for (size_t i = 0; i < chart->series_count; i++) {
        double value = value_at(chart, row, i), width = value > 0 ? value * scale : 0;
        put_bar(file, x, y, width, i);
        sum += value > 0 ? value : 0;
        if (chart->stacked) {
            x += width;
            continue;
        }
        put_number(chart, file, x + width + 5, y + BAR - 3, value);
        y += BAR;
    }
    if (chart->stacked)
        put_number(chart, file, x + 5, y + BAR - 3, sum);
}

static void put_legend(const struct st_chart *chart, int y, FILE *file) {
    for (size_t i = 0; i < chart->series_count; i++, y += LINE) {
        put_bar(file, LEFT, y, BAR, i);
        put_label(file, LEFT + 2 * BAR, y + BAR - 3, "start", chart->series[i]);
    }
}

void st_chart_write(const struct st_chart *chart, FILE *file) {
    int bars = (int)chart->count * row_height(chart), width = LEFT + WIDTH + RIGHT;
    int height = TOP + bars + 16 + LINE * (int)chart->series_count;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1f2937\">\n<title>",
            width, height, width, height);
    put_text(file, chart->title);
    fprintf(file, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    put_label(file, LEFT, 22, "start", chart->title);
    for (size_t row = 0; row < chart->count; row++)
        put_row(chart, row, WIDTH / longest(chart), file);
    put_legend(chart, TOP + bars + 8, file);
    fputs("</svg>\n", file);
}
