/* Prints a Java class with what control.h says, for the agent: where things are in the control
 * area. Built and run when the agent is built. */
#include "stream/control.h"

#include <stddef.h>
#include <stdio.h>

static void number(const char *name, unsigned long long value) {
    printf("    static final int %s = %llu;\n", name, value);
}

#define SHOW(name) number(#name, ST_CONTROL_##name)
#define AREA(name, member) number(name, offsetof(struct st_control_area, member))
#define WITHIN(name, type, member) number(name, offsetof(struct type, member))
#define BYTES(name, type) number(name, sizeof(struct type))

static void show_sizes(void) {
    printf("    static final long MAGIC = 0x%llxL;\n", (unsigned long long)ST_CONTROL_MAGIC);
    SHOW(VERSION);
    SHOW(SITES);
    SHOW(DEVIATIONS);
    SHOW(POINTS);
    SHOW(THREADS);
    SHOW(HELD);
    SHOW(STEPS);
    SHOW(STEP_SITES);
    SHOW(ORDER);
    SHOW(EXPECTED);
    SHOW(OUTER);
    SHOW(CALLERS);
    SHOW(STATUS);
    SHOW(MAIN);
    number("LEARN", ST_CONTROL_LEARN);
    number("REAL_TIME", ST_CONTROL_REAL_TIME);
    number("EVERY_ACCESS", ST_CONTROL_EVERY_ACCESS);
    number("DIVERGE", ST_CONTROL_DIVERGE);
    number("BY_SITE", ST_CONTROL_BY_SITE);
}

static void show_strategies(void) {
    number("STRATEGY_DEFAULT", ST_STRATEGY_DEFAULT);
    number("STRATEGY_RANDOM", ST_STRATEGY_RANDOM);
    number("STRATEGY_URW", ST_STRATEGY_URW);
    number("STRATEGY_PCT", ST_STRATEGY_PCT);
    number("STRATEGY_BLOCK_PCT", ST_STRATEGY_BLOCK_PCT);
    number("STRATEGY_POS", ST_STRATEGY_POS);
    number("STRATEGY_DIRECTED", ST_STRATEGY_DIRECTED);
    number("STRATEGY_STALL", ST_STRATEGY_STALL);
    number("STRATEGY_STEPS", ST_STRATEGY_STEPS);
}

/* What other packages name as well. */
static void show_kinds(void) {
#define KIND(name) printf("    public static final int AT_%s = %d;\n", #name, ST_POINT_##name)
    KIND(BEGIN);
    KIND(READ);
    KIND(WRITE);
    KIND(ATOMIC_READ);
    KIND(ATOMIC_WRITE);
    KIND(LOCK);
    KIND(READ_LOCK);
    KIND(TRY_LOCK);
    KIND(UNLOCK);
    KIND(COND_WAIT);
    KIND(COND_SIGNAL);
    KIND(SEM_WAIT);
    KIND(SEM_POST);
    KIND(BARRIER);
    KIND(FORK);
    KIND(JOIN);
    KIND(FUTEX_WAIT);
    KIND(FUTEX_WAKE);
    KIND(YIELD);
    KIND(SLEEP);
    KIND(IO);
    KIND(EXIT);
    KIND(END);
}

static void show_states(void) {
    number("PREEMPT", ST_DEVIATION_PREEMPT);
    number("BLOCKED_DEVIATION", ST_DEVIATION_BLOCKED);
    number("WAKE", ST_DEVIATION_WAKE);
    number("TIME", ST_DEVIATION_TIME);
    number("READY", ST_THREAD_READY);
    number("BLOCKED", ST_THREAD_BLOCKED);
    number("WAITING", ST_THREAD_WAITING);
    number("SLEEPING", ST_THREAD_SLEEPING);
    number("OUTSIDE", ST_THREAD_OUTSIDE);
    number("ENDED", ST_THREAD_ENDED);
    number("END_DEADLOCK", ST_END_DEADLOCK);
    number("END_LIVELOCK", ST_END_LIVELOCK);
    number("END_TOO_LONG", ST_END_TOO_LONG);
    number("END_DIVERGED", ST_END_DIVERGED);
}

static void show_plan(void) {
    AREA("AREA_MAGIC", magic);
    AREA("AREA_VERSION", version);
    AREA("AREA_PROCESS", process);
    AREA("AREA_OTHERS", others);
    BYTES("AREA_BYTES", st_control_area);
    AREA("PLAN_STRATEGY", plan.strategy);
    AREA("PLAN_FLAGS", plan.flags);
    AREA("PLAN_SEED", plan.seed);
    AREA("PLAN_DEPTH", plan.depth);
    AREA("PLAN_EARLY", plan.early);
    AREA("PLAN_EXPECTED_POINTS", plan.expected_points);
    AREA("PLAN_EXPECTED_BLOCK_POINTS", plan.expected_block_points);
    AREA("PLAN_MOST_POINTS", plan.most_points);
    AREA("HOLD_FIRST_COUNT", plan.hold.first_count);
    AREA("HOLD_OTHER_COUNT", plan.hold.other_count);
    AREA("HOLD_LAST_COUNT", plan.hold.last_count);
    AREA("HOLD_ORDER_COUNT", plan.hold.order_count);
    AREA("HOLD_ORDER", plan.hold.order);
    AREA("HOLD_FIRST", plan.hold.first);
    AREA("HOLD_OTHER", plan.hold.other);
    AREA("HOLD_LAST", plan.hold.last);
    AREA("PLAN_STEP_COUNT", plan.step_count);
    AREA("PLAN_STEPS", plan.steps);
    AREA("PLAN_EXPECTED_COUNT", plan.expected_count);
    AREA("PLAN_EXPECTED", plan.expected);
    AREA("PLAN_OUTER_COUNT", plan.outer_count);
    AREA("PLAN_OUTER", plan.outer);
    AREA("PLAN_DEVIATION_COUNT", plan.deviation_count);
    AREA("PLAN_SITES", plan.sites);
    AREA("PLAN_DEVIATIONS", plan.deviations);
    BYTES("STEP_BYTES", st_control_step);
    WITHIN("STEP_ROLE", st_control_step, role);
    WITHIN("STEP_SAME", st_control_step, same);
    WITHIN("STEP_THREAD", st_control_step, thread);
    WITHIN("STEP_SITE_COUNT", st_control_step, site_count);
    WITHIN("STEP_ENTRY_COUNT", st_control_step, entry_count);
    WITHIN("STEP_SITE_LIST", st_control_step, sites);
    WITHIN("STEP_ENTRY_LIST", st_control_step, entries);
}

