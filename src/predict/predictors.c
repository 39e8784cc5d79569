#include "predict/predictor.h"

#include <string.h>

const struct st_predictor *const st_predictors[] = {&st_reduction, &st_blocks, &st_commit_node,
                                                    &st_tas, NULL};

const char *const st_notion_names[] = {
    [ST_NOTION_CONFLICT] = "conflict", [ST_NOTION_VIEW] = "view", NULL};

const char *const st_improvement_names[] = {
    "escape",     "happen-before", "multilockset", "sections",
    "re-entrant", "thread-local",  "protected",    NULL};

size_t st_predictor_count(void) {
    size_t count = 0;
    while (st_predictors[count])
        count++;
    return count;
}

const struct st_predictor *st_predictor_find(const char *name) {
    for (size_t i = 0; st_predictors[i]; i++)
        if (strcmp(st_predictors[i]->name, name) == 0)
            return st_predictors[i];
    return strcmp(st_tiers.name, name) == 0 ? &st_tiers : NULL;
}
