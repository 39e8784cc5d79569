#include "symbol/frames.h"

#include "base/memory.h"
#include "symbol/units.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of source files ---- */

/* Appends the components of a path to `out`, which ends with '/' or is empty, and removes one for
 * each "..". Returns the new length; the result ends with '/'. A ".." at the start of a relative
 * path stays. */
static size_t append_components(char *out, size_t length, const char *path) {
    while (*path) {
        size_t size = strcspn(path, "/");
        size_t back = length;
        if (length > 1)
            for (back = length - 1; back > 0 && out[back - 1] != '/';)
                back--;
        int is_up = length - back == 3 && memcmp(out + back, "../", 3) == 0;
        if (size == 2 && memcmp(path, "..", 2) == 0 && length > 0 && !is_up) {
            length = length > 1 ? back : length; /* above the root is the root */
        } else if (size > 0 && !(size == 1 && path[0] == '.')) {
            memcpy(out + length, path, size);
            out[length + size] = '/';
            length += size + 1;
        }
        path += size;
        path += strspn(path, "/");
    }
    return length;
}

/* The two paths joined and normalised; the result ends with '/'. */
static char *join(const char *directory, const char *file) {
    char *out = st_alloc(strlen(directory) + strlen(file) + 4, 1);
    size_t length = 0;
    if (file[0] == '/')
        directory = "";
    if (file[0] == '/' || directory[0] == '/')
        out[length++] = '/';
    length = append_components(out, length, directory);
    length = append_components(out, length, file);
    out[length] = '\0';
    return out;
}

static void drop_controls(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

char *st_source_path(const char *base, const char *directory, const char *file) {
    char *path = join(directory ? directory : "", file);
    size_t length = strlen(path);
    if (length > 1)
        path[--length] = '\0';
    drop_controls(path);
    if (!base)
        return path;
    char *top = join("", base);
    size_t skip = strlen(top);
    if (skip && length > skip && memcmp(path, top, skip) == 0)
        memmove(path, path + skip, length - skip + 1);
    free(top);
    return path;
}

/* ---- frames ---- */

/* The longest chain of inlined functions; a longer one loses its inner end. */
enum { MOST_FRAMES = 64, DEEPEST = 200 };

struct st_code_place *st_code_place_named(const char *name) {
    struct st_code_place *place = st_alloc(1, sizeof *place);
    place->frames = st_alloc(1, sizeof *place->frames);
    place->count = 1;
    place->frames[0].function = st_strdup(name);
    place->function.name = place->frames[0].function;
    return place;
}

void st_code_place_free(struct st_code_place *place) {
    for (size_t i = 0; i < place->count; i++) {
        free((char *)place->frames[i].function);
        free((char *)place->frames[i].file);
    }
    free(place->frames);
    free((char *)place->function.file);
    free(place);
}

/* ---- attributes ---- */

static const char *string_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/* libdw has put the compiler's directory before names in it, but not before names in relative
 * directories. It writes "???" for no name. */
static char *source_path(const char *base, Dwarf_Die *unit, const char *file) {
    if (!file || !*file || strcmp(file, "???") == 0)
        return NULL;
    const char *directory = string_of(unit, DW_AT_comp_dir);
    if (directory && strncmp(file, directory, strlen(directory)) == 0)
        directory = NULL;
    return st_source_path(base, directory, file);
}

/* The file that an attribute gives by its number in the list of its unit. libdw's dwarf_decl_file
 * does not know the number 0, which clang gives the main file in DWARF 5. */
static char *file_of(Dwarf_Die *die, unsigned name, const char *base) {
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number) != 0 ||
        !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return NULL;
    return source_path(base, &unit, dwarf_filesrc(files, number, NULL, NULL));
}

static unsigned number_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number) != 0)
        return 0;
    return (unsigned)number;
}

/* ---- inlined functions ---- */

