#include "symbol/spelling.h"

#include "base/memory.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* A longer list of template arguments hides more than it says. */
enum { LONGEST_ARGUMENTS = 40, DEEPEST = 32 };

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The position just after the bracket that closes the one at `open`, or the end of the text.
 * Arrows and comparisons inside template arguments are always in parentheses. */
static const char *behind_bracket(const char *open) {
    char expected[DEEPEST];
    size_t depth = 0;
    for (const char *at = open; *at; at++) {
        const char *found = strchr("<>(){}[]", *at);
        if (!found)
            continue;
        bool opens = (found - "<>(){}[]") % 2 == 0;
        if (opens && depth < DEEPEST)
            expected[depth++] = found[1];
        else if (opens)
            return at + strlen(at);
        else if (*at == expected[depth - 1] && --depth == 0)
            return at + 1;
    }
    return open + strlen(open);
}

/* The operator in names such as "operator<", which is not a bracket. Returns the rest. */
static const char *spell_operator(struct st_label *text, const char *at) {
    const char *end = at + strlen("operator");
    if (starts_with(end, "()") || starts_with(end, "[]"))
        end += 2;
    else
        end += strspn(end, "<>=-*&|+!%^/~,");
    st_label_add(text, at, (size_t)(end - at));
    return end;
}

static bool is_word_start(const struct st_label *text) {
    if (!text->length)
        return true;
    unsigned char last = (unsigned char)text->bytes[text->length - 1];
    return !isalnum(last) && last != '_' && last < 0x80;
}

/* Skips parameters, "(int) const": at the end of a name, and of a function in which the rest of
 * the name is declared. Elsewhere in template arguments they are a type, "int (char)". */
static const char *spell_parameters(struct st_label *text, const char *at, const char *end,
                                    unsigned depth) {
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &", "&&", "&"};
    const char *behind = behind_bracket(at);
    const char *next = behind;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (starts_with(next, qualifiers[i]))
            next += strlen(qualifiers[i]);
    if (depth == 0 || starts_with(next, "::"))
        return next;
    if (behind > end)
        behind = end;
    st_label_add(text, at, (size_t)(behind - at));
    return behind;
}

static void spell(struct st_label *text, const char *at, const char *end, unsigned depth);

/* The position just after the template argument that starts here. */
static const char *behind_argument(const char *at, const char *end) {
    while (at < end && *at != ',') {
        if (strchr("<({[", *at))
            at = behind_bracket(at);
        else
            at++;
    }
    return at < end ? at : end;
}

/* The template arguments from `at` up to the closing bracket at `end`. */
static void spell_arguments(struct st_label *text, const char *at, const char *end,
                            unsigned depth) {
    st_label_add(text, "<", 1);
    size_t start = text->length;
    while (at < end) {
        const char *next = behind_argument(at, end);
        if (!starts_with(at, "std::allocator<")) {
            if (text->length > start)
                st_label_adds(text, ", ");
            spell(text, at, next, depth + 1);
        }
        at = next + (next < end);
        at += strspn(at, " ");
    }
    if (text->length > start + LONGEST_ARGUMENTS) {
        st_label_truncate(text, start);
        st_label_adds(text, "...");
    }
    st_label_add(text, ">", 1);
}

/* What is in angle brackets: gcc's "<lambda(int)>", or template arguments. */
static const char *spell_angle(struct st_label *text, const char *at, const char *end,
                               unsigned depth) {
    const char *behind = behind_bracket(at);
    if (behind > end)
        behind = end;
    if (starts_with(at, "<lambda"))
        st_label_adds(text, "{lambda}");
    else if (!text->length || st_label_ends_with(text, "::"))
        st_label_adds(text, "{unnamed}");
    else
        spell_arguments(text, at + 1, behind[-1] == '>' && behind > at + 1 ? behind - 1 : behind,
                        depth);
    return behind;
}

/* What a demangler writes in braces: {lambda(int)#1}, {unnamed type#1}, {default arg#1}. */
static const char *spell_brace(struct st_label *text, const char *at, const char *end) {
    const char *behind = behind_bracket(at);
    if (behind > end)
        behind = end;
    if (starts_with(at, "{lambda"))
        st_label_adds(text, "{lambda}");
    else if (starts_with(at, "{unnamed"))
        st_label_adds(text, "{unnamed}");
    else
        st_label_add(text, at, (size_t)(behind - at));
    return behind;
}

