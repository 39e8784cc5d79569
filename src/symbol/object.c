#include "symbol/object.h"

#include "base/memory.h"
#include "symbol/debug_files.h"
#include "symbol/java_sites.h"
#include "symbol/spelling.h"
#include "symbol/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool st_is_file(const char *path) {
    return path[0] && path[0] != '[' && strncmp(path, "linux-vdso.so", 13) != 0 &&
           !st_is_java_module(path);
}

struct st_object *st_object_new(const char *path, const void *build_id, size_t build_id_size) {
    struct st_object *object = st_alloc(1, sizeof *object);
    object->path = st_strdup(path);
    object->opened = !st_is_file(path);
    st_map64_init(&object->walked);
    if (build_id && build_id_size) {
        object->build_id = st_alloc(build_id_size, 1);
        memcpy(object->build_id, build_id, build_id_size);
        object->build_id_size = build_id_size;
    }
    return object;
}

void st_object_free(struct st_object *object) {
    st_units_free(object->units);
    if (object->dwfl)
        dwfl_end(object->dwfl);
    st_address_ranges_free(&object->code);
    st_address_ranges_free(&object->data);
    st_address_ranges_free(&object->slots);
    st_map64_free(&object->walked);
    free(object->walked_facts);
    free(object->build_id);
    free(object->path);
    free(object);
}

static bool same_build_id(const struct st_object *object, const void *build_id, size_t size) {
    return object->build_id_size == size && (!size || !memcmp(object->build_id, build_id, size));
}

bool st_object_is(const struct st_object *object, const char *path, const void *build_id,
                  size_t build_id_size) {
    return strcmp(object->path, path) == 0 &&
           same_build_id(object, build_id, build_id ? build_id_size : 0);
}

/* ---- opening ---- */

/* The path comes from a program that ran earlier. By now it may be a pipe, on which open() must
 * not block. */
static int open_regular(const char *path, const char **trouble) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0) {
        *trouble = errno == ENOENT || errno == ENOTDIR ? "is not there any more; run it again"
                                                       : "cannot be opened for reading";
        return -1;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    *trouble = "is not a regular file any more";
    close(fd);
    return -1;
}

/* Maps the file at address 0, so that libdwfl's addresses are the file's. Takes over `fd`. */
static Dwfl *report(const char *path, int fd, Dwfl_Module **module) {
    static const Dwfl_Callbacks callbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = st_find_debug_file,
        .section_address = dwfl_offline_section_address,
    };
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl) {
        close(fd);
        return NULL;
    }
    *module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
    if (!*module) {
        close(fd);
        dwfl_end(dwfl);
        return NULL;
    }
    if (dwfl_report_end(dwfl, NULL, NULL) == 0)
        return dwfl;
    dwfl_end(dwfl);
    return NULL;
}

static bool is_what_ran(const struct st_object *object) {
    const unsigned char *found;
    GElf_Addr address;
    if (!object->build_id)
        return true;
    int size = dwfl_module_build_id(object->module, &found, &address);
    return size > 0 && same_build_id(object, found, (size_t)size);
}

static const char *try_to_open(struct st_object *object) {
    const char *trouble = NULL;
    int fd = open_regular(object->path, &trouble);
    if (fd < 0)
        return trouble;
    object->dwfl = report(object->path, fd, &object->module);
    if (!object->dwfl)
        return "is damaged or not an ELF file";
    if (!is_what_ran(object)) {
        dwfl_end(object->dwfl);
        object->dwfl = NULL;
        return "has changed since it ran; run it again";
    }
    return NULL;
}

void st_object_open_symbols(struct st_object *object) {
    if (object->opened)
        return;
    object->opened = true;
    object->trouble = try_to_open(object);
}

void st_object_open(struct st_object *object) {
    st_object_open_symbols(object);
    if (object->searched || !object->dwfl)
        return;
    object->searched = true;
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);
    if (dwarf)
        object->units = st_units_new(dwarf, bias);
    else
        object->trouble = "has no debug information; compile it with -g";
}

/* ---- symbols ---- */

/* Symbols without a size are left out: hand-written assembly, and labels of the linker. */
static void add_symbol(struct st_object *object, int number) {
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    const char *name =
        dwfl_module_getsym_info(object->module, number, &symbol, &address, &section, NULL, NULL);
    if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS || section == (GElf_Word)-1)
        return;
    unsigned type = GELF_ST_TYPE(symbol.st_info);
    uint64_t end = address + symbol.st_size;
    if (type == STT_OBJECT || type == STT_COMMON)
        st_address_ranges_add(&object->data, address, end, (uint32_t)number);
    else if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE)
        st_address_ranges_add(&object->code, address, end, (uint32_t)number);
}

