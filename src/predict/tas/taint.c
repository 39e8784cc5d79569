#include "predict/tas/taint.h"

#include "base/memory.h"

#include <stdlib.h>

void tas_taint_init(struct tas_taint *taint, const struct tas_program *program) {
    taint->threads = st_alloc((size_t)program->actor_count + 1, 1);
    taint->variables = st_alloc((size_t)program->variable_count + 1, 1);
}

void tas_taint_free(struct tas_taint *taint) {
    free(taint->threads);
    free(taint->variables);
}

bool tas_taint_step(struct tas_taint *taint, const struct tas_program *program,
                    const struct tas_step *step, uint32_t actor, bool broken,
                    struct tas_stain *before) {
    uint8_t *thread = &taint->threads[actor], *variable = &taint->variables[step->object];
    bool reads = step->kind != TAS_WRITE;
    bool writes = step->kind == TAS_WRITE || (step->kind == TAS_UPDATE && !broken);
    *before = (struct tas_stain){*thread, *variable};
    if (step->inside) {
        bool violated = (*variable & TAINT_WRITE) || (writes && (*variable & TAINT_READ));
        *variable |= (uint8_t)((reads ? BLOCK_READ : 0) | (writes ? BLOCK_WRITE : 0));
        return violated;
    }
    if (actor == program->block_actor)
        return false;
    *thread = tas_is_tainted(taint, step, actor);
    if (reads && (*thread || *variable & (BLOCK_WRITE | TAINT_WRITE))) {
        *thread = 1;
        *variable |= TAINT_READ;
    }
    if (writes && (*thread || *variable)) {
        *thread = 1;
        *variable |= TAINT_WRITE;
    }
    return false;
}

void tas_taint_undo(struct tas_taint *taint, const struct tas_step *step, uint32_t actor,
                    struct tas_stain before) {
    taint->threads[actor] = before.thread;
    taint->variables[step->object] = before.variable;
}
