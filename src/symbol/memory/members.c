#include "symbol/memory/members.h"

#include "symbol/data.h"
#include "symbol/memory/heap_types.h"
#include "symbol/memory/scopes.h"
#include "symbol/units.h"

#include <ctype.h>
#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8 };

/* What an expression is so far: its type, and from the last pointer on, the structure and the way
 * in it. */
struct expression {
    Dwarf_Die type; /* as it is declared */
    bool behind_pointer;
    Dwarf_Die structure;   /* that the pointer points to, */
    size_t structure_name; /* the length of its name in the text, */
    int64_t offset;        /* and where in it this is; -1: in an element of an array */
    struct st_label text;
};

/* Invariant: `found` is the answer if there is any, and none if it is doubtful: others are as near.
 */
struct search {
    struct st_scopes *scopes;
    struct st_units *units;
    uint64_t size;
    unsigned column; /* of the access, or 0 */
    struct expression found;
    unsigned distance; /* of what was found from there */
    bool any, doubtful;
};

/* ---- names ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_called(Dwarf_Die *die, const char *name, size_t length) {
    Dwarf_Attribute attribute;
    const char *own = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return own && strlen(own) == length && memcmp(own, name, length) == 0;
}

static bool declared_type(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, type) != NULL;
}

static bool is_variable(Dwarf_Die *die) {
    return dwarf_tag(die) == DW_TAG_variable || dwarf_tag(die) == DW_TAG_formal_parameter;
}

static bool find_variable(Dwarf_Die *scope, const char *name, size_t length, Dwarf_Die *type) {
    Dwarf_Die die;
    if (dwarf_child(scope, &die) != 0)
        return false;
    do {
        if (is_variable(&die) && is_called(&die, name, length))
            return declared_type(&die, type);
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* ---- members ---- */