/* Our own table, because libdwfl searches all symbols each time. */
static void read_symbols(struct st_object *object) {
    if (object->symbols_read)
        return;
    object->symbols_read = true;
    int count = dwfl_module_getsymtab(object->module);
    for (int i = 1; i < count; i++)
        add_symbol(object, i);
    st_address_ranges_sort(&object->code);
    st_address_ranges_sort(&object->data);
}

static const char *name_of(struct st_object *object, const struct st_address_range *range,
                           bool *is_local) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(object->module, (int)range->what, &symbol, &address,
                                               NULL, NULL, NULL);
    if (is_local)
        *is_local = !name || GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    return name;
}

/* Prefers, of several names for the same object, one that is not reserved for the implementation:
 * free rather than __libc_free. */
static const struct st_address_range *
find_symbol(struct st_object *object, const struct st_address_ranges *ranges, uint64_t address) {
    read_symbols(object);
    const struct st_address_range *first = st_address_ranges_find(ranges, address);
    if (!first)
        return NULL;
    for (const struct st_address_range *range = first; range->low == first->low; range--) {
        const char *name = name_of(object, range, NULL);
        if (name && !st_is_reserved(name) && range->high > address)
            return range;
        if (range == ranges->list)
            break;
    }
    return first;
}

static bool spell_symbol(struct st_object *object, const struct st_address_range *range,
                         struct st_label *text) {
    const char *name = range ? name_of(object, range, NULL) : NULL;
    if (name)
        st_spell_symbol(text, name);
    return name != NULL;
}

bool st_object_function(struct st_object *object, uint64_t address, struct st_label *text) {
    return spell_symbol(object, find_symbol(object, &object->code, address), text);
}

/* gcc calls it NAME.actor, and clang NAME.resume; gcc may put a part of it elsewhere. */
bool st_object_is_coroutine(struct st_object *object, uint64_t address) {
    const struct st_address_range *range = find_symbol(object, &object->code, address);
    const char *name = range ? name_of(object, range, NULL) : NULL;
    static const char *const ends[] = {".actor", ".resume", ".actor.cold", ".resume.cold"};
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t size = strlen(ends[i]);
        if (size < length && strcmp(name + length - size, ends[i]) == 0)
            return true;
    }
    return false;
}

bool st_object_data(struct st_object *object, uint64_t address, struct st_label *text,
                    uint64_t *offset) {
    const struct st_address_range *range = find_symbol(object, &object->data, address);
    if (range)
        *offset = address - range->low;
    return spell_symbol(object, range, text);
}

bool st_object_is_copied(struct st_object *object, uint64_t address, struct st_object *origin,
                         uint64_t *address_there) {
    bool is_local;
    const struct st_address_range *copy = find_symbol(object, &object->data, address);
    const char *name = copy ? name_of(object, copy, &is_local) : NULL;
    if (!name || is_local)
        return false;
    read_symbols(origin);
    for (size_t i = 0; i < origin->data.count; i++) {
        const struct st_address_range *range = &origin->data.list[i];
        if (range->high - range->low != copy->high - copy->low)
            continue;
        const char *other = name_of(origin, range, &is_local);
        if (!other || is_local || strcmp(name, other) != 0)
            continue;
        *address_there = range->low + (address - copy->low);
        return true;
    }
    return false;
}

enum st_uses st_object_uses(struct st_object *object, const char *wanted) {
    int count = object->module ? dwfl_module_getsymtab(object->module) : -1;
    enum st_uses uses = count > 1 ? ST_USES_NOT : ST_USES_UNKNOWN;
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name =
            dwfl_module_getsym_info(object->module, i, &symbol, &address, &section, NULL, NULL);
        if (name && strcmp(name, wanted) == 0)
            uses = section == SHN_UNDEF ? ST_USES : ST_USES_UNKNOWN;
    }
    return uses;
}

const struct st_address_range *st_object_code_range(struct st_object *object, uint64_t address) {
    if (!object->module)
        return NULL;
    read_symbols(object);
    return st_address_ranges_find(&object->code, address);
}
