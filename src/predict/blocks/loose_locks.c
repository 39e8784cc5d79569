/* Locks that are held from one unit to the next, outside transactions.
 *
 * The theorems of TSE 2006 assume that all synchronisation is inside transactions. If it is not, a
 * serial schedule must keep more apart than transactions: a transaction that needs the lock cannot
 * run while another thread holds it, even though that thread is in no transaction. For example,
 * `T1: l{} w(x)` is not atomic next to `l{r(x) r(x)}` where the two reads are in no transaction:
 * the write can come between the reads, but the transaction as a whole cannot.
 *
 * So we also report a transaction that
 *
 * - acquires such a lock and accesses, without it, a variable that another thread accesses at least
 *   twice while it holds the lock from unit to unit; or
 * - itself holds such a lock at its end or beginning, and accesses, without it or after it was
 *   released and taken again, a variable that another thread accesses with it.
 *
 * With that, Theorem 3 misses nothing that involves one variable. The check is coarse: it does not
 * ask how the variable is accessed, nor whether two accesses are under the same acquire. */
#include "base/map64.h"
#include "base/memory.h"
#include "predict/blocks/blocks.h"

#include <stdlib.h>

/* Accesses to a variable under a lock that is loose somewhere. */
struct guest {
    bool stays;       /* it is loose in this unit: held before it begins, or after it ends */
    uint32_t lasting; /* the lockset of all locks for which that is true here */
    uint64_t count;   /* number of accesses */
    struct st_unit_list units;
    uint32_t next; /* the next one of the same lock and variable, plus 1 */
};

struct loose {
    struct st_blocks_run *run;
    struct st_map64 keys; /* lock and variable */
    uint32_t *heads;      /* by key: index into `guests`, plus 1 */
    size_t head_capacity;
    struct guest *guests;
    size_t count, capacity;
};

static uint64_t key_of(uint32_t lock, uint32_t variable) {
    return (uint64_t)lock << 32 | variable;
}

/* The locks held at the token whose critical sections extend beyond the unit. */
static uint32_t lasting_locks(struct st_blocks_run *run, const struct st_shape *shape,
                              uint32_t token) {
    uint32_t set = shape->locksets[token], kept = set;
    for (uint32_t i = 0; i < st_lockset_size(&run->locksets, set); i++) {
        uint32_t lock = st_lockset_locks(&run->locksets, set)[i];
        uint32_t acquire = st_shape_section(shape, token, lock);
        if (acquire != ST_NO_TOKEN && shape->ends[acquire] != shape->count)
            kept = st_lockset_without(&run->locksets, kept, lock);
    }
    return kept;
}

static struct guest *guest_of(struct loose *loose, uint32_t lock, uint32_t variable, bool stays,
                              uint32_t lasting) {
    uint32_t key = st_map64_number(&loose->keys, key_of(lock, variable));
    st_reserve(&loose->heads, &loose->head_capacity, (size_t)key + 1);
    for (uint32_t i = loose->heads[key]; i; i = loose->guests[i - 1].next)
        if (loose->guests[i - 1].stays == stays && loose->guests[i - 1].lasting == lasting)
            return &loose->guests[i - 1];
    st_reserve(&loose->guests, &loose->capacity, loose->count + 1);
    struct guest *guest = &loose->guests[loose->count++];
    *guest = (struct guest){.stays = stays, .lasting = lasting, .next = loose->heads[key]};
    loose->heads[key] = (uint32_t)loose->count;
    return guest;
}

static void add_guests(struct loose *loose, uint32_t number, uint32_t token) {
    struct st_blocks_run *run = loose->run;
    const struct st_shape *shape = &run->model->shapes.items[number];
    uint32_t held = shape->locksets[token], lasting = lasting_locks(run, shape, token);
    for (uint32_t i = 0; i < st_lockset_size(&run->locksets, held); i++) {
        uint32_t lock = st_lockset_locks(&run->locksets, held)[i];
        if (!run->model->locks[lock].loose)
            continue;
        struct guest *guest = guest_of(loose, lock, shape->tokens[token].target,
                                       st_lockset_has(&run->locksets, lasting, lock), lasting);
        for (size_t k = run->first_unit[number]; k < run->first_unit[number + 1]; k++)
            guest->count += run->model->units[run->units[k]].count;
        st_unit_list_add_shape(run, number, &guest->units);
    }
}

static bool has_loose_locks(const struct st_model *model) {
    for (size_t i = 0; i < model->lock_count; i++)
        if (model->locks[i].loose)
            return true;
    return false;
}

