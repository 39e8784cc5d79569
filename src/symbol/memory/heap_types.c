#include "symbol/memory/heap_types.h"

#include "base/memory.h"
#include "symbol/data.h"
#include "symbol/memory/library_types.h"
#include "symbol/memory/scopes.h"
#include "symbol/spelling.h"
#include "symbol/units.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A type that the memory may have. */
struct candidate {
    Dwarf_Die type;       /* without const, volatile and typedef */
    uint64_t size;        /* not 0 */
    char *type_name;      /* or NULL: it has none */
    const char *variable; /* that points to it, or NULL */
    bool mentioned;       /* by the line of the call, */
    bool asked_for;       /* or by the library's function that got the memory */
    bool grows;           /* it ends with an array without a size */
};

/* A call may be longer than a line. */
enum { CALL_LINES = 3 };

struct st_heap_site {
    struct candidate *list;
    size_t count, capacity;
    char *line; /* of the source, with a blank at both ends; NULL if it cannot be read */
};

/* ---- the line ---- */

char *st_read_lines(const char *base, const char *path, unsigned first, unsigned lines) {
    enum { LONGEST = 4096 };
    char *name = NULL, *text = NULL, *line = NULL;
    size_t room = 0, length = 0, capacity = 0;
    bool below = base && path[0] != '/';
    name = st_alloc((below ? strlen(base) : 0) + strlen(path) + 2, 1);
    sprintf(name, "%s%s%s", below ? base : "", below ? "/" : "", path);
    FILE *file = fopen(name, "re");
    free(name);
    ssize_t got = 0;
    for (unsigned i = 1; file && i < first + lines && (got = getline(&line, &room, file)) >= 0;
         i++) {
        if (i < first || length + (size_t)got > LONGEST)
            continue;
        st_reserve(&text, &capacity, length + (size_t)got + 3);
        if (!length)
            text[length++] = ' ';
        memcpy(text + length, line, (size_t)got);
        length += (size_t)got;
        text[length] = '\0';
        if (strchr(line, ';'))
            break;
    }
    free(line);
    if (file)
        fclose(file);
    return text;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the line have the name as a word? */
static bool mentions(const char *line, const char *name) {
    size_t length = strlen(name);
    if (!line || !length)
        return false;
    for (const char *at = line; (at = strstr(at, name)); at++)
        if (!is_word(at[-1]) && !is_word(at[length]))
            return true;
    return false;
}

/* Is the first line that of a class, whose constructor nobody has written? The type that it names
 * is not what is allocated there. */
static bool begins_definition(const char *line) {
    static const char *const words[] = {"class ", "struct ", "union ", NULL};
    size_t length = strcspn(line, "\n");
    const char *brace = memchr(line, '{', length);
    line += strspn(line, " \t");
    for (const char *const *word = words; brace && *word; word++)
        if (strncmp(line, *word, strlen(*word)) == 0)
            return !memchr(line, '(', (size_t)(brace - line)) &&
                   !memchr(line, '=', (size_t)(brace - line));
    return false;
}

/* ---- candidates ---- */

/* Does the structure end with an array whose size is not known? */
static bool is_open_ended(Dwarf_Die *structure) {
    Dwarf_Die die, last, type;
    Dwarf_Word size;
    bool any = false;
    if (dwarf_tag(structure) != DW_TAG_structure_type || dwarf_child(structure, &die) != 0)
        return false;
    do {
        if (dwarf_tag(&die) == DW_TAG_member) {
            last = die;
            any = true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return any && st_type_of(&last, &type) && dwarf_tag(&type) == DW_TAG_array_type &&
           (dwarf_aggregate_size(&type, &size) != 0 || size == 0);
}

/* Typedefs stay, unlike with dwarf_peel_type. */
static void drop_qualifiers(Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    for (int i = 0; i < 4; i++)
        if ((dwarf_tag(type) != DW_TAG_const_type && dwarf_tag(type) != DW_TAG_volatile_type) ||
            !dwarf_attr(type, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, type))
            return;
}

bool st_type_name(struct st_units *units, Dwarf_Die type, struct st_label *name) {
    Dwarf_Die peeled;
    st_label_clear(name);
    drop_qualifiers(&type);
    if (dwarf_diename(&type) && st_qualified_name(units, &type, name))
        return true;
    return dwarf_peel_type(&type, &peeled) == 0 && dwarf_diename(&peeled) &&
           st_qualified_name(units, &peeled, name);
}

/* "Account*". */
static bool pointer_name(struct st_units *units, Dwarf_Die type, struct st_label *name) {
    Dwarf_Die target;
    if (dwarf_tag(&type) != DW_TAG_pointer_type || !st_type_of(&type, &target) ||
        !st_type_name(units, target, name))
        return false;
    st_label_adds(name, "*");
    return true;
}

/* `type` as it is written, with its typedefs. */
static void add_candidate(struct st_heap_site *site, struct st_units *units, Dwarf_Die type,
                          const char *variable, bool mentioned) {
    struct candidate new = {.variable = variable, .mentioned = mentioned};
    struct st_label name;
    Dwarf_Word size;
    if (dwarf_peel_type(&type, &new.type) != 0 || dwarf_tag(&new.type) == DW_TAG_subroutine_type ||
        dwarf_aggregate_size(&new.type, &size) != 0 || !size)
        return;
    if (st_library_type_name(units, &new.type, &name) || st_type_name(units, type, &name) ||
        pointer_name(units, new.type, &name))
        new.type_name = st_strdup(name.bytes);
    new.size = size;
    new.grows = is_open_ended(&new.type);
    st_reserve(&site->list, &site->capacity, site->count + 1);
    site->list[site->count++] = new;
}

static void add_variable(struct st_heap_site *site, struct st_units *units, Dwarf_Die *die) {
    Dwarf_Die type;
    int tag = dwarf_tag(die);
    if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !st_pointee_of(die, &type))
        return;
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    if (name && !st_is_reserved(name))
        add_candidate(site, units, type, name, mentions(site->line, name));
}

static void add_variables_in(struct st_heap_site *site, struct st_units *units, Dwarf_Die *scope) {
    Dwarf_Die die;
    if (dwarf_child(scope, &die) != 0)
        return;
    do
        add_variable(site, units, &die);
    while (dwarf_siblingof(&die, &die) == 0);
}

/* What a function returns that makes such things. */
static void add_returned(struct st_heap_site *site, struct st_units *units, Dwarf_Die *function,
                         bool mentioned) {
    Dwarf_Die type;
    if (st_pointee_of(function, &type))
        add_candidate(site, units, type, NULL, mentioned);
}

/* Types and variables of the whole unit, as far as the line mentions them. */
static void add_mentioned(struct st_heap_site *site, struct st_units *units, Dwarf_Die *parent,
                          int depth) {
    Dwarf_Die die;
    if (!site->line || depth > 4 || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        bool type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                    tag == DW_TAG_union_type || tag == DW_TAG_typedef;
        const char *name = type || tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;
        if (tag == DW_TAG_namespace)
            add_mentioned(site, units, &die, depth + 1);
        else if (type && name && mentions(site->line, name))
            add_candidate(site, units, die, NULL, true);
        else if (name && mentions(site->line, name))
            add_variable(site, units, &die);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* The functions of a library that got the memory: std::allocator<Account>::allocate. The innermost
 * knows best what for. */
static void add_inner(struct st_heap_site *site, struct st_modules *modules, uint64_t inner) {
    struct st_scopes scopes;
    Dwarf_Die function;
    size_t first = site->count;
    st_scopes_find(&scopes, modules, inner);
    for (size_t depth = 0; st_scopes_frame(&scopes, depth, &function); depth++)
        add_returned(site, scopes.object->units, &function, true);
    if (site->count > first)
        site->list[first].asked_for = true;
}

struct st_heap_site *st_heap_site_new(struct st_modules *modules, const char *base, uint64_t pc,
                                      size_t depth, uint64_t inner) {
    struct st_heap_site *site = st_alloc(1, sizeof *site);
    size_t count;
    const struct st_frame *frames = st_frames(modules, pc, &count);
    if (depth < count && frames[depth].file && frames[depth].line)
        site->line = st_read_lines(base, frames[depth].file, frames[depth].line, CALL_LINES);
    if (site->line && begins_definition(site->line)) {
        free(site->line);
        site->line = NULL;
    }
    struct st_scopes scopes;
    Dwarf_Die function;
    st_scopes_find(&scopes, modules, pc);
    if (!scopes.count)
        return site;
    struct st_units *units = scopes.object->units;
    for (size_t i = 0; i < scopes.count; i++)
        add_variables_in(site, units, &scopes.list[i]);
    if (st_scopes_frame(&scopes, depth, &function))
        add_returned(site, units, &function, mentions(site->line, "return"));
    add_mentioned(site, units, &scopes.unit, 0);
    if (inner != pc)
        add_inner(site, modules, inner);
    return site;
}

void st_heap_site_free(struct st_heap_site *site) {
    if (!site)
        return;
    for (size_t i = 0; i < site->count; i++)
        free(site->list[i].type_name);
    free(site->list);
    free(site->line);
    free(site);
}

/* ---- the choice ---- */

/* How well it fits: 0 not at all, 1 as one of several in a row, 2 with a tail, 3 exactly. */
static unsigned fit_of(const struct candidate *candidate, uint64_t size) {
    if (candidate->size == size)
        return 3;
    if (candidate->grows && size > candidate->size)
        return 2;
    return candidate->mentioned && size % candidate->size == 0;
}

static bool is_structure(const struct candidate *candidate) {
    int tag = dwarf_tag((Dwarf_Die *)&candidate->type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* Small sizes are those of many things. */
static bool is_distinctive(const struct candidate *candidate) {
    enum { DISTINCTIVE = 16 };
    return candidate->mentioned || (is_structure(candidate) && candidate->size >= DISTINCTIVE);
}

static bool is_same_type(const struct candidate *a, const struct candidate *b) {
    return a->type.addr == b->type.addr || (a->size == b->size && a->type_name && b->type_name &&
                                            strcmp(a->type_name, b->type_name) == 0);
}

static const struct candidate *choose(const struct st_heap_site *site, uint64_t size) {
    const struct candidate *best = NULL;
    unsigned most = 0;
    bool doubtful = false;
    for (size_t i = 0; i < site->count; i++) {
        const struct candidate *one = &site->list[i];
        unsigned fit = is_distinctive(one) ? fit_of(one, size) : 0;
        unsigned worth = fit ? fit + (one->mentioned ? 4 : 0) + (one->asked_for ? 8 : 0) : 0;
        if (!worth || worth < most)
            continue;
        if (worth > most) {
            best = one;
            doubtful = false;
        } else if (!is_same_type(best, one)) {
            doubtful = true;
        } else if (!best->variable) {
            best = one;
        }
        most = worth;
    }
    return doubtful ? NULL : best;
}

/* Of `item = take(pool)`: "item ". NULL: nothing is assigned. */
static char *assigned_part(const char *line) {
    const char *equals = line ? strchr(line, '=') : NULL;
    if (!equals || equals[1] == '=' || strchr("!<>=", equals[-1]))
        return NULL;
    size_t length = (size_t)(equals - line);
    char *part = st_alloc(length + 2, 1);
    memcpy(part, line, length);
    part[length] = ' ';
    return part;
}

/* The one structure among the pointers that the part mentions, or among the types that the line
 * does; NULL: there is none, or more than one. */
static const struct candidate *only_structure(const struct st_heap_site *site, const char *part) {
    const struct candidate *found = NULL;
    for (size_t i = 0; i < site->count; i++) {
        const struct candidate *one = &site->list[i];
        bool counts = part ? one->variable && mentions(part, one->variable)
                           : !one->variable && one->mentioned;
        if (!counts || !is_structure(one) || one->grows)
            continue;
        if (found && !is_same_type(found, one))
            return NULL;
        found = one;
    }
    return found;
}

uint64_t st_heap_assigned_size(const struct st_heap_site *site) {
    char *part = assigned_part(site->line);
    const struct candidate *found = part ? only_structure(site, part) : NULL;
    free(part);
    if (!found)
        found = only_structure(site, NULL);
    return found ? found->size : 0;
}

bool st_heap_is_typed(const struct st_heap_site *site, uint64_t size) {
    const struct candidate *type = choose(site, size);
    return type && type->size > 1;
}

bool st_heap_name(const struct st_heap_site *site, uint64_t size, uint64_t offset,
                  struct st_heap_array *array, char *buffer, size_t room) {
    const struct candidate *type = choose(site, size);
    *array = (struct st_heap_array){0};
    if (!type)
        return false;
    struct st_label path;
    st_label_clear(&path);
    uint64_t count = type->grows ? 1 : size / type->size,
             index = count > 1 ? offset / type->size : 0;
    st_data_path(type->type, offset - index * type->size, &path);
    bool member = path.bytes[0] == '.' && type->type_name;
    const char *name = member || !type->variable ? type->type_name : type->variable;
    if (!name)
        return false;
    if (count > 1)
        *array = (struct st_heap_array){type->size, strlen(name) + 1};
    if (count > 1)
        snprintf(buffer, room, "%s[%" PRIu64 "]%s", name, index, path.bytes);
    else if (path.bytes[0] == '.')
        snprintf(buffer, room, "%s->%s", name, path.bytes + 1);
    else
        snprintf(buffer, room, "%s%s%s", name == type->variable && !*path.bytes ? "*" : "", name,
                 path.bytes);
    return true;
}
