#include "watch/places.h"

#include "base/map64.h"
#include "base/memory.h"
#include "symbol/code/code_flow.h"
#include "symbol/memory/allocators.h"
#include "symbol/memory/locals.h"
#include "symbol/memory/members.h"
#include "symbol/symbol.h"
#include "symbol/user_code.h"
#include "watch/sites.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its name stands for places in it whose line is not known. */
struct module {
    char *path;
    const char *name; /* without its folders */
    uint64_t start, end, bias;
    uint64_t moved; /* all three were moved by so much */
    bool java;      /* it is that of a Java program */
};

/* Addresses of programs are below this one, and records have room for twice as many. */
#define FIRST_FREE (UINT64_C(1) << 47)

struct st_places {
    struct st_modules *symbols;
    struct module *modules;
    size_t count, capacity;
    bool has_java; /* one of them is that of a Java program */
    struct st_moves moves;
    uint64_t next_free; /* no module has addresses from here on */
    time_t built;
    char *folder;                      /* where we run: names of files are relative to it */
    const struct st_texts *allocators; /* or NULL */
    struct st_map64 allocations;       /* calls that memory is named after, by return address, */
    struct namer *namers;              /* and what is known of them */
    size_t namer_capacity;
    struct st_pairs allocating;  /* these calls, and those by which the library got the memory, */
    struct st_heap_site **sites; /* and what can be allocated there; NULL: not asked yet */
    size_t site_capacity;
    struct st_pairs members; /* accesses whose member was asked for: where, and what of it, */
    char **member_names;     /* and by their number the answer; "" is none */
    size_t member_capacity;
};

/* A call by which memory came. */
struct namer {
    char *where; /* NULL: not asked yet */
    struct st_code code;
    size_t depth; /* of the frame that memory should be named after */
    bool found;   /* there is one; otherwise where, code and depth are those of the innermost */
};

struct st_places *st_places_new(const struct st_texts *allocators, const char *source_root) {
    struct st_places *places = st_alloc(1, sizeof *places);
    places->folder = getcwd(NULL, 0);
    places->symbols = st_modules_new(places->folder);
    if (source_root)
        st_modules_look_below(places->symbols, source_root);
    places->allocators = allocators;
    st_map64_init(&places->allocations);
    places->next_free = FIRST_FREE;
    return places;
}

void st_places_free(struct st_places *places) {
    if (!places)
        return;
    for (size_t i = 0; i < places->count; i++)
        free(places->modules[i].path);
    free(places->modules);
    free(places->moves.list);
    for (uint32_t i = 0; i < places->allocations.count; i++)
        free(places->namers[i].where);
    free(places->namers);
    for (size_t i = 0; i < places->site_capacity; i++)
        st_heap_site_free(places->sites[i]);
    free(places->sites);
    st_pairs_free(&places->allocating);
    st_map64_free(&places->allocations);
    for (size_t i = 0; i < places->member_capacity; i++)
        free(places->member_names[i]);
    free(places->member_names);
    st_pairs_free(&places->members);
    st_modules_free(places->symbols);
    free(places->folder);
    free(places);
}

time_t st_places_built(const struct st_places *places) {
    return places->built;
}

/* Our own library says nothing about the program. */
static bool is_runtime(const char *name) {
    return strncmp(name, "libseriatim_rt.", 15) == 0 || strncmp(name, "libtsan.", 8) == 0;
}

