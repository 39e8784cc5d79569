/* All that teams of OpenMP do together, once each: what it prints does not depend on the schedule.
 */
#include <omp.h>
#include <stdio.h>

enum { THREADS = 3, TURNS = 12 };

static long loops, critical, reduced, sections, copied, locked, nested, inner, tasks, grouped;
static long order[TURNS], steps[TURNS + 1];
static int ordered_count;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static long fibonacci(int n) {
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void add(long *to, long what) {
#pragma omp atomic
    *to += what;
}

static void do_loops(void) {
#pragma omp for schedule(static)
    for (int i = 0; i < TURNS; i++)
        add(&loops, i);
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        critical += i;
    }
#pragma omp for schedule(guided) reduction(+ : reduced)
    for (int i = 0; i < TURNS; i++)
        reduced += i;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < TURNS; i++)
        add(&loops, i);
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < TURNS; i++) {
#pragma omp ordered
        order[ordered_count++] = i;
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 1; i <= TURNS; i++) {
#pragma omp ordered depend(sink : i - 1)
        steps[i] = steps[i - 1] + 1;
#pragma omp ordered depend(source)
    }
}

static void do_together(void) {
    int drawn = 0;
#pragma omp sections
    {
#pragma omp section
        add(&sections, 1);
#pragma omp section
        add(&sections, 2);
    }
#pragma omp single copyprivate(drawn)
    drawn = 7;
    add(&copied, drawn);
#pragma omp barrier
    omp_set_lock(&lock);
    locked++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
    nested++;
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
#pragma omp parallel num_threads(2)
    {
        add(&inner, 1);
#pragma omp barrier
        add(&inner, 1);
    }
}

static void do_tasks(void) {
#pragma omp single
    tasks = fibonacci(6);
#pragma omp master
#pragma omp taskgroup
    for (int i = 0; i < 4; i++)
#pragma omp task
        add(&grouped, 1);
}

static int is_in_order(void) {
    int good = steps[TURNS] == TURNS;
    for (int i = 0; i < TURNS; i++)
        good &= order[i] == i;
    return good;
}

int main(void) {
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(THREADS)
    {
        do_loops();
        do_together();
        do_tasks();
    }
    printf("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %d\n", loops, critical, reduced, sections,
           copied, locked, nested, inner, tasks, grouped, is_in_order());
    return 0;
}
