// What members of a team wait for: barriers, sections, a single one that hands its values to all,
// iterations in order, iterations that depend on others, and teams inside of teams. All functions
// that wait are called from others, whose work goes on afterwards with what the others have done.
//
// FLAGS -fopenmp
// EXPECT none
#include "schedule.h"
#include <omp.h>

enum { MEMBERS = 3, SIZE = 12 };
static int first[MEMBERS], second[MEMBERS], line[SIZE], listed, left, right, grid[SIZE][SIZE];
static int plan;
static long counted;

static BLOCK void exchange(int me) {
    first[me]++;
#pragma omp barrier
    second[me] += first[(me + 1) % MEMBERS];
#pragma omp barrier
    first[(me + 2) % MEMBERS] += second[me] > 0;
#pragma omp barrier
}

static BLOCK int choose(void) {
    int mine;
#pragma omp single copyprivate(mine)
    {
        plan++;
        mine = plan;
    }
    return mine;
}

static BLOCK void list(int i) {
#pragma omp ordered
    {
        line[listed] = i;
        listed++;
    }
}

static BLOCK void in_order(void) {
    listed = 0;
#pragma omp parallel for ordered schedule(dynamic) num_threads(MEMBERS)
    for (int i = 0; i < SIZE; i++)
        list(i);
    for (int i = 0; i < SIZE; i++)
        check(line[i] == i);
}

static BLOCK void paths(void) {
#pragma omp parallel for ordered(2) num_threads(MEMBERS) schedule(static, 1)
    for (int i = 1; i < SIZE; i++)
        for (int j = 1; j < SIZE; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1] + 1) % 1000;
#pragma omp ordered depend(source)
        }
}

static BLOCK void add(int *to) {
    ++*to;
}

static BLOCK void halves(void) {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        add(&left);
#pragma omp section
        add(&right);
    }
    check(left == right);
}

static BLOCK void inner(void) {
    int mine = 0;
#pragma omp parallel num_threads(2) shared(mine)
    {
#pragma omp atomic
        mine++;
#pragma omp barrier
#pragma omp master
        mine *= 2;
    }
#pragma omp critical
    counted += mine;
}

static BLOCK void teams_in_teams(void) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 2; i++)
        inner();
}

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(MEMBERS)
        {
            exchange(omp_get_thread_num());
            int chosen = choose();
            check(chosen == round + 1);
        }
        in_order();
        paths();
        halves();
        teams_in_teams();
    }
    check(counted == 2 * 2 * 2 * 4);
    puts("ok");
    return 0;
}