static bool is_system(const char *path) {
    static const char *const folders[] = {"/usr/", "/lib/", "/lib64/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static void note_age(struct st_places *places, const char *path, const char *name) {
    struct stat status;
    if (!is_runtime(name) && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_mtime > places->built)
        places->built = status.st_mtime;
}

/* ---- modules ---- */

const struct st_moves *st_places_moves(const struct st_places *places) {
    return &places->moves;
}

/* The module, if it was there before, in the same place. */
static const struct module *find_module(const struct st_places *places, const char *path,
                                        uint64_t start, uint64_t length) {
    for (size_t i = 0; i < places->count; i++) {
        const struct module *module = &places->modules[i];
        if (module->start == start + module->moved && module->end == module->start + length &&
            strcmp(module->path, path) == 0)
            return module;
    }
    return NULL;
}

static bool overlap(uint64_t start, uint64_t length, uint64_t other, uint64_t other_length) {
    return start < other + other_length && other < start + length;
}

/* How far the addresses of a new module must be moved so that no other module has them. */
static uint64_t find_move(struct st_places *places, uint64_t start, uint64_t length) {
    enum { ALIGNMENT = 1 << 16 };
    bool taken = false;
    for (size_t i = 0; i < places->count && !taken; i++) {
        const struct module *module = &places->modules[i];
        taken = overlap(start, length, module->start - module->moved, module->end - module->start);
    }
    uint64_t to = places->next_free + start % ALIGNMENT;
    if (!taken || length >= FIRST_FREE || to + length >= 2 * FIRST_FREE)
        return 0;
    places->next_free = (to + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return to - start;
}

/* From now on this module is there. */
static void note_move(struct st_moves *moves, uint64_t start, uint64_t length, uint64_t by) {
    size_t kept = 0;
    for (size_t i = 0; i < moves->count; i++)
        if (!overlap(start, length, moves->list[i].start, moves->list[i].length))
            moves->list[kept++] = moves->list[i];
    moves->count = kept;
    if (!by)
        return;
    st_reserve(&moves->list, &moves->capacity, kept + 1);
    moves->list[moves->count++] = (struct st_moved){start, length, by};
}

static const struct module *add_module(struct st_places *places, const char *path, uint64_t start,
                                       uint64_t length, uint64_t bias) {
    uint64_t moved = find_move(places, start, length);
    struct module module = {.path = st_strdup(path),
                            .start = start + moved,
                            .end = start + moved + length,
                            .bias = bias + moved,
                            .moved = moved};
    const char *slash = strrchr(module.path, '/');
    module.name = slash ? slash + 1 : module.path;
    module.java = st_is_java_module(path);
    places->has_java |= module.java;
    note_age(places, path, module.name);
    st_modules_add(places->symbols, &(struct st_module){.path = path,
                                                        .start = module.start,
                                                        .end = module.end,
                                                        .bias = module.bias});
    st_reserve(&places->modules, &places->capacity, places->count + 1);
    places->modules[places->count] = module;
    return &places->modules[places->count++];
}

void st_places_add_module(struct st_places *places, const char *path, uint64_t start,
                          uint64_t length, uint64_t bias) {
    if (length > UINT64_MAX - start)
        return; /* no program has that */
    const struct module *module = find_module(places, path, start, length);
    if (!module)
        module = add_module(places, path, start, length, bias);
    note_move(&places->moves, start, length, module->moved);
}

/* The address in the module, as the program knows it, that has these lower bits; or 0. */
static uint64_t complete_in(const struct module *module, uint32_t low) {
    uint64_t start = module->start - module->moved;
    uint64_t address = (start & ~(uint64_t)UINT32_MAX) | low;
    if (address < start)
        address += UINT64_C(1) << 32;
    return address < module->end - module->moved ? address : 0;
}

uint64_t st_places_complete(const struct st_places *places, uint32_t low, uint64_t near) {
    uint64_t found = 0;
    for (size_t i = 0; i < places->count; i++) {
        const struct module *module = &places->modules[i];
        uint64_t address = complete_in(module, low);
        if (address && near - module->start < module->end - module->start)
            return address + module->moved;
        if (address && !found)
            found = st_places_now(places, address);
    }
    return found;
}

/* ---- names ---- */

static struct st_code code_of(const char *function, const char *file, unsigned line) {
    return (struct st_code){function, file ? file : "", line};
}

struct st_code st_places_function(struct st_places *places, uint64_t pc) {
    const struct st_function *function = st_function(places->symbols, pc);
    return code_of(function->name, function->file, function->line);
}

bool st_places_is_coroutine(struct st_places *places, uint64_t pc) {
    return st_is_coroutine(places->symbols, pc);
}

bool st_places_frame(struct st_places *places, uint64_t pc, size_t depth, struct st_code *code) {
    size_t count;
    const struct st_frame *frames = st_frames(places->symbols, pc, &count);
    if (depth >= count)
        return false;
    *code = code_of(frames[depth].function, frames[depth].file, frames[depth].line);
    return true;
}

static void describe(const struct st_places *places, uint64_t address, char *buffer, size_t size) {
    snprintf(buffer, size, "0x%" PRIx64, address);
    for (size_t i = places->count; i-- > 0;) {
        const struct module *module = &places->modules[i];
        if (address >= module->start && address < module->end) {
            snprintf(buffer, size, "%s+0x%" PRIx64, module->name, address - module->bias);
            return;
        }
    }
}

static void locate(const struct st_places *places, uint64_t pc, const struct st_code *code,
                   char *buffer, size_t size) {
    if (*code->file && code->line)
        snprintf(buffer, size, "%s:%u", code->file, code->line);
    else if (st_places_is_java(places, pc)) /* compiled without lines */
        snprintf(buffer, size, "%s", *code->file ? code->file : code->function);
    else
        describe(places, pc - 1, buffer, size);
}

const char *st_places_location(struct st_places *places, uint64_t pc, char *buffer, size_t size) {
    struct st_code code = code_of("", NULL, 0);
    st_places_frame(places, pc, 0, &code);
    locate(places, pc, &code, buffer, size);
    return buffer;
}

bool st_places_user_line(struct st_places *places, uint64_t pc, struct st_code *code, char *buffer,
                         size_t size) {
    for (size_t depth = 0; st_places_frame(places, pc, depth, code); depth++) {
        locate(places, pc, code, buffer, size);
        if (st_is_user_code(code->function, buffer))
            return true;
    }
    *code = st_places_function(places, pc);
    st_places_location(places, pc, buffer, size);
    return false;
}

/* ---- memory ---- */

static bool is_named_allocator(const struct st_places *places, const char *function) {
    for (size_t i = 0; places->allocators && i < places->allocators->count; i++)
        if (fnmatch(places->allocators->items[i], function, 0) == 0)
            return true;
    return false;
}

static bool only_hands_out(struct st_places *places, uint64_t pc, size_t depth,
                           const char *function) {
    return is_named_allocator(places, function) || st_is_allocator(places->symbols, pc, depth);
}

struct hand_out_search {
    const struct st_places *places;
    st_found_hand_out *found;
    void *context;
};

static bool is_named(void *context, const char *function) {
    return is_named_allocator(((struct hand_out_search *)context)->places, function);
}

static void pass_on(void *context, const struct st_hand_out *found) {
    struct hand_out_search *search = context;
    search->found(search->context, found);
}

/* Opening the files of the system takes long, and they have no instrumentation. */
void st_places_hand_outs(struct st_places *places, st_found_hand_out *found, void *context) {
    struct hand_out_search inner = {places, found, context};
    bool named = places->allocators && places->allocators->count;
    const struct module *module = &places->modules[places->count - 1];
    bool system = places->count > 1 && is_system(module->path);
    if (is_runtime(module->name) || module->path[0] != '/' || system ||
        st_module_uses(places->symbols, module->start, "__tsan_func_exit") == ST_USES_NOT)
        return;
    st_hand_outs_find(places->symbols, module->start,
                      &(struct st_hand_out_search){named ? is_named : NULL, pass_on, &inner});
}

static void find_namer(struct st_places *places, uint64_t pc, struct namer *namer) {
    char where[1024];
    for (size_t depth = 0; st_places_frame(places, pc, depth, &namer->code); depth++) {
        locate(places, pc, &namer->code, where, sizeof where);
        namer->depth = depth;
        namer->found = st_is_user_code(namer->code.function, where) &&
                       !only_hands_out(places, pc, depth, namer->code.function);
        if (namer->found)
            break;
    }
    if (!namer->found) {
        st_places_user_line(places, pc, &namer->code, where, sizeof where);
        namer->depth = 0;
    }
    namer->where = st_strdup(where);
}

static struct namer *namer_of(struct st_places *places, uint64_t pc) {
    uint32_t number = st_map64_number(&places->allocations, pc);
    st_reserve(&places->namers, &places->namer_capacity, (size_t)number + 1);
    struct namer *namer = &places->namers[number];
    if (!namer->where)
        find_namer(places, pc, namer);
    return namer;
}

bool st_places_names_memory(struct st_places *places, uint64_t pc) {
    return namer_of(places, pc)->found;
}

const char *st_places_memory_line(struct st_places *places, uint64_t pc, struct st_code *code) {
    const struct namer *namer = namer_of(places, pc);
    *code = namer->code;
    return namer->where;
}

/* One call of the user's may get memory for several things: elements and buckets of a table. */
static struct st_heap_site *heap_site(struct st_places *places, uint64_t pc, uint64_t inner) {
    size_t depth = namer_of(places, pc)->depth;
    uint32_t number = st_pairs_number(&places->allocating, pc, inner);
    st_reserve(&places->sites, &places->site_capacity, (size_t)number + 1);
    struct st_heap_site **site = &places->sites[number];
    if (!*site)
        *site = st_heap_site_new(places->symbols, places->folder, pc, depth, inner);
    return *site;
}

bool st_places_heap(struct st_places *places, uint64_t pc, uint64_t inner, uint64_t length,
                    uint64_t offset, struct st_heap_array *array, char *buffer, size_t size) {
    return st_heap_name(heap_site(places, pc, inner), length, offset, array, buffer, size);
}

bool st_places_is_typed(struct st_places *places, uint64_t pc, uint64_t inner, uint64_t length) {
    return st_heap_is_typed(heap_site(places, pc, inner), length);
}

uint64_t st_places_assigned_size(struct st_places *places, uint64_t pc, uint64_t inner) {
    return st_heap_assigned_size(heap_site(places, pc, inner));
}

enum { LONGEST_MEMBER = 512 };

const char *st_places_member(struct st_places *places, uint64_t pc, uint64_t size, int64_t shift) {
    uint32_t number =
        st_pairs_number(&places->members, pc, size << 8 | (uint64_t)(shift + INT8_MAX));
    st_reserve(&places->member_names, &places->member_capacity, (size_t)number + 1);
    char **name = &places->member_names[number];
    if (!*name) {
        char text[LONGEST_MEMBER];
        bool known =
            st_member_name(places->symbols, places->folder, pc, size, shift, text, sizeof text);
        *name = st_strdup(known ? text : "");
    }
    return **name ? *name : NULL;
}

bool st_places_local(struct st_places *places, uint64_t pc, uint64_t length, uint64_t offset,
                     char *buffer, size_t size) {
    return st_local_name(places->symbols, pc, length, offset, buffer, size);
}

/* ---- libraries ---- */

static const char *module_name(const struct st_places *places, uint64_t pc) {
    for (size_t i = places->count; i-- > 0;)
        if (pc - 1 >= places->modules[i].start && pc - 1 < places->modules[i].end)
            return places->modules[i].name;
    return "";
}

static bool begins_with_one_of(const char *name, const char *const *starts) {
    for (; *starts; starts++)
        if (strncmp(name, *starts, strlen(*starts)) == 0)
            return true;
    return false;
}

bool st_places_is_between(const struct st_places *places, uint64_t pc) {
    static const char *const names[] = {"libgomp.so.", "libomp", "libiomp5.so", NULL};
    const char *name = module_name(places, pc);
    return is_runtime(name) || begins_with_one_of(name, names);
}

bool st_places_is_library(const struct st_places *places, uint64_t pc) {
    static const char *const names[] = {"libc.so.", "ld-linux", "libstdc++.so.", "libgcc_s.so.",
                                        NULL};
    return begins_with_one_of(module_name(places, pc), names) || st_places_is_between(places, pc);
}

bool st_places_data(struct st_places *places, uint64_t address, char *buffer, size_t size) {
    return st_data_name(places->symbols, address, buffer, size) != ST_DATA_UNKNOWN;
}

bool st_places_is_java(const struct st_places *places, uint64_t pc) {
    if (__builtin_expect(!places->has_java, 1))
        return false;
    for (size_t i = places->count; i-- > 0;)
        if (places->modules[i].java && pc - 1 >= places->modules[i].start &&
            pc - 1 < places->modules[i].end)
            return true;
    return false;
}

struct st_java_row st_places_java(struct st_places *places, uint64_t pc) {
    if (__builtin_expect(!places->has_java, 1))
        return (struct st_java_row){0};
    return st_java_row_at(places->symbols, pc - 1);
}

struct st_code_flow *st_places_flow(struct st_places *places, uint64_t pc) {
    if (st_places_is_java(places, pc))
        return NULL;
    return st_code_flow_new(places->symbols, pc);
}

struct st_spin st_places_spin(struct st_places *places, uint64_t pc, unsigned char arguments) {
    if (st_places_is_java(places, pc))
        return (struct st_spin){0};
    return st_spin_around(places->symbols, pc, arguments);
}

size_t st_places_module_count(const struct st_places *places) {
    return places->count;
}

const char *st_places_module_path(const struct st_places *places, size_t index) {
    return places->modules[index].path;
}

bool st_places_is_uninstrumented(struct st_places *places, size_t index) {
    const struct module *module = &places->modules[index];
    if (module->path[0] != '/' || is_runtime(module->name) || is_system(module->path))
        return false;
    /* Instrumented files initialise the runtime. What programs are linked with does so, too; they
     * have a function that calls another, main at least. */
    const char *symbol = index == 0 ? "__tsan_func_entry" : "__tsan_init";
    return st_module_uses(places->symbols, module->start, symbol) == ST_USES_NOT;
}
