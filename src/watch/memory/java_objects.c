#include "watch/memory/java_objects.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void st_java_objects_init(struct st_java_objects *objects) {
    *objects = (struct st_java_objects){0};
    st_map64_init(&objects->known);
    st_names_init(&objects->classes);
    st_names_init(&objects->taken);
}

void st_java_objects_free(struct st_java_objects *objects) {
    for (size_t i = 0; i < objects->kept_capacity; i++)
        free(objects->kept[i]);
    st_map64_free(&objects->known);
    st_names_free(&objects->classes);
    st_names_free(&objects->taken);
    free(objects->numbers);
    free(objects->shown);
    free(objects->kept);
    free(objects->counts);
}

/* What is behind the last period: "Account" of "bank.Account", "Bank$Teller". */
static const char *without_package(const char *class) {
    const char *dot = strrchr(class, '.');
    return dot && dot[1] ? dot + 1 : class;
}

/* The number of the class. */
static uint32_t class_number(struct st_java_objects *objects, const char *class) {
    uint32_t before = objects->classes.count;
    uint32_t number = st_names_add(&objects->classes, class, strlen(class));
    if (number < before)
        return number;
    st_reserve(&objects->kept, &objects->kept_capacity, (size_t)number + 1);
    st_reserve(&objects->shown, &objects->shown_capacity, (size_t)number + 1);
    st_reserve(&objects->counts, &objects->count_capacity, (size_t)number + 1);
    const char *name = objects->kept[number] = st_strdup(class), *word = without_package(name);
    uint32_t taken = objects->taken.count;
    bool is_free = st_names_add(&objects->taken, word, strlen(word)) == taken;
    objects->shown[number] = is_free ? word : name;
    return number;
}

static uint32_t object_number(struct st_java_objects *objects, uint32_t class, uint64_t start) {
    uint32_t index = st_map64_number(&objects->known, start);
    st_reserve(&objects->numbers, &objects->number_capacity, (size_t)index + 1);
    if (!objects->numbers[index])
        objects->numbers[index] = ++objects->counts[class];
    return objects->numbers[index];
}

/* "class bank.Account" stands for the class itself, of which there is one. */
static const char *class_object(const char *name) {
    static const char start[] = "class ";
    return strncmp(name, start, strlen(start)) == 0 ? name + strlen(start) : NULL;
}

void st_java_object_name(struct st_java_objects *objects, const struct st_java_row *row,
                         uint64_t start, uint64_t offset, char *buffer, size_t size) {
    const char *itself = row->kind == ST_JAVA_OTHERS ? class_object(row->name) : NULL;
    uint32_t class = class_number(objects, itself ? itself : row->name);
    char member[512];
    st_java_member(row, offset, member, sizeof member);
    if (itself)
        snprintf(buffer, size, "class %s", objects->shown[class]);
    else if (row->kind == ST_JAVA_STATICS)
        snprintf(buffer, size, "%s%s", objects->shown[class], member);
    else
        snprintf(buffer, size, "%s@%" PRIu32 "%s", objects->shown[class],
                 object_number(objects, class, start), member);
}
