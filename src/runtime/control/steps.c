/* Steps: what an analysis foresees happens in its order, if the program can do it.
 *
 * The steps of the plan have roles: the block that is to be cut, and those who come in between.
 * Who passes the first step of a role at its time has that role. Who has a role and is not next is
 * held at its next point, since whatever it did might stand in the way of the others; who has none
 * is held where it could take one later, or where it enters the critical section around that. When
 * nobody else can go on, those who are held creep on, point by point, and the attempt is over when
 * one of them must pass its own step too early. */
#include "runtime/control/steps.h"
#include "runtime/control/strategy.h"

enum { NOBODY = UINT32_MAX };

static struct {
    uint32_t at;                      /* the step that comes next */
    uint32_t given[ST_CONTROL_STEPS]; /* to runners, by role: index + 1; 0: to nobody yet */
    uint32_t home_block;              /* of the first step */
    uintptr_t object[ST_CONTROL_STEPS];
    size_t size[ST_CONTROL_STEPS];
} steps;

static uint32_t step_count(void) {
    uint32_t count = rt_control.plan->step_count;
    return count < ST_CONTROL_STEPS ? count : ST_CONTROL_STEPS;
}

static const struct st_control_step *step_with(uint32_t number) {
    return &rt_control.plan->steps[number];
}

static uint32_t role_at(uint32_t number) {
    return step_with(number)->role % ST_CONTROL_STEPS;
}

void rt_steps_start(void) {
    steps.at = 0;
    for (uint32_t i = 0; i < ST_CONTROL_STEPS; i++)
        steps.given[i] = 0;
}

static uint32_t role_of(const struct rt_runner *runner) {
    for (uint32_t i = 0; i < ST_CONTROL_STEPS; i++)
        if (steps.given[i] == runner->index + 1)
            return i;
    return NOBODY;
}

static bool is_at(const struct rt_runner *runner, uint32_t number) {
    return runner->place && runner->place->steps >> number & 1;
}

/* Is its pending operation about the object that the step must be about? */
static bool has_object(const struct rt_runner *runner, uint32_t number) {
    uint32_t same = step_with(number)->same;
    if (same >= number || same >= steps.at)
        return true;
    return runner->object < steps.object[same] + (steps.size[same] ? steps.size[same] : 1) &&
           steps.object[same] < runner->object + (runner->size ? runner->size : 1);
}

/* Is the step its own, or can it become so? */
static bool may_have(const struct rt_runner *runner, uint32_t number) {
    uint32_t role = role_of(runner), wanted = role_at(number), thread = step_with(number)->thread;
    return (!thread || thread == runner->index + 1) &&
           (role == NOBODY ? !steps.given[wanted] : role == wanted);
}

/* Can it do the step here, once that is next? */
static bool can_do(const struct rt_runner *runner, uint32_t number) {
    return is_at(runner, number) && may_have(runner, number) && has_object(runner, number);
}

static bool can_enter(const struct rt_runner *runner, uint32_t number) {
    return runner->place && runner->place->entries >> number & 1 && may_have(runner, number);
}

/* The next step of its role; the number of steps: there is none. */
static uint32_t next_of_role(uint32_t role) {
    uint32_t next = steps.at;
    while (next < step_count() && role_at(next) != role)
        next++;
    return next;
}

bool rt_steps_hold(const struct rt_runner *runner) {
    uint32_t role = role_of(runner), count = step_count();
    if (steps.at >= count || can_do(runner, steps.at))
        return false;
    if (role != NOBODY)
        return role_at(steps.at) != role && next_of_role(role) < count;
    if (can_enter(runner, steps.at))
        return false;
    for (uint32_t i = steps.at + 1; i < count; i++)
        if ((can_do(runner, i) || can_enter(runner, i)) && next_of_role(role_at(i)) == i)
            return true;
    return false;
}

bool rt_steps_is_next(const struct rt_runner *runner) {
    return steps.at < step_count() && (can_do(runner, steps.at) || can_enter(runner, steps.at) ||
                                       role_of(runner) == role_at(steps.at));
}

/* The first block that comes by may be the wrong one. */
static bool may_begin(void) {
    enum { OF = 4 };
    return steps.at > 0 || rt_random_below(OF) != 0;
}

static void do_step(struct rt_runner *me) {
    steps.given[role_at(steps.at)] = me->index + 1;
    steps.object[steps.at] = me->object;
    steps.size[steps.at] = me->size;
    if (steps.at == 0)
        steps.home_block = me->block;
    if (++steps.at < step_count())
        return;
    rt_control.log->hits++;
    rt_steps_start();
}

void rt_steps_pass(struct rt_runner *me) {
    me->held = false;
    if (steps.at >= step_count())
        return;
    bool left = steps.at > 0 && steps.home_block && role_of(me) == role_at(0) &&
                me->block != steps.home_block && me->root_block != steps.home_block;
    if (left)
        rt_steps_start();
    if (can_do(me, steps.at) && may_begin())
        do_step(me);
}

/* Must it pass its own next step if it goes on? */
static bool is_at_own(const struct rt_runner *runner) {
    uint32_t role = role_of(runner), next = role == NOBODY ? step_count() : next_of_role(role);
    return next < step_count() && is_at(runner, next);
}

unsigned rt_steps_loss(const struct rt_runner *runner) {
    enum { NOTHING, A_CANDIDATE, THE_ATTEMPT };
    if (role_of(runner) == NOBODY)
        return A_CANDIDATE;
    return is_at_own(runner) ? THE_ATTEMPT : NOTHING;
}

void rt_steps_let_go(const struct rt_runner *runner) {
    if (is_at_own(runner))
        rt_steps_start();
}
