/* A function as steps of machine code, and what happens on a way through it. */
#ifndef SERIATIM_SYMBOL_CODE_CODE_WALK_H
#define SERIATIM_SYMBOL_CODE_CODE_WALK_H

#include "base/map64.h"
#include "symbol/machine/code_values.h"

struct st_object;

#define ST_NOWHERE UINT32_MAX

enum st_code_effect {
    ST_NO_EFFECT,
    ST_WRITES_THERE, /* where the first argument points to */
    ST_SOME_EFFECT
};

struct st_code_step {
    struct st_instruction instruction;
    uint64_t address;
    uint32_t next[2]; /* or ST_NOWHERE */
    bool calls, returns;
    bool identifies; /* a call that says which thread this is ... */
    bool compares;   /* ... or whether two threads are the same */
    bool swaps; /* a compare-and-swap: its second argument points to what it expects, and has found
                 */
    unsigned char effect;
};

/* One function, as far as it can be reached without jumps through tables. */
struct st_code_walk {
    struct st_object *object;
    uint64_t low, high;
    struct st_code_step *steps; /* the first one is where it begins */
    size_t count, capacity;
    struct st_map64 numbers; /* of steps, by address */
    uint32_t *path;          /* the last one that was asked for, from its end to its begin */
    size_t path_length;
    bool lost;
};

/* The function that holds the address. `site`: where the call returns to that is asked about, which
 * has no effect of its own; `work`: counts instructions. False if there is no such function; what
 * `lost` says is for who wants to know all of it. */
bool st_walk_read(struct st_code_walk *walk, struct st_object *object, uint64_t address,
                  uint64_t site, unsigned depth, unsigned *work);
void st_walk_free(struct st_code_walk *walk);

/* The shortest way from one step to another, or to a return (ST_NOWHERE), both included;
 * `quietly`: with no effect before it, unless that of writes. */
bool st_walk_find_path(struct st_code_walk *walk, uint32_t from, uint32_t to, bool quietly);

/* From there on, wherever it goes, nothing happens. */
bool st_walk_is_quiet_from(struct st_code_walk *walk, uint32_t from);

/* What happened on a path. */
struct st_journey {
    struct st_values values;
    bool decided; /* a branch depended on an answer */
    uint32_t bad; /* a write that is not to the stack, or ST_NOWHERE */
};

/* One step; `answers`: it is the call that is asked about. */
void st_journey_step(struct st_journey *journey, const struct st_code_step *step, bool answers,
                     uint32_t number);

/* Along the path that was found, its last step excluded. */
void st_journey_go(const struct st_code_walk *walk, struct st_journey *journey, uint32_t site);

#endif
