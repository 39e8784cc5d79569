/* Spells names for people: C++ names without noise, symbols without the suffixes of compilers. */
#ifndef SERIATIM_SYMBOL_SPELLING_H
#define SERIATIM_SYMBOL_SPELLING_H

#include "symbol/label.h"
#include "symbol/symbol.h"

/* Appends a name as compilers and demanglers write it, but without parameters, ABI tags and
 * default allocators, with long lists of template arguments as "<...>" and lambdas as "{lambda}".
 * A function gets the same name from DWARF and from its mangled symbol, except in odd cases. */
void st_spell(struct st_label *text, const char *name);

/* Appends the name of an ELF symbol: without suffixes like .constprop.0, .cold, .lto_priv.1,
 * .llvm.5 or @@VERSION, demangled, spelled as above. */
void st_spell_symbol(struct st_label *text, const char *symbol);

/* Is it the name of a function that a compiler made from the code of an OpenMP construct, a region
 * or a task? If so, appends the function that the code was taken from, where the name has it, and
 * ST_OUTLINED (symbol.h). */
bool st_is_outlined(const char *name);
void st_spell_outlined(struct st_label *text, const char *name);

/* Do C and C++ reserve the name for the implementation, as __data and _M_impl? */
bool st_is_reserved(const char *name);

#endif