static void show_log(void) {
    AREA("LOG_POINTS", log.points);
    AREA("LOG_CONTESTED", log.contested);
    AREA("LOG_CONTESTED_IN_BLOCKS", log.contested_in_blocks);
    AREA("LOG_DECISIONS", log.decisions);
    AREA("LOG_SWITCHES", log.switches);
    AREA("LOG_PREEMPTIONS", log.preemptions);
    AREA("LOG_EVENTS", log.events);
    AREA("LOG_VIRTUAL_NANOSECONDS", log.virtual_nanoseconds);
    AREA("LOG_END", log.end);
    AREA("LOG_DIVERGED_AT", log.diverged_at);
    AREA("LOG_FOLLOWED", log.followed);
    AREA("LOG_LOOSE", log.loose);
    AREA("LOG_HITS", log.hits);
    AREA("LOG_GIVEN_UP", log.given_up);
    AREA("LOG_THREAD_COUNT", log.thread_count);
    AREA("LOG_MODULE_COUNT", log.module_count);
    AREA("LOG_POINT_COUNT", log.point_count);
    AREA("LOG_DEVIATION_COUNT", log.deviation_count);
    AREA("LOG_LOST_DEVIATIONS", log.lost_deviations);
    AREA("LOG_SITE_COUNT", log.site_count);
    AREA("LOG_SITES", log.sites);
    AREA("LOG_MODULES", log.modules);
    AREA("LOG_THREADS", log.threads);
    AREA("LOG_DEVIATIONS", log.deviations);
    AREA("LOG_CALLERS", log.callers);
    AREA("LOG_LOG", log.log);
    WITHIN("MODULE_START", st_control_module, start);
    WITHIN("MODULE_BIAS", st_control_module, bias);
    WITHIN("MODULE_END", st_control_module, end);
}

static void show_records(void) {
    BYTES("DEVIATION_BYTES", st_control_deviation);
    WITHIN("DEVIATION_THREAD", st_control_deviation, thread);
    WITHIN("DEVIATION_NEXT", st_control_deviation, next);
    WITHIN("DEVIATION_CLOCK", st_control_deviation, clock);
    WITHIN("DEVIATION_SITE", st_control_deviation, site);
    WITHIN("DEVIATION_COUNT", st_control_deviation, count);
    WITHIN("DEVIATION_KIND", st_control_deviation, kind);
    WITHIN("DEVIATION_ORDINAL", st_control_deviation, ordinal);
    BYTES("POINT_BYTES", st_control_point);
    WITHIN("POINT_SITE", st_control_point, site);
    WITHIN("POINT_OBJECT", st_control_point, object);
    WITHIN("POINT_CLOCK", st_control_point, clock);
    WITHIN("POINT_THREAD", st_control_point, thread);
    WITHIN("POINT_BLOCK", st_control_point, block);
    WITHIN("POINT_BLOCK_SITE", st_control_point, block_site);
    WITHIN("POINT_SIZE", st_control_point, size);
    WITHIN("POINT_KIND", st_control_point, kind);
    WITHIN("POINT_CONTESTED", st_control_point, contested);
    BYTES("THREAD_BYTES", st_control_thread);
    WITHIN("THREAD_NAME", st_control_thread, name);
    WITHIN("THREAD_PARENT", st_control_thread, parent);
    WITHIN("THREAD_CLOCK", st_control_thread, clock);
    WITHIN("THREAD_POINTS", st_control_thread, points);
    WITHIN("THREAD_CHILD", st_control_thread, child);
    WITHIN("THREAD_STATE", st_control_thread, state);
    WITHIN("THREAD_KIND", st_control_thread, kind);
    WITHIN("THREAD_SITE", st_control_thread, site);
    WITHIN("THREAD_OBJECT", st_control_thread, object);
    WITHIN("THREAD_BLOCKED_ON", st_control_thread, blocked_on);
    WITHIN("THREAD_OWNER", st_control_thread, owner);
}

int main(void) {
    puts("package seriatim.control;\n\n/** Made from control.h. */\npublic final class "
         "ControlLayout "
         "{");
    show_sizes();
    show_strategies();
    show_kinds();
    show_states();
    show_plan();
    show_log();
    show_records();
    puts("    private ControlLayout() {}\n}");
    return 0;
}
