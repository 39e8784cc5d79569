#include "predict/tas_search.h"
bool tas_search_chains(struct tas_worker *worker) {
    (void)worker;
    return false;
}
