#include "hunt/controlled/area.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int st_area_create(struct st_area *area, const char *path, struct st_error *error) {
    *area = (struct st_area){0};
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot create: %s", strerror(errno));
    void *map = MAP_FAILED;
    if (ftruncate(fd, sizeof *area->map) == 0)
        map = mmap(NULL, sizeof *area->map, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int failure = errno;
    close(fd);
    if (map == MAP_FAILED) {
        unlink(path);
        return st_fail(error, path, ST_AT_FILE, 0, "cannot map: %s", strerror(failure));
    }
    area->map = map;
    area->path = st_strdup(path);
    area->map->magic = ST_CONTROL_MAGIC;
    area->map->version = ST_CONTROL_VERSION;
    return 0;
}

void st_area_free(struct st_area *area) {
    if (area->map)
        munmap(area->map, sizeof *area->map);
    if (area->path)
        unlink(area->path);
    free(area->path);
    *area = (struct st_area){0};
}

/* ---- the log ---- */

static void limit(uint32_t *count, uint32_t most) {
    if (*count > most)
        *count = most;
}

static void correct_points(struct st_control_log *log) {
    for (uint32_t i = 0; i < log->point_count; i++) {
        struct st_control_point *point = &log->log[i];
        if (point->thread >= log->thread_count || point->kind >= ST_POINT_KINDS) {
            log->point_count = i; /* what comes behind is not better */
            return;
        }
    }
}

static void correct_deviations(struct st_control_log *log) {
    for (uint32_t i = 0; i < log->deviation_count; i++)
        if (log->deviations[i].kind >= ST_DEVIATION_KINDS) {
            log->deviation_count = i;
            return;
        }
}

const struct st_control_log *st_area_log(struct st_area *area) {
    struct st_control_log *log = &area->map->log;
    limit(&log->thread_count, ST_CONTROL_THREADS);
    limit(&log->module_count, ST_CONTROL_MODULES);
    limit(&log->point_count, ST_CONTROL_POINTS);
    limit(&log->deviation_count, ST_CONTROL_DEVIATIONS);
    if (log->crash_thread >= log->thread_count)
        log->crash_signal = 0;
    if (log->end >= ST_END_COUNT)
        log->end = ST_END_BY_ITSELF;
    for (uint32_t i = 0; i < log->thread_count; i++) {
        if (log->threads[i].state >= ST_THREAD_STATES)
            log->threads[i].state = ST_THREAD_READY;
        if (log->threads[i].kind >= ST_POINT_KINDS)
            log->threads[i].kind = ST_POINT_BEGIN;
    }
    for (uint32_t i = 0; i < log->module_count; i++)
        log->modules[i].name[ST_CONTROL_MODULE_NAME - 1] = '\0';
    correct_points(log);
    correct_deviations(log);
    return log;
}

bool st_log_is_complete(const struct st_control_log *log) {
    return log->point_count < ST_CONTROL_POINTS;
}

/* ---- sets of sites ---- */

void st_site_set_init(struct st_site_set *set) {
    *set = (struct st_site_set){.table = st_alloc(ST_CONTROL_SITES, sizeof *set->table)};
}

void st_site_set_free(struct st_site_set *set) {
    free(set->table);
}

bool st_site_set_has(const struct st_site_set *set, uint64_t site) {
    return site && set->table[st_control_slot(set->table, site)] == site;
}

void st_site_set_add(struct st_site_set *set, uint64_t site) {
    if (!site || set->count >= ST_CONTROL_SITES / 2 || st_site_set_has(set, site))
        return;
    set->table[st_control_slot(set->table, site)] = site;
    set->count++;
}

void st_site_set_add_all(struct st_site_set *set, const uint64_t *table) {
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        st_site_set_add(set, table[i]);
}

void st_plan_sites(struct st_control_plan *plan, const struct st_site_set *set) {
    memcpy(plan->sites, set->table, sizeof plan->sites);
    plan->site_count = set->count;
}

/* ---- threads ---- */

void st_control_thread_name(uint32_t thread, char name[ST_THREAD_NAME]) {
    if (thread)
        snprintf(name, ST_THREAD_NAME, "T%" PRIu32, thread);
    else
        snprintf(name, ST_THREAD_NAME, "main");
}

uint32_t st_control_find_thread(const struct st_control_log *log, uint64_t name) {
    for (uint32_t i = 0; i < log->thread_count; i++)
        if (log->threads[i].name == name)
            return i;
    return UINT32_MAX;
}
