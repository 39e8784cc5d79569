#define _GNU_SOURCE
#include "runtime/control/code_places.h"

#include "runtime/control/runner.h"
#include "runtime/core/loaded_modules.h"

#include <link.h>
#include <unistd.h>

/* ---- modules ---- */

static const char *last_part(const char *path) {
    const char *part = path;
    for (; *path; path++)
        if (*path == '/')
            part = path + 1;
    return part;
}

static struct st_control_module *module_with(uintptr_t address) {
    struct st_control_log *log = rt_control.log;
    for (uint32_t i = 0; i < log->module_count; i++)
        if (address - log->modules[i].start < log->modules[i].end - log->modules[i].start)
            return &log->modules[i];
    return NULL;
}

/* The program itself comes first, and has no name here. */
static void name_module(struct st_control_module *module, const char *path, bool first) {
    char own[4096];
    if (first && !*path) {
        ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
        own[length > 0 ? length : 0] = '\0';
        path = own;
    }
    const char *name = last_part(path);
    size_t i = 0;
    for (; i + 1 < ST_CONTROL_MODULE_NAME && name[i]; i++)
        module->name[i] = name[i];
    module->name[i] = '\0';
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *first) {
    (void)size;
    struct st_control_log *log = rt_control.log;
    struct st_control_module module = {.start = UINT64_MAX, .bias = info->dlpi_addr};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        uint64_t at = info->dlpi_addr + header->p_vaddr;
        module.start = at < module.start ? at : module.start;
        module.end = at + header->p_memsz > module.end ? at + header->p_memsz : module.end;
    }
    name_module(&module, info->dlpi_name ? info->dlpi_name : "", *(bool *)first);
    *(bool *)first = false;
    struct st_control_module *known = module.end > module.start ? module_with(module.start) : NULL;
    if (known)
        *known = module;
    else if (module.end > module.start && log->module_count < ST_CONTROL_MODULES)
        log->modules[log->module_count++] = module;
    return 0;
}

static const struct st_control_module *module_of(uintptr_t caller) {
    const struct st_control_module *module = module_with(caller);
    if (!module) {
        bool first = true;
        dl_iterate_phdr(visit_module, &first);
        module = module_with(caller);
    }
    return module;
}

bool rt_is_code(uintptr_t address) {
    return module_of(address) != NULL;
}

static bool starts_with(const char *name, const char *start) {
    while (*start && *name == *start)
        name++, start++;
    return !*start;
}

static bool runs_teams(const struct st_control_module *module) {
    return rt_is_openmp(module->name) || starts_with(module->name, "libtbb.so");
}

/* ---- places ---- */

/* By return address, open addressing, at most half full. */
enum { SLOTS = 2 * RT_PLACES };
static struct rt_place *places; /* by id */
static uint16_t *slots;
static uint32_t place_count;
static struct rt_place unknown; /* where no more fit */
struct rt_place *rt_place_cache[1 << 12];

static bool is_in(const uint64_t *list, uint32_t count, uint32_t most, uint64_t site) {
    for (uint32_t i = 0; i < count && i < most; i++)
        if (list[i] == site)
            return true;
    return false;
}

_Static_assert(ST_CONTROL_STEPS <= 16, "a place has a bit for each step");

static uint16_t steps_at(const struct st_control_plan *plan, uint64_t site, bool entries) {
    uint16_t steps = 0;
    for (uint32_t i = 0; i < plan->step_count && i < ST_CONTROL_STEPS; i++) {
        const struct st_control_step *step = &plan->steps[i];
        if (entries ? is_in(step->entries, step->entry_count, ST_CONTROL_STEP_SITES, site)
                    : is_in(step->sites, step->site_count, ST_CONTROL_STEP_SITES, site))
            steps |= (uint16_t)(1u << i);
    }
    return steps;
}

static void describe(struct rt_place *place, uintptr_t caller) {
    const struct st_control_plan *plan = rt_control.plan;
    const struct st_control_hold *hold = &plan->hold;
    const struct st_control_module *module = module_of(caller);
    uint64_t site = module ? st_control_site(module->name, caller - module->bias) : 0;
    *place = (struct rt_place){
        .caller = caller,
        .site = site,
        .id = place->id,
        .point = rt_has_flag(ST_CONTROL_EVERY_ACCESS) ||
                 (site && rt_control.log->sites[st_control_slot(rt_control.log->sites, site)]),
        .first = is_in(hold->first, hold->first_count, ST_CONTROL_HELD, site),
        .other = is_in(hold->other, hold->other_count, ST_CONTROL_HELD, site),
        .last = is_in(hold->last, hold->last_count, ST_CONTROL_HELD, site),
        .outer = is_in(plan->outer, plan->outer_count, ST_CONTROL_OUTER, site),
        .steps = steps_at(plan, site, false),
        .entries = steps_at(plan, site, true),
        .of_teams = module && runs_teams(module),
    };
}

static bool make_tables(void) {
    if (!places) {
        places = rt_map_memory(RT_PLACES * sizeof *places);
        slots = rt_map_memory(SLOTS * sizeof *slots);
    }
    return places && slots;
}

struct rt_place *rt_place_slow(uintptr_t caller) {
    if (!make_tables())
        return &unknown;
    size_t slot = (caller * UINT64_C(0x9e3779b97f4a7c15)) >> 47;
    while (slots[slot] && places[slots[slot]].caller != caller)
        slot = (slot + 1) % SLOTS;
    if (!slots[slot]) {
        if (place_count + 1 >= RT_PLACES) {
            describe(&unknown, caller);
            return &unknown;
        }
        uint16_t id = (uint16_t)++place_count;
        places[id].id = id;
        describe(&places[id], caller);
        slots[slot] = id;
    }
    struct rt_place *place = &places[slots[slot]];
    rt_place_cache[rt_place_index(caller)] = place;
    return place;
}

struct rt_place *rt_place_with(uint16_t id) {
    return &places[id];
}

static bool log_site(uint64_t site) {
    struct st_control_log *log = rt_control.log;
    uint32_t slot = st_control_slot(log->sites, site);
    if (log->sites[slot] || log->site_count >= ST_CONTROL_SITES / 2)
        return log->sites[slot] != 0;
    log->sites[slot] = site;
    log->site_count++;
    return true;
}

void rt_learn_place(struct rt_place *place) {
    if (!place->point && place->site)
        place->point = log_site(place->site);
}

void rt_read_plan_sites(void) {
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (rt_control.plan->sites[i])
            log_site(rt_control.plan->sites[i]);
}
