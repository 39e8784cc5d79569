#include "predict/model/spare/spare.h"

#include "base/memory.h"

void st_spare_free(struct st_spare *spare) {
    st_guarding_free(&spare->guarding);
    st_bits_free(&spare->variables);
    st_bits_free(&spare->locks);
}

/* The set that this token's target is in, or may come into. NULL: it makes no difference. */
static struct st_bits *set_of(struct st_spare *spare, const struct st_model *model,
                              const struct st_token *token) {
    if (token->kind <= ST_TOKEN_WRITE)
        return &spare->variables;
    return model->options.data ? NULL : &spare->locks;
}

static void note_open(struct st_spare *spare, const struct st_model *model,
                      const struct st_locked_tokens *unit) {
    spare->any_open = true;
    for (size_t i = 0; i < unit->count; i++) {
        struct st_bits *set = set_of(spare, model, &unit->tokens[i].token);
        spare->grew |= set && st_bits_add(set, unit->tokens[i].token.target);
    }
    for (size_t i = 0; i < unit->held_count && !model->options.data; i++)
        spare->grew |= st_bits_add(&spare->locks, unit->held[i]);
}

bool st_spare_wants(struct st_spare *spare, const struct st_model *model,
                    const struct st_token *token) {
    struct st_bits *set = set_of(spare, model, token);
    return !spare->narrow || (set && st_bits_has(set, token->target));
}

static void count_guarded(struct st_model *model, uint32_t block) {
    size_t name = (uint32_t)(block + 1);
    st_reserve(&model->guarded.items, &model->guarded.capacity, name + 1);
    model->guarded.items[name]++;
}

struct st_spare_verdict st_spare_take(struct st_spare *spare, struct st_model *model,
                                      const struct st_ended_unit *unit) {
    bool open =
        unit->transaction && (unit->open || !st_is_guarded(&spare->guarding, model, &unit->tokens));
    if (open)
        note_open(spare, model, &unit->tokens);
    else if (unit->transaction && spare->stage != ST_SPARE_PIECES)
        count_guarded(model, unit->block);
    switch (spare->stage) {
    case ST_SPARE_NOTHING:
        return (struct st_spare_verdict){false, true, unit->transaction};
    case ST_SPARE_PIECES:
        if (spare->narrow && spare->grew)
            return (struct st_spare_verdict){false, false, false};
        return (struct st_spare_verdict){true, open && unit->open, open && unit->open};
    case ST_SPARE_PORTIONS:
        return (struct st_spare_verdict){false, open && !unit->open, open && !unit->open};
    default:
        return (struct st_spare_verdict){false, false, false};
    }
}
