/* The kinds of findings, as SARIF calls them rules. */
#ifndef SERIATIM_REPORT_SARIF_SARIF_RULES_H
#define SERIATIM_REPORT_SARIF_SARIF_RULES_H

#include "base/json.h"

enum st_sarif_rule {
    ST_RULE_VIOLATION,
    ST_RULE_CYCLE,
    ST_RULE_BLAMED,
    ST_RULE_VERDICT,
    ST_RULE_FORESEEN,
    ST_RULE_POTENTIAL,
    ST_RULE_DEADLOCK,
    ST_RULE_RACE
};

/* "ruleId", "ruleIndex" and "level" of a result. */
void st_sarif_rule_fields(struct st_json *json, enum st_sarif_rule rule);

/* "rules": [...] of the tool. */
void st_sarif_rules(struct st_json *json);

#endif
