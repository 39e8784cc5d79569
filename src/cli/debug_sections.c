#define _GNU_SOURCE /* memmem */
#include "cli/debug_sections.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_at(FILE *file, uint64_t offset, void *to, size_t size) {
    return fseek(file, (long)offset, SEEK_SET) == 0 && fread(to, 1, size, file) == size;
}

static bool names_hold(FILE *file, const Elf64_Shdr *names, const char *wanted) {
    static char text[65536];
    size_t size = names->sh_size < sizeof text ? (size_t)names->sh_size : sizeof text;
    return read_at(file, names->sh_offset, text, size) &&
           memmem(text, size, wanted, strlen(wanted) + 1) != NULL;
}

bool has_debug_sections(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    Elf64_Ehdr header;
    Elf64_Shdr names;
    bool good = read_at(file, 0, &header, sizeof header) &&
                memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                header.e_ident[EI_CLASS] == ELFCLASS64 &&
                read_at(file, header.e_shoff + (uint64_t)header.e_shstrndx * header.e_shentsize,
                        &names, sizeof names) &&
                names_hold(file, &names, ".debug_info") && names_hold(file, &names, ".debug_line");
    fclose(file);
    return good;
}