static bool is_structure(Dwarf_Die *type) {
    int tag = dwarf_tag(type);
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Also those of classes that it derives from, and of structures without a name in it. */
static bool find_member(Dwarf_Die *structure, const char *name, size_t length, Dwarf_Die *type,
                        int64_t *offset, int depth) {
    Dwarf_Die die, inner;
    int64_t before = *offset;
    if (depth > DEEPEST || dwarf_child(structure, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        Dwarf_Attribute attribute;
        Dwarf_Word own = 0;
        dwarf_formudata(dwarf_attr(&die, DW_AT_data_member_location, &attribute), &own);
        *offset = before + (int64_t)own;
        if (tag == DW_TAG_member && is_called(&die, name, length))
            return declared_type(&die, type);
        bool open = tag == DW_TAG_inheritance || (tag == DW_TAG_member && !dwarf_diename(&die));
        if (open && st_type_of(&die, &inner) && is_structure(&inner) &&
            find_member(&inner, name, length, type, offset, depth + 1))
            return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

/* Follows a pointer, or steps into an array. */
static bool step_into(struct expression *expression, bool arrays) {
    Dwarf_Die peeled, next;
    Dwarf_Attribute attribute;
    if (dwarf_peel_type(&expression->type, &peeled) != 0)
        return false;
    int tag = dwarf_tag(&peeled);
    if ((tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type &&
         !(arrays && tag == DW_TAG_array_type)) ||
        !dwarf_attr(&peeled, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &next))
        return false;
    expression->type = next;
    if (tag == DW_TAG_array_type) {
        st_label_adds(&expression->text, "[]");
        expression->offset = -1;
        return true;
    }
    expression->behind_pointer = false;
    st_label_clear(&expression->text);
    return true;
}

/* The pointer was followed to a structure, whose member is named now. */
static bool enter_member(struct search *search, struct expression *expression, bool arrow,
                         const char *name, size_t length) {
    Dwarf_Die structure, type;
    if (arrow && !step_into(expression, true))
        return false;
    if (dwarf_peel_type(&expression->type, &structure) != 0)
        return false;
    if (dwarf_tag(&structure) == DW_TAG_reference_type) {
        if (!step_into(expression, false) || dwarf_peel_type(&expression->type, &structure) != 0)
            return false;
        arrow = true;
    }
    int64_t offset = 0;
    if (!is_structure(&structure) || !find_member(&structure, name, length, &type, &offset, 0))
        return false;
    if (arrow) {
        if (!st_type_name(search->units, expression->type, &expression->text))
            return false;
        expression->structure = structure;
        expression->structure_name = expression->text.length;
        expression->offset = 0;
        st_label_adds(&expression->text, "->");
        expression->behind_pointer = true;
    } else {
        st_label_adds(&expression->text, ".");
    }
    st_label_add(&expression->text, name, length);
    expression->offset = expression->offset < 0 ? -1 : expression->offset + offset;
    expression->type = type;
    return true;
}

/* Compilers say the column of a member, or that of the sign of an assignment behind it. */
static unsigned distance_of(unsigned column, unsigned first, unsigned end) {
    if (!column || (column >= first && column < end))
        return 0;
    return column >= end ? column - end + 1 : UINT_MAX;
}

static bool has_size(Dwarf_Die type, uint64_t wanted) {
    Dwarf_Word size;
    return dwarf_peel_type(&type, &type) == 0 && !is_structure(&type) &&
           dwarf_tag(&type) != DW_TAG_array_type && dwarf_aggregate_size(&type, &size) == 0 &&
           size == wanted;
}

static bool is_lock(const struct search *search, Dwarf_Die type) {
    static const char *const starts[] = {"pthread_", "mtx_t", "sem_t", "std::", "omp_", NULL};
    struct st_label name;
    if (!st_type_name(search->units, type, &name))
        return false;
    for (const char *const *start = starts; *start; start++)
        if (strncmp(name.bytes, *start, strlen(*start)) == 0)
            return true;
    return false;
}

/* The expression stands in these columns of the line. */
static void consider(struct search *search, const struct expression *expression, unsigned first,
                     unsigned end) {
    if (!expression->behind_pointer ||
        !(search->size == ST_ANY_LOCK ? is_lock(search, expression->type)
                                      : has_size(expression->type, search->size)))
        return;
    unsigned distance = distance_of(search->column, first, end);
    bool equal = search->any && strcmp(search->found.text.bytes, expression->text.bytes) == 0;
    if (search->any && distance > search->distance)
        return;
    search->doubtful = search->any && distance == search->distance && (search->doubtful || !equal);
    search->found = *expression;
    search->distance = distance;
    search->any = true;
}

/* ---- the line ---- */

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t");
}

/* Behind the bracket that ends what starts here; NULL: it does not end in this line. */
static const char *skip_brackets(const char *at) {
    int open = 0;
    for (; *at; at++) {
        open += *at == '[';
        open -= *at == ']';
        if (!open)
            return at + 1;
    }
    return NULL;
}

static size_t word_length(const char *at) {
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

/* The variable, or the member of `this`, that an expression begins with. */
static bool begin_expression(struct search *search, const char *name, size_t length,
                             struct expression *expression) {
    st_label_clear(&expression->text);
    expression->behind_pointer = false;
    struct st_scopes *scopes = search->scopes;
    for (size_t i = scopes->count; i-- > 0;)
        if (find_variable(&scopes->list[i], name, length, &expression->type))
            return true;
    for (size_t i = scopes->count; i-- > 0;)
        if (find_variable(&scopes->list[i], "this", strlen("this"), &expression->type))
            return enter_member(search, expression, true, name, length);
    return find_variable(&scopes->unit, name, length, &expression->type);
}

/* What follows the name: `[3]`, `->next`, `.count`. */
static void follow(struct search *search, struct expression *expression, const char *line,
                   const char *at) {
    const char *first = at;
    for (int steps = 0; at && steps < DEEPEST; steps++) {
        at = skip_blanks(at);
        bool arrow = at[0] == '-' && at[1] == '>';
        if (*at == '[') {
            if (!step_into(expression, true))
                return;
            at = skip_brackets(at);
            continue;
        }
        if (!arrow && (at[0] != '.' || at[1] == '.'))
            return;
        at = skip_blanks(at + (arrow ? 2 : 1));
        size_t length = word_length(at);
        if (!length || !enter_member(search, expression, arrow, at, length))
            return;
        consider(search, expression, (unsigned)(first - line), (unsigned)(at + length - line));
        first = at += length;
    }
}

/* Is the name that of a member, behind a point or an arrow? The line begins with a blank. */
static bool is_member(const char *line, const char *at) {
    while (at > line && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at > line + 1 && (at[-1] == '.' || (at[-1] == '>' && at[-2] == '-'));
}

/* Up to a comment or a text. */
static void look_at(struct search *search, const char *line) {
    struct expression expression;
    for (const char *at = line;
         *at && *at != '"' && strncmp(at, "//", 2) && strncmp(at, "/*", 2);) {
        size_t length = 0;
        while (is_word(at[length]))
            length++;
        if (length && !isdigit((unsigned char)*at) && !is_member(line, at) &&
            begin_expression(search, at, length, &expression)) {
            consider(search, &expression, (unsigned)(at - line), (unsigned)(at + length - line));
            follow(search, &expression, line, at + length);
        }
        at += length ? length : 1;
    }
}

/* The member, or its neighbour. */
static bool put_found(const struct expression *found, int64_t shift, char *buffer, size_t room) {
    Dwarf_Die structure = found->structure;
    int64_t offset = found->offset + shift;
    struct st_label path;
    Dwarf_Word size;
    if (!shift) {
        snprintf(buffer, room, "%s", found->text.bytes);
        return true;
    }
    if (found->offset < 0 || offset < 0 || dwarf_aggregate_size(&structure, &size) != 0 ||
        (uint64_t)offset >= size)
        return false;
    st_label_clear(&path);
    st_data_path(structure, (uint64_t)offset, &path);
    if (path.bytes[0] != '.')
        return false;
    snprintf(buffer, room, "%.*s->%s", (int)found->structure_name, found->text.bytes,
             path.bytes + 1);
    return true;
}

bool st_member_name(struct st_modules *modules, const char *base, uint64_t pc, uint64_t size,
                    int64_t shift, char *buffer, size_t room) {
    struct st_scopes scopes;
    size_t count;
    const struct st_frame *frames = st_frames(modules, pc, &count);
    st_scopes_find(&scopes, modules, pc);
    if (!scopes.count)
        return false;
    for (size_t depth = 0; depth < count; depth++) {
        struct search search = {.scopes = &scopes,
                                .units = scopes.object->units,
                                .size = size,
                                .column = frames[depth].column};
        char *line = frames[depth].file && frames[depth].line
                         ? st_read_lines(base, frames[depth].file, frames[depth].line, 1)
                         : NULL;
        if (line)
            look_at(&search, line);
        free(line);
        if (search.any)
            return !search.doubtful && put_found(&search.found, shift, buffer, room);
    }
    return false;
}
