/* Does a program have debug information? */
#ifndef SERIATIM_CLI_DEBUG_SECTIONS_H
#define SERIATIM_CLI_DEBUG_SECTIONS_H

#include <stdbool.h>

/* Is it an ELF file of 64 bits with lines and functions (DWARF)? */
bool has_debug_sections(const char *path);

#endif
