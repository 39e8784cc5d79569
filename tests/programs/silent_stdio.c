// The C library shares a great deal between threads and keeps its own order: none of it is visible,
// and none of it cuts a block that prints, formats, sorts or asks for the time.
//
// EXPECT none
#include "schedule.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static BLOCK int work(const char *name, int pass, int resume) {
    char text[80];
    int numbers[5] = {3, 1, 5, 2, 4};
    struct tm date;
    time_t now = time(NULL);
    check(localtime_r(&now, &date) != NULL);
    qsort(numbers, 5, sizeof *numbers, compare);
    snprintf(text, sizeof text, "%s %d %d", name, numbers[0], date.tm_year > 100);
    fprintf(stderr, "%s begins\n", name);
    step(pass);
    step(resume);
    fprintf(stderr, "%s ends\n", name);
    char *copy = malloc(100);
    strcpy(copy, text);
    int length = (int)strlen(copy);
    free(copy);
    return length;
}

THREAD(one) {
    check(work("one", 1, 4) == 7);
    return NULL;
}

THREAD(two) {
    step(2);
    check(work("two", 3, 5) == 7);
    return NULL;
}

int main(void) {
    together(one, two);
    puts("ok");
    return 0;
}
