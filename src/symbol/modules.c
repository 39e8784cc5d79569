#include "symbol/symbol.h"

#include "base/map64.h"
#include "base/memory.h"
#include "symbol/code/code_flow.h"
#include "symbol/data.h"
#include "symbol/frames.h"
#include "symbol/java_sites.h"
#include "symbol/object.h"
#include "symbol/code/spin_loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
    uint64_t start, end, bias;
    uint32_t object;
    char *name;                 /* without directories */
    struct st_java_sites *java; /* or NULL: it has machine code */
};

/* What was looked up, by address. */
struct places {
    struct st_map64 numbers;
    struct st_code_place **list;
    size_t capacity;
};

/* Invariant: places[i] are those of objects[i], by address in the file, so that they remain valid
 * wherever and however often the file was loaded. */
struct st_modules {
    char *base, *sources; /* or NULL */
    struct module *list;  /* in the order in which they were added */
    size_t count, capacity;
    struct st_object **objects;
    struct places *places;
    size_t object_count, object_capacity, place_capacity;
    struct places elsewhere; /* addresses in no module, as they are */
};

struct st_modules *st_modules_new(const char *base) {
    struct st_modules *modules = st_alloc(1, sizeof *modules);
    modules->base = base ? st_strdup(base) : NULL;
    st_map64_init(&modules->elsewhere.numbers);
    return modules;
}

void st_modules_look_below(struct st_modules *modules, const char *folder) {
    free(modules->sources);
    modules->sources = realpath(folder, NULL);
}

static void places_free(struct places *places) {
    for (uint32_t i = 0; i < places->numbers.count; i++)
        st_code_place_free(places->list[i]);
    free(places->list);
    st_map64_free(&places->numbers);
}

void st_modules_free(struct st_modules *modules) {
    if (!modules)
        return;
    for (size_t i = 0; i < modules->object_count; i++) {
        places_free(&modules->places[i]);
        st_object_free(modules->objects[i]);
    }
    for (size_t i = 0; i < modules->count; i++) {
        st_java_sites_free(modules->list[i].java);
        free(modules->list[i].name);
    }
    places_free(&modules->elsewhere);
    free(modules->objects);
    free(modules->places);
    free(modules->list);
    free(modules->base);
    free(modules->sources);
    free(modules);
}

/* ---- adding ---- */

/* The number of the object, which is added if it is new. */
static uint32_t object_number(struct st_modules *modules, const struct st_module *module) {
    for (size_t i = 0; i < modules->object_count; i++)
        if (st_object_is(modules->objects[i], module->path, module->build_id,
                         module->build_id_size))
            return (uint32_t)i;
    size_t number = modules->object_count++;
    st_reserve(&modules->objects, &modules->object_capacity, number + 1);
    st_reserve(&modules->places, &modules->place_capacity, number + 1);
    modules->objects[number] = st_object_new(module->path, module->build_id, module->build_id_size);
    st_map64_init(&modules->places[number].numbers);
    return (uint32_t)number;
}

static char *short_name(const char *path) {
    static const char deleted[] = " (deleted)";
    const char *slash = strrchr(path, '/');
    char *name = st_strdup(!*path ? "[anonymous]" : slash && path[0] != '[' ? slash + 1 : path);
    size_t length = strlen(name), suffix = strlen(deleted);
    if (length > suffix && strcmp(name + length - suffix, deleted) == 0)
        name[length - suffix] = '\0';
    return name;
}

void st_modules_add(struct st_modules *modules, const struct st_module *module) {
    bool java = st_is_java_module(module->path);
    st_reserve(&modules->list, &modules->capacity, modules->count + 1);
    modules->list[modules->count++] = (struct module){
        .start = module->start,
        .end = module->end,
        .bias = st_is_file(module->path) ? module->bias : module->start,
        .object = object_number(modules, module),
        .name = short_name(module->path),
        .java = java ? st_java_sites_open(module->path, modules->base, modules->sources) : NULL,
    };
}

/* ---- look-up ---- */

/* Programs have tens of modules. A linear search through thirty takes 60 ns, and handles overlaps
 * without extra care. */
static const struct module *module_at(const struct st_modules *modules, uint64_t address) {
    for (size_t i = modules->count; i-- > 0;)
        if (address - modules->list[i].start < modules->list[i].end - modules->list[i].start)
            return &modules->list[i];
    return NULL;
}

static void add_raw_name(const struct module *module, uint64_t address, struct st_label *text) {
    if (module)
        st_label_addf(text, "%.200s+0x%" PRIx64, module->name, address - module->bias);
    else
        st_label_addf(text, "0x%" PRIx64, address);
}

static struct st_object *open_object(struct st_modules *modules, const struct module *module) {
    struct st_object *object = modules->objects[module->object];
    st_object_open(object);
    return object;
}

struct st_object *st_object_behind(struct st_modules *modules, uint64_t address, uint64_t *bias) {
    const struct module *module = module_at(modules, address);
    if (!module)
        return NULL;
    *bias = module->bias;
    return open_object(modules, module);
}