static void list_guests(struct loose *loose) {
    const struct st_shapes *shapes = &loose->run->model->shapes;
    for (uint32_t i = 0; i < shapes->count; i++)
        for (uint32_t k = 0; k < shapes->items[i].count; k++)
            if (st_is_access(&shapes->items[i].tokens[k]))
                add_guests(loose, i, k);
    for (size_t i = 0; i < loose->count; i++)
        st_unit_list_sort(loose->run, &loose->guests[i].units);
}

/* The token of the unit that accesses the variable under the lock. */
static uint32_t find_token(struct st_blocks_run *run, uint32_t unit, uint32_t lock,
                           uint32_t variable) {
    const struct st_shape *shape = st_unit_shape(run->model, unit);
    for (uint32_t i = 0; i < shape->count; i++)
        if (st_is_access(&shape->tokens[i]) && shape->tokens[i].target == variable &&
            st_lockset_has(&run->locksets, shape->locksets[i], lock))
            return i;
    return 0;
}

/* `use` is where the transaction acquires or releases the lock. */
static void report(struct st_blocks_run *run, uint32_t number, uint32_t use, uint32_t access,
                   const struct guest *guest) {
    const struct st_shape *shape = &run->model->shapes.items[number];
    uint32_t variable = shape->tokens[access].target;
    for (size_t i = run->first_unit[number]; i < run->first_unit[number + 1]; i++) {
        uint32_t unit = run->units[i];
        if (!run->model->units[unit].transaction || run->verdicts[unit] != ST_BLOCK_ATOMIC)
            continue;
        uint32_t other = st_unit_list_meet(run, &guest->units, unit);
        if (other == ST_NO_UNIT)
            continue;
        run->verdicts[unit] = ST_BLOCK_POTENTIAL;
        run->findings[unit] = (struct st_pair_finding){
            .variables = {variable, ST_BLOCKS_NO_VARIABLE},
            .tokens = {use < access ? use : access, use < access ? access : use},
            .other = other,
            .others = {find_token(run, other, shape->tokens[use].target, variable), ST_NO_TOKEN}};
    }
}

/* Is the access in the critical section whose acquire or release is `use`? If that section does not
 * stay in the unit, another one of the same lock does not count: others can come between the two.
 */
static bool is_under(const struct loose *loose, const struct st_shape *shape, uint32_t use,
                     uint32_t access, bool stays) {
    uint32_t lock = shape->tokens[use].target;
    if (!st_lockset_has(&loose->run->locksets, shape->locksets[access], lock))
        return false;
    uint32_t section = shape->tokens[use].kind == ST_TOKEN_ACQUIRE ? use : ST_NO_TOKEN;
    return !stays || st_shape_section(shape, access, lock) == section;
}

/* stays: is the lock held at the transaction's end or beginning? */
static void check_access(struct loose *loose, uint32_t number, uint32_t use, uint32_t access,
                         bool stays) {
    const struct st_shape *shape = &loose->run->model->shapes.items[number];
    const struct st_locksets *locksets = &loose->run->locksets;
    uint32_t lock = shape->tokens[use].target, held = shape->locksets[access];
    uint32_t key = st_map64_find(&loose->keys, key_of(lock, shape->tokens[access].target));
    if (key == ST_MAP64_NONE || is_under(loose, shape, use, access, stays))
        return;
    for (uint32_t i = loose->heads[key]; i; i = loose->guests[i - 1].next) {
        const struct guest *guest = &loose->guests[i - 1];
        if (stays || (guest->stays && guest->count > 1 &&
                      st_locksets_disjoint(locksets, guest->lasting, held)))
            report(loose->run, number, use, access, guest);
    }
}

static void check_shape(struct loose *loose, uint32_t number) {
    const struct st_model *model = loose->run->model;
    const struct st_shape *shape = &model->shapes.items[number];
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        bool acquire = token->kind == ST_TOKEN_ACQUIRE;
        if ((!acquire && token->kind != ST_TOKEN_RELEASE) || !model->locks[token->target].loose)
            continue;
        bool stays = acquire ? shape->ends[i] == shape->count
                             : st_shape_section(shape, i, token->target) == ST_NO_TOKEN;
        for (uint32_t k = 0; k < shape->count && (acquire || stays); k++)
            if (st_is_access(&shape->tokens[k]))
                check_access(loose, number, i, k, stays);
    }
}

void st_loose_check(struct st_blocks_run *run) {
    struct loose loose = {.run = run};
    if (!has_loose_locks(run->model))
        return;
    st_map64_init(&loose.keys);
    list_guests(&loose);
    for (uint32_t i = 0; i < run->model->shapes.count && loose.count; i++)
        check_shape(&loose, i);
    for (size_t i = 0; i < loose.count; i++)
        free(loose.guests[i].units.units);
    free(loose.guests);
    free(loose.heads);
    st_map64_free(&loose.keys);
}
