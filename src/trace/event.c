#include "trace/event.h"

static const struct {
    const char *word, *std;
} operations[] = {
    [ST_READ] = {"read", "r"},         [ST_WRITE] = {"write", "w"},
    [ST_ACQUIRE] = {"acquire", "acq"}, [ST_RELEASE] = {"release", "rel"},
    [ST_FORK] = {"fork", "fork"},      [ST_JOIN] = {"join", "join"},
    [ST_BEGIN] = {"begin", "begin"},   [ST_END] = {"end", "end"},
    [ST_SEND] = {"send", "snd"},       [ST_RECEIVE] = {"receive", "rcv"},
};

const char *st_op_word(enum st_op op) {
    return op < ST_OP_COUNT ? operations[op].word : "nothing";
}

const char *st_op_std(enum st_op op) {
    return op < ST_OP_COUNT ? operations[op].std : "nothing";
}
