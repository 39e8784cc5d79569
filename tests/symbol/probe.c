/* C that is C++, too: it is compiled as either. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "probe.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

NOT_INLINED void probe_call(const struct site *site) {
    printf("call %" PRIxPTR, (uintptr_t)__builtin_return_address(0));
    const char *between = " ";
    int definition = 0;
    for (; site; site = site->caller) {
        printf("%s%s:%d", between, site->function, site->line);
        between = " < ";
        definition = site->definition;
    }
    printf(" = %d\n", definition);
}

void probe_data(const volatile void *address, const char *name) {
    printf("data %" PRIxPTR " %s\n", (uintptr_t)address, name);
}

static void print_build_id(const struct dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE)
            continue;
        const char *at = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char *end = at + info->dlpi_phdr[i].p_memsz;
        while (at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const char *name = at + sizeof *note;
            const unsigned char *id = (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && memcmp(name, "GNU", 4) == 0) {
                for (unsigned j = 0; j < note->n_descsz; j++)
                    printf("%02x", id[j]);
                return;
            }
            at = (const char *)id + ((note->n_descsz + 3) & ~3u);
        }
    }
    printf("-");
}

/* Is it printed already? Modules are told apart by where they were loaded. */
static int was_printed(ElfW(Addr) bias) {
    static ElfW(Addr) printed[64];
    static int count;
    for (int i = 0; i < count; i++)
        if (printed[i] == bias)
            return 1;
    if (count < 64)
        printed[count++] = bias;
    return 0;
}

static int print_module(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    char path[PATH_MAX] = "";
    ElfW(Addr) start = (ElfW(Addr)) - 1, end = 0;
    if (was_printed(info->dlpi_addr))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        ElfW(Addr) from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        start = from < start ? from : start;
        end = to > end ? to : end;
    }
    if (!info->dlpi_name[0] && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        return 0;
    printf("module %jx %jx %jx ", (uintmax_t)start, (uintmax_t)end, (uintmax_t)info->dlpi_addr);
    print_build_id(info);
    printf(" %s\n", info->dlpi_name[0] ? info->dlpi_name : path);
    return 0;
}

void probe_modules(void) {
    dl_iterate_phdr(print_module, NULL);
}
