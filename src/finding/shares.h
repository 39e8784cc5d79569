/* Who gives way when there are more violations than places for them.
 *
 * What is cut all the time must not hide what was cut once. So the places are shared among names,
 * which are the kinds of violations (finding/finding.c): when all are taken and a name has at least
 * two fewer than the name that has most, the newest violation of that one gives its place. The
 * first violations of a name are thus the last to go, and with as many places as names each keeps
 * its first.
 *
 * Every function takes constant time, but for the growth of its arrays. */
#ifndef SERIATIM_FINDING_SHARES_H
#define SERIATIM_FINDING_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one name has. Its places form a list from the newest on, the names that have equally many
 * form another. Links are numbers plus 1, so that 0 ends a list. */
struct st_share {
    size_t kept;
    size_t newest;         /* place; 0 for none */
    size_t next, previous; /* name; of no meaning while kept is 0 */
};

struct st_shares {
    struct st_share *names; /* by the name plus 1; blocks without a name come first */
    size_t name_capacity;
    size_t *older; /* by place: the one before it of the same name */
    size_t older_capacity;
    size_t *first; /* by `kept`: the first of the names that have so many */
    size_t first_capacity;
    size_t most; /* the largest `kept` */
};

void st_shares_free(struct st_shares *shares);
size_t st_shares_memory(const struct st_shares *shares);

/* The name now has this place, which nobody had. */
void st_shares_add(struct st_shares *shares, uint32_t name, size_t place);

/* How many places the name has. */
size_t st_shares_kept(const struct st_shares *shares, uint32_t name);

/* Should somebody give way for another violation of the name? */
bool st_shares_yield(const struct st_shares *shares, uint32_t name);

/* Takes the newest place of the name that has most and returns it. There must be one. */
size_t st_shares_take(struct st_shares *shares);

#endif
