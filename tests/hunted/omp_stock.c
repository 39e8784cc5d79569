// A team of OpenMP sells what is in stock. How much there is, and how much there will be, are
// looked at and written in two critical sections.
//
// FLAGS -fopenmp
// EXPECT violated: sell
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <stdio.h>

enum { SELLERS = 3, STOCK = 10 };

static int stock = STOCK;

#ifdef FIXED
static void sell(void) {
#pragma omp critical(stock)
    stock = stock - 1;
}
#else
static int look(void) {
    int found;
#pragma omp critical(stock)
    found = stock;
    return found;
}

static void enter(int left) {
#pragma omp critical(stock)
    stock = left;
}

static void sell(void) {
    int found = look();
    enter(found - 1); // @gap-before
}
#endif

int main(void) {
#pragma omp parallel for num_threads(SELLERS) schedule(dynamic)
    for (int i = 0; i < SELLERS; i++)
        sell();
    printf("%d left\n", stock);
    return stock != STOCK - SELLERS;
}