static struct st_code_place *find_java_place(const struct module *module, uint64_t address) {
    struct st_java_row row = st_java_row(module->java, address - module->start);
    if (row.kind != ST_JAVA_METHOD && row.kind != ST_JAVA_SITE)
        return NULL;
    struct st_code_place *place = st_code_place_named(row.name);
    if (*row.file) {
        place->frames[0].file = st_strdup(row.file);
        place->function.file = st_strdup(row.file);
    }
    place->frames[0].line = place->function.line = row.line;
    return place;
}

static struct st_code_place *find_place(struct st_modules *modules, const struct module *module,
                                        uint64_t address) {
    struct st_code_place *place = NULL;
    if (module && module->java)
        place = find_java_place(module, address);
    else if (module)
        place =
            st_code_place_in(open_object(modules, module), address - module->bias, modules->base);
    if (place)
        return place;
    struct st_label text;
    st_label_clear(&text);
    add_raw_name(module, address, &text);
    return st_code_place_named(text.bytes);
}

static const struct st_code_place *place_of(struct st_modules *modules, uint64_t pc) {
    uint64_t address = pc - 1;
    const struct module *module = module_at(modules, address);
    struct places *places = module ? &modules->places[module->object] : &modules->elsewhere;
    uint64_t key = module ? address - module->bias : address;
    uint32_t number = st_map64_find(&places->numbers, key);
    if (number != ST_MAP64_NONE)
        return places->list[number];
    struct st_code_place *place = find_place(modules, module, address);
    number = st_map64_number(&places->numbers, key);
    st_reserve(&places->list, &places->capacity, (size_t)number + 1);
    return places->list[number] = place;
}

const struct st_frame *st_frames(struct st_modules *modules, uint64_t pc, size_t *count) {
    const struct st_code_place *place = place_of(modules, pc);
    *count = place->count;
    return place->frames;
}

const struct st_function *st_function(struct st_modules *modules, uint64_t pc) {
    return &place_of(modules, pc)->function;
}

bool st_is_coroutine(struct st_modules *modules, uint64_t pc) {
    uint64_t bias;
    struct st_object *object = st_object_behind(modules, pc - 1, &bias);
    return object && st_object_is_coroutine(object, pc - 1 - bias);
}

/* A better name for a variable of which `object` has the symbol but not the debug information, if
 * another file has that. */
static void find_original(struct st_modules *modules, struct st_object *object, uint64_t address,
                          struct st_label *text, enum st_data_kind *kind) {
    uint64_t there;
    for (size_t i = 0; i < modules->object_count; i++) {
        struct st_object *origin = modules->objects[i];
        st_object_open_symbols(origin);
        if (origin == object || !origin->dwfl ||
            !st_object_is_copied(object, address, origin, &there))
            continue;
        st_object_open(origin);
        if (!origin->units)
            continue;
        struct st_label original;
        st_label_clear(&original);
        if (st_data_in(origin, there, &original, kind))
            *text = original;
        return;
    }
}

enum st_data_kind st_data_name(struct st_modules *modules, uint64_t address, char *buffer,
                               size_t size) {
    const struct module *module = module_at(modules, address);
    enum st_data_kind kind = module ? ST_DATA_MODULE : ST_DATA_UNKNOWN;
    struct st_label text;
    st_label_clear(&text);
    struct st_object *object = module ? open_object(modules, module) : NULL;
    if (!object || !st_data_in(object, address - module->bias, &text, &kind))
        add_raw_name(module, address, &text);
    else if (kind == ST_DATA_SYMBOL)
        find_original(modules, object, address - module->bias, &text, &kind);
    snprintf(buffer, size, "%s", text.bytes);
    return kind;
}

const char *st_module_trouble(struct st_modules *modules, uint64_t address) {
    const struct module *module = module_at(modules, address);
    return module ? open_object(modules, module)->trouble : NULL;
}

struct st_java_row st_java_row_at(struct st_modules *modules, uint64_t address) {
    const struct module *module = module_at(modules, address);
    if (!module || !module->java)
        return (struct st_java_row){0};
    return st_java_row(module->java, address - module->start);
}

enum st_uses st_module_uses(struct st_modules *modules, uint64_t address, const char *symbol) {
    const struct module *module = module_at(modules, address);
    return module ? st_object_uses(open_object(modules, module), symbol) : ST_USES_UNKNOWN;
}

struct st_code_flow *st_code_flow_new(struct st_modules *modules, uint64_t address) {
    const struct module *module = module_at(modules, address);
    if (!module)
        return NULL;
    return st_code_flow_in(open_object(modules, module), address - module->bias, module->bias);
}

struct st_spin st_spin_around(struct st_modules *modules, uint64_t pc, unsigned char arguments) {
    const struct module *module = module_at(modules, pc - 1);
    if (!module)
        return (struct st_spin){0};
    return st_spin_in(open_object(modules, module), pc - module->bias, arguments);
}
