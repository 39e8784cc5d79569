#include "symbol/code/code_bytes.h"

#include <string.h>

static Elf *elf_of(struct st_object *object) {
    GElf_Addr bias;
    return object->module ? dwfl_module_getelf(object->module, &bias) : NULL;
}

/* ---- bytes ---- */

static const unsigned char *bytes_in(Elf_Scn *section, const GElf_Shdr *header, uint64_t address,
                                     size_t *left) {
    Elf_Data *data = elf_getdata(section, NULL);
    uint64_t offset = address - header->sh_addr;
    if (!data || !data->d_buf || offset >= data->d_size)
        return NULL;
    *left = data->d_size - offset;
    return (const unsigned char *)data->d_buf + offset;
}

const unsigned char *st_code_bytes(struct st_object *object, uint64_t address, size_t *left) {
    Elf *elf = elf_of(object);
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
            header.sh_flags & SHF_EXECINSTR && address - header.sh_addr < header.sh_size)
            return bytes_in(section, &header, address, left);
    return NULL;
}

/* ---- functions ---- */

static const char *function_symbol(struct st_object *object, int number, uint64_t *low,
                                   uint64_t *high) {
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    const char *name =
        dwfl_module_getsym_info(object->module, number, &symbol, &address, &section, NULL, NULL);
    unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (!name || section == SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE))
        return NULL;
    *low = address;
    *high = address + symbol.st_size;
    return name;
}

bool st_code_function(struct st_object *object, uint64_t address, uint64_t *low, uint64_t *high,
                      const char **name) {
    const struct st_address_range *range = st_object_code_range(object, address);
    *name = range ? function_symbol(object, (int)range->what, low, high) : NULL;
    return *name != NULL;
}

const char *st_code_next_function(struct st_object *object, int *number, uint64_t *low,
                                  uint64_t *high) {
    int count = object->module ? dwfl_module_getsymtab(object->module) : -1;
    while (++*number < count) {
        const char *name = function_symbol(object, *number, low, high);
        if (name && *high > *low)
            return name;
    }
    return NULL;
}

bool st_code_cold_part(struct st_object *object, const char *function, uint64_t *low,
                       uint64_t *high) {
    size_t length = strlen(function);
    const char *found;
    for (int i = 0; (found = st_code_next_function(object, &i, low, high));)
        if (strncmp(found, function, length) == 0 && strncmp(found + length, ".cold", 5) == 0)
            return true;
    return false;
}

/* ---- callees ---- */

/* The relocation of a pointer says which function it will hold. */
static struct st_callee callee_by(Elf *elf, const GElf_Shdr *relocations, const GElf_Rela *rela) {
    struct st_callee callee = {0};
    Elf_Scn *section = elf_getscn(elf, relocations->sh_link);
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *symbols = section ? elf_getdata(section, NULL) : NULL;
    if (!symbols || !gelf_getshdr(section, &header) ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol) || !symbol.st_name)
        return callee;
    callee.name = elf_strptr(elf, header.sh_link, symbol.st_name);
    callee.address = symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value;
    return callee;
}

/* The next section with relocations behind this one, or NULL; how many it has. */
static Elf_Scn *next_relocations(Elf *elf, Elf_Scn *section, GElf_Shdr *header, Elf_Data **data,
                                 int *count) {
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, header) || header->sh_type != SHT_RELA || !header->sh_entsize)
            continue;
        *data = elf_getdata(section, NULL);
        *count = *data ? (int)(header->sh_size / header->sh_entsize) : 0;
        return section;
    }
    return NULL;
}

/* Where pointers are that are relocated; `what` is the number of the relocation, of all in the
 * file. */
static void read_slots(struct st_object *object, Elf *elf) {
    GElf_Shdr header;
    GElf_Rela rela;
    Elf_Data *data;
    uint32_t number = 0;
    int count;
    for (Elf_Scn *section = NULL;
         (section = next_relocations(elf, section, &header, &data, &count));)
        for (int i = 0; i < count; i++, number++)
            if (gelf_getrela(data, i, &rela))
                st_address_ranges_add(&object->slots, rela.r_offset, rela.r_offset + 1, number);
    st_address_ranges_sort(&object->slots);
    object->slots_read = true;
}

static struct st_callee callee_in_slot(struct st_object *object, uint64_t slot) {
    Elf *elf = elf_of(object);
    GElf_Shdr header;
    GElf_Rela rela;
    Elf_Data *data;
    int count;
    if (elf && !object->slots_read)
        read_slots(object, elf);
    const struct st_address_range *found = st_address_ranges_find(&object->slots, slot);
    int left = found ? (int)found->what : 0;
    for (Elf_Scn *section = NULL;
         found && (section = next_relocations(elf, section, &header, &data, &count)); left -= count)
        if (left < count)
            return gelf_getrela(data, left, &rela) ? callee_by(elf, &header, &rela)
                                                   : (struct st_callee){0};
    return (struct st_callee){0};
}

/* Calls of other files go through a stub, which only jumps through a pointer. */
static bool find_slot(struct st_object *object, uint64_t stub, uint64_t *slot) {
    enum { LONGEST_STUB = 3 };
    struct st_instruction instruction;
    for (int i = 0; i < LONGEST_STUB; i++) {
        size_t left;
        const unsigned char *bytes = st_code_bytes(object, stub, &left);
        if (!bytes || !st_instruction_read(bytes, left, stub, &instruction))
            return false;
        *slot = instruction.target;
        if (instruction.flow == ST_FLOW_JUMP_SLOT)
            return true;
        if (instruction.flow != ST_FLOW_NEXT)
            return false;
        stub += instruction.length;
    }
    return false;
}

struct st_callee st_code_callee(struct st_object *object, const struct st_instruction *call) {
    uint64_t slot, low, high;
    const char *name;
    if (call->flow == ST_FLOW_CALL_SLOT || call->flow == ST_FLOW_JUMP_SLOT)
        return callee_in_slot(object, call->target);
    if (call->flow != ST_FLOW_CALL && call->flow != ST_FLOW_JUMP)
        return (struct st_callee){0};
    if (st_code_function(object, call->target, &low, &high, &name))
        return (struct st_callee){low == call->target ? name : NULL, call->target};
    if (find_slot(object, call->target, &slot))
        return callee_in_slot(object, slot);
    return (struct st_callee){.address = call->target};
}

bool st_begins_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}
