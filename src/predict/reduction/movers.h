/* Lipton's reduction on one transaction (TSE 2006, 5.1 to 5.3 and 5.5): which of its events can
 * move past those of other threads, and whether all of them can move together.
 *
 * With R for right movers, L for left movers, B for both movers and N for non-movers, a transaction
 * is atomic if it has the form R* N? L* (Theorem 1), where B may be anywhere. Theorem 2 also allows
 * critical sections that contain nothing that matters to others, AcqA*Rel.
 *
 * Where the papers need an interpretation:
 *
 *   - The theorems as printed have N*. A third event can keep two non-movers apart, so we take N?;
 *     `many` restores the printed form.
 *   - A stands for accesses that cannot matter to others in any schedule: those to variables that
 *     are not contended (predict/model/model.h). Sections of such sections count, too, and so do
 *     locks that one thread uses.
 *   - AcqA*Rel may be left out because it can be put back into the serial trace. That requires that
 *     no other thread holds the lock between two transactions. So a lock does not qualify if some
 *     critical section of it spans several units (*loose*): with T1.acq(l) T1.w(x) T1.w(x)
 *     T1.rel(l) outside blocks and T2.begin T2.acq(l) T2.rel(l) T2.r(x) T2.end, T2 is AcqA*Rel N
 *     but not atomic. The papers have no locks outside transactions.
 *   - Thread-local and protected locks need no such care. No other thread touches a thread-local
 *     lock. To touch a protected one, another thread would have to hold its protector, which is
 *     held here. So both commute with whatever is next to them, wherever the critical sections
 *     begin and end. With happen-before, a lock is as good as thread-local if no two threads can
 *     use it at the same time, from acquire to release.
 *   - A lock that is held from before the transaction or beyond its end is just a left mover or a
 *     right mover without a counterpart. */
#ifndef SERIATIM_PREDICT_REDUCTION_MOVERS_H
#define SERIATIM_PREDICT_REDUCTION_MOVERS_H

#include "predict/model/model.h"

/* Which improvements apply. All false is the plainest form. */
struct st_mover_rules {
    bool ordered;   /* happen-before: ignore what cannot happen at the same time */
    bool sections;  /* Theorem 2 */
    bool reentrant; /* re-entrant acquires and their releases are both movers */
    bool thread_local_locks, protected_locks; /* and so are those of these locks */
    bool many;                                /* N* in the middle */
    const bool *loose; /* by lock: its AcqA*Rel do not count; NULL: they count for all locks */
};

/* How a token moves: 'R', 'L', 'B' or 'N', or 'A' if it is left out: an access that cannot matter
 * to others, or part of an AcqA*Rel. */
enum { ST_MOVES_FREELY = 'A' };

/* The result for a sequence of tokens. Reusable; all zero is empty. */
struct st_movers {
    char *letters;       /* by token of the unit */
    uint32_t first, end; /* the tokens examined */
    size_t capacity;
    uint32_t *open; /* acquires of open critical sections */
    bool *impure;   /* which of them contain something that matters */
    size_t open_count, open_capacity, impure_capacity;
    bool reducible;          /* it has the form */
    uint32_t commit, breach; /* otherwise: the token after which all must be left movers, and the
                              * first one that is not */
};

typedef bool st_is_racy(const void *context, uint32_t unit, uint32_t token);

/* Examines the tokens first .. end - 1 of the unit. */
void st_movers_find(struct st_movers *movers, const struct st_model *model,
                    const struct st_mover_rules *rules, st_is_racy *is_racy, const void *context,
                    uint32_t unit, uint32_t first, uint32_t end);
void st_movers_free(struct st_movers *movers);

/* The letters as readable text, without what is left out and with repetitions abbreviated. */
char *st_movers_pattern(const struct st_movers *movers);

#endif
