/* Makes steps of occurrences. */
#include "predict/blocks/exact/plan.h"

#include "base/memory.h"

#include <stdlib.h>

/* roles->last is used for the variables whose initial read is known, as in blocks_2v.c. */
static void put_steps(struct st_plan *plan, struct st_roles *roles,
                      const struct st_occurrence *from, bool whole) {
    const struct st_model *model = plan->run->model;
    const struct st_shape *shape = st_unit_shape(model, from->unit);
    size_t first = plan->step_count;
    st_roles_find(roles, shape);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        bool lock = token->kind == ST_TOKEN_ACQUIRE || token->kind == ST_TOKEN_RELEASE;
        bool first_read = roles->initial[i] && (whole || !roles->last[token->target]);
        if (lock ? !model->locks[token->target].contended : !st_is_access(token))
            continue;
        if (first_read)
            roles->last[token->target] = 1;
        uint32_t held = shape->locksets[i];
        if (lock)
            held = st_lockset_without(&plan->run->locksets, held, token->target);
        st_reserve(&plan->steps, &plan->step_capacity, plan->step_count + 1);
        plan->steps[plan->step_count++] =
            (struct st_step){.kind = token->kind,
                             .target = token->target,
                             .held = held,
                             .core = lock || first_read || roles->final[i],
                             .spot = model->spots[from->spots + i]};
    }
    for (size_t i = first; i < plan->step_count; i++)
        if (plan->steps[i].kind == ST_TOKEN_READ)
            roles->last[plan->steps[i].target] = 0;
}

void st_plan_make(struct st_plan *plan, struct st_blocks_run *run, bool whole) {
    const struct st_model *model = run->model;
    struct st_roles roles;
    *plan = (struct st_plan){.run = run};
    st_roles_init(run, &roles);
    for (size_t i = 0; i < model->occurrence_count; i++) {
        const struct st_occurrence *occurrence = &model->occurrences[i];
        size_t first = plan->step_count;
        put_steps(plan, &roles, occurrence, whole);
        if (plan->step_count == first)
            continue;
        st_reserve(&plan->entries, &plan->entry_capacity, plan->entry_count + 1);
        plan->entries[plan->entry_count++] =
            (struct st_plan_entry){.thread = model->units[occurrence->unit].thread,
                                   .unit = occurrence->unit,
                                   .first = first,
                                   .count = plan->step_count - first};
    }
    st_roles_free(&roles);
}

void st_plan_free(struct st_plan *plan) {
    free(plan->steps);
    free(plan->entries);
    free(plan->groups);
}
