#include "report/sarif/sarif_rules.h"

#include "report/json/json_fields.h"

static const struct rule {
    const char *id, *name, *summary, *description;
} rules[] = {
    [ST_RULE_VIOLATION] = {"atomicity-violation", "AtomicityViolation", "A block was not atomic.",
                           "Another thread depends on a part of the block, and a later part of the "
                           "block depends on that thread: no serial order has the other thread's "
                           "work both after and before the block."},
    [ST_RULE_CYCLE] = {"cycle", "Cycle", "Blocks wait for each other in a cycle.",
                       "No single block was cut, and yet there is no order in which the blocks "
                       "could have run one after the other: each would have to come before the "
                       "next."},
    [ST_RULE_BLAMED] = {"closes-cycle", "ClosesCycle", "A block closed a cycle of transactions.",
                        "The trace is not serializable, and this block made it so. Whether the "
                        "block itself was cut, the engine does not tell."},
    [ST_RULE_VERDICT] = {"not-serializable", "NotSerializable", "The trace is not serializable.",
                         "There is no order in which the blocks could have run one after the "
                         "other. The engine does not name the blocks."},
    [ST_RULE_FORESEEN] = {"predicted-atomicity-violation", "PredictedAtomicityViolation",
                          "A block is cut in another schedule.",
                          "There is a schedule in which another thread depends on a part of the "
                          "block, and a later part of the block depends on that thread. The "
                          "message says whether the program could have taken it, or whether it is "
                          "an interleaving in which it was not looked at what reads see."},
    [ST_RULE_POTENTIAL] = {"potential-atomicity-violation", "PotentialAtomicityViolation",
                           "A block may be cut in another schedule.",
                           "As far as locks, fork, join and barriers tell, other threads may come "
                           "in between in a way that no serial order explains. Other reasons may "
                           "keep them from it."},
    [ST_RULE_DEADLOCK] = {"deadlock-potential", "DeadlockPotential",
                          "Threads may wait for each other for ever.",
                          "Each thread holds a lock that another one wants, in a ring, and nothing "
                          "that was seen keeps them from doing so at the same time."},
    [ST_RULE_RACE] = {"data-race", "DataRace",
                      "Two threads may access a variable at the same time.",
                      "One of them writes, and neither a lock nor any other synchronisation keeps "
                      "the two accesses apart."},
};

enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* What an analysis foresees with certainty comes with a schedule that proves it. */
static const char *level_of(enum st_sarif_rule rule) {
    return rule == ST_RULE_FORESEEN ? "error" : "warning";
}

void st_sarif_rule_fields(struct st_json *json, enum st_sarif_rule rule) {
    string_field(json, "ruleId", rules[rule].id);
    number_field(json, "ruleIndex", rule);
    string_field(json, "level", level_of(rule));
}

static void put_text(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_flat_object(json);
    string_field(json, "text", text);
    st_json_object_end(json);
}

static void put_properties(struct st_json *json) {
    st_json_key(json, "properties");
    st_json_flat_object(json);
    st_json_key(json, "tags");
    st_json_array(json);
    st_json_string(json, "concurrency");
    st_json_string(json, "external/cwe/cwe-362");
    st_json_array_end(json);
    st_json_object_end(json);
}

void st_sarif_rules(struct st_json *json) {
    st_json_key(json, "rules");
    st_json_array(json);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        st_json_object(json);
        string_field(json, "id", rules[i].id);
        string_field(json, "name", rules[i].name);
        put_text(json, "shortDescription", rules[i].summary);
        put_text(json, "fullDescription", rules[i].description);
        st_json_key(json, "defaultConfiguration");
        st_json_flat_object(json);
        string_field(json, "level", level_of((enum st_sarif_rule)i));
        st_json_object_end(json);
        put_properties(json);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}