/* Clang's "(lambda at bank.cc:14:2)" and "(unnamed struct at ...)", in template arguments. */
static bool is_place(const char *at) {
    return starts_with(at, "(lambda at ") || starts_with(at, "(unnamed ") ||
           starts_with(at, "(anonymous ");
}

/* Clang's symbols have "$_0" for a lambda. */
static bool is_dollar_lambda(const struct st_label *text, const char *at) {
    return starts_with(at, "$_") && isdigit((unsigned char)at[2]) && is_word_start(text);
}

static void spell(struct st_label *text, const char *at, const char *end, unsigned depth) {
    static const char anonymous[] = "(anonymous namespace)";
    if (depth > DEEPEST)
        return;
    while (at < end) {
        if (starts_with(at, anonymous)) {
            st_label_adds(text, anonymous);
            at += strlen(anonymous);
        } else if (is_place(at)) {
            st_label_adds(text, at[1] == 'l' ? "{lambda}" : "{unnamed}");
            at = behind_bracket(at);
        } else if (is_dollar_lambda(text, at)) {
            st_label_adds(text, "{lambda}");
            at += 2 + strspn(at + 2, "0123456789");
        } else if (*at == '(') {
            at = spell_parameters(text, at, end, depth);
        } else if (*at == '<') {
            at = spell_angle(text, at, end, depth);
        } else if (*at == '{') {
            at = spell_brace(text, at, end);
        } else if (starts_with(at, "[abi:")) {
            at = behind_bracket(at);
        } else if (starts_with(at, "operator") && is_word_start(text)) {
            at = spell_operator(text, at);
        } else if (*at == ' ' && at + 1 == end) {
            at++;
        } else {
            st_label_add(text, at++, 1);
        }
    }
}

void st_spell(struct st_label *text, const char *name) {
    spell(text, name, name + strlen(name), 0);
}

/* ---- symbols ---- */

/* Where the last ".word" or ".word.12" that a compiler appended starts; NULL if there is none. gcc
 * gives static variables of functions just a number. */
static char *appended(char *symbol) {
    static const char *const words[] = {"constprop", "isra",       "part", "cold",
                                        "lto_priv",  "localalias", "llvm", "__uniq"};
    char *dot = strrchr(symbol, '.');
    if (!dot || dot == symbol)
        return NULL;
    bool number = dot[1] && dot[1 + strspn(dot + 1, "0123456789")] == '\0';
    char *start = dot;
    if (number) {
        *dot = '\0';
        char *before = strrchr(symbol, '.');
        *dot = '.';
        if (before && before != symbol)
            start = before;
    }
    size_t length = number && start != dot ? (size_t)(dot - start) - 1 : strlen(start + 1);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && memcmp(start + 1, words[i], length) == 0)
            return start;
    return number ? dot : NULL;
}

bool st_is_outlined(const char *name) {
    return strstr(name, "._omp_fn.") || strstr(name, "._omp_cpyfn.") ||
           strncmp(name, ".omp_outlined.", 14) == 0 || strncmp(name, ".omp_task_entry.", 16) == 0;
}

void st_spell_outlined(struct st_label *text, const char *name) {
    const char *end = strstr(name, "._omp_");
    if (end && end > name) {
        char *function = st_strdup(name);
        function[end - name] = '\0';
        st_spell_symbol(text, function);
        free(function);
        st_label_adds(text, "::");
    }
    st_label_adds(text, ST_OUTLINED);
}

void st_spell_symbol(struct st_label *text, const char *symbol) {
    if (st_is_outlined(symbol)) {
        st_spell_outlined(text, symbol);
        return;
    }
    char *copy = st_strdup(symbol);
    char *version = strchr(copy, '@');
    if (version && version != copy)
        *version = '\0';
    for (char *cut; (cut = appended(copy));)
        *cut = '\0';
    /* Without DMGL_PARAMS there are neither parameters nor return types. */
    char *demangled = cplus_demangle(copy, DMGL_AUTO);
    if (demangled)
        st_spell(text, demangled);
    else
        st_label_adds(text, copy);
    free(demangled);
    free(copy);
}

bool st_is_reserved(const char *name) {
    return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}