/* The function that was inlined at the address, directly into `parent` or one of its blocks. */
static bool find_inlined(Dwarf_Die *parent, uint64_t address, Dwarf_Die *found, int depth) {
    Dwarf_Die die;
    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            continue;
        if (dwarf_haspc(&die, address) != 1)
            continue;
        if (tag == DW_TAG_lexical_block) {
            if (find_inlined(&die, address, found, depth + 1))
                return true;
        } else {
            *found = die;
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Outermost first. */
static size_t find_chain(Dwarf_Die *function, uint64_t address, Dwarf_Die chain[MOST_FRAMES]) {
    size_t count = 1;
    chain[0] = *function;
    while (count < MOST_FRAMES && find_inlined(&chain[count - 1], address, &chain[count], 0))
        count++;
    return count;
}

/* Does debug information say that an inlined function is part of what calls it (the attribute
 * `artificial`)? The members that a C++ compiler writes itself are no such functions: they have
 * their name from elsewhere. gcc does not say it with link-time optimisation. */
static bool is_part_of_caller(Dwarf_Die *inlined) {
    Dwarf_Attribute attribute;
    Dwarf_Die function;
    return dwarf_formref_die(dwarf_attr(inlined, DW_AT_abstract_origin, &attribute), &function) &&
           dwarf_hasattr(&function, DW_AT_artificial) && dwarf_hasattr(&function, DW_AT_name);
}

/* How many functions of a chain are to be seen. */
static size_t count_visible(Dwarf_Die *chain, size_t count) {
    size_t visible = 1;
    while (visible < count && !is_part_of_caller(&chain[visible]))
        visible++;
    return visible;
}

/* ---- lines ---- */

/* Is the address in that function itself, not in what was inlined into it? */
static bool is_own_code(Dwarf_Die *function, uint64_t address) {
    Dwarf_Die inlined;
    return function && dwarf_haspc(function, address) == 1 &&
           !find_inlined(function, address, &inlined, 0);
}

/* The line of an address. Optimisers leave code that belongs to no line, with line 0. It gets the
 * line before it, unless that belongs to another function. */
static void find_line(Dwarf_Die *unit, Dwarf_Die *function, uint64_t address, const char *base,
                      struct st_frame *frame) {
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    int number = 0;
    while (line && dwarf_lineno(line, &number) == 0 && number == 0) {
        Dwarf_Addr start;
        if (dwarf_lineaddr(line, &start) != 0 || !is_own_code(function, start - 1))
            return;
        line = dwarf_getsrc_die(unit, start - 1);
    }
    if (!line || number <= 0)
        return;
    frame->line = (unsigned)number;
    if (dwarf_linecol(line, &number) == 0 && number > 0)
        frame->column = (unsigned)number;
    frame->file = source_path(base, unit, dwarf_linesrc(line, NULL, NULL));
}

/* ---- origins ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mix_text(uint64_t hash, const char *text) {
    for (; text && *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return hash;
}

uint64_t st_code_origin(struct st_object *object, uint64_t address) {
    Dwarf_Die unit, chain[MOST_FRAMES], function;
    int number = 0, column = 0;
    uint64_t in_dwarf = object->units ? address - st_units_bias(object->units) : 0;
    if (!object->units || !st_unit_at(object->units, in_dwarf, &unit) ||
        !st_function_at(object->units, &unit, in_dwarf, &function))
        return 0;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, in_dwarf);
    if (!line || dwarf_lineno(line, &number) != 0 || number == 0)
        return 0;
    dwarf_linecol(line, &column);
    uint64_t hash =
        mix_text(mix(mix(UINT64_C(0xcbf29ce484222325), (uint64_t)number), (uint64_t)column),
                 dwarf_linesrc(line, NULL, NULL));
    size_t count = find_chain(&function, in_dwarf, chain);
    for (size_t i = 1; i < count; i++) {
        hash = mix(hash, number_of(&chain[i], DW_AT_call_file));
        hash = mix(hash, number_of(&chain[i], DW_AT_call_line));
        hash = mix(hash, number_of(&chain[i], DW_AT_call_column));
    }
    return hash ? hash : 1;
}

/* ---- places ---- */

static char *name_of(struct st_object *object, Dwarf_Die *function, uint64_t address) {
    struct st_label text;
    st_label_clear(&text);
    if (!st_qualified_name(object->units, function, &text) &&
        !st_object_function(object, address, &text))
        st_label_adds(&text, "???");
    return st_strdup(text.bytes);
}

/* Where the function is declared. gcc does not say this for lambdas; for them it is where their
 * code starts. */
static void find_declaration(Dwarf_Die *unit, Dwarf_Die *die, const char *base,
                             struct st_function *function) {
    struct st_frame start = {0};
    Dwarf_Addr entry;
    function->line = number_of(die, DW_AT_decl_line);
    function->file = function->line ? file_of(die, DW_AT_decl_file, base) : NULL;
    if (function->line || dwarf_entrypc(die, &entry) != 0)
        return;
    find_line(unit, NULL, entry, base, &start);
    function->line = start.line;
    function->file = start.file;
}

static struct st_code_place *place_in_function(struct st_object *object, Dwarf_Die *unit,
                                               Dwarf_Die *function, uint64_t address,
                                               const char *base) {
    Dwarf_Die chain[MOST_FRAMES];
    uint64_t in_dwarf = address - st_units_bias(object->units);
    struct st_code_place *place = st_alloc(1, sizeof *place);
    size_t count = find_chain(function, in_dwarf, chain);
    place->count = count_visible(chain, count);
    place->frames = st_alloc(place->count, sizeof *place->frames);
    for (size_t i = 0; i < place->count; i++) {
        Dwarf_Die *die = &chain[place->count - 1 - i];
        struct st_frame *frame = &place->frames[i];
        frame->function = name_of(object, die, address);
        frame->inlined = i + 1 < place->count;
        if (i == 0 && place->count == count) {
            find_line(unit, die, in_dwarf, base, frame);
        } else { /* where the function that is inlined into it was called from */
            frame->file = file_of(die + 1, DW_AT_call_file, base);
            frame->line = number_of(die + 1, DW_AT_call_line);
            frame->column = i == 0 ? number_of(die + 1, DW_AT_call_column) : 0;
        }
    }
    place->function.name = place->frames[place->count - 1].function;
    find_declaration(unit, function, base, &place->function);
    return place;
}

struct st_code_place *st_code_place_in(struct st_object *object, uint64_t address,
                                       const char *base) {
    Dwarf_Die unit, function;
    struct st_label text;
    uint64_t in_dwarf = object->units ? address - st_units_bias(object->units) : 0;
    bool has_unit = object->units && st_unit_at(object->units, in_dwarf, &unit);
    if (has_unit && st_function_at(object->units, &unit, in_dwarf, &function))
        return place_in_function(object, &unit, &function, address, base);

    st_label_clear(&text);
    if (!object->dwfl || !st_object_function(object, address, &text))
        return NULL;
    struct st_code_place *place = st_code_place_named(text.bytes);
    if (has_unit) /* assembly has lines, and no functions */
        find_line(&unit, NULL, in_dwarf, base, &place->frames[0]);
    return place;
}
