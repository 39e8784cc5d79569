// Neighbours in one word belong to different threads: chars, shorts, and the halves of an int that
// is written as two shorts elsewhere. A tool that watches words sees them cut each other.
//
// EXPECT none
#include "schedule.h"

struct {
    char chars[8];
    short shorts[4];
    struct {
        char flag;
        short count;
        int rest;
    } mixed;
} word __attribute__((aligned(8)));

static void pause_at(int number) {
    step(number);
    step(number + 3);
}

static BLOCK void own_char(void) {
    word.chars[3] = 1;
    pause_at(1);
    word.chars[3]++;
}

static BLOCK void own_short(void) {
    word.shorts[1] = 1;
    pause_at(5);
    word.shorts[1]++;
}

static BLOCK void own_member(void) {
    word.mixed.count = 1;
    pause_at(9);
    word.mixed.count++;
}

static BLOCK void other_chars(void) {
    for (int i = 0; i < 8; i++)
        if (i != 3)
            word.chars[i]++;
}

static BLOCK void other_shorts(void) {
    for (int i = 0; i < 4; i++)
        if (i != 1)
            word.shorts[i]++;
}

static BLOCK void other_members(void) {
    word.mixed.flag++;
    word.mixed.rest++;
}

THREAD(owner) {
    own_char();
    own_short();
    own_member();
    return NULL;
}

THREAD(neighbour) {
    step(2);
    other_chars();
    step(3);
    step(6);
    other_shorts();
    step(7);
    step(10);
    other_members();
    step(11);
    return NULL;
}

int main(void) {
    together(owner, neighbour);
    check(word.chars[3] == 2 && word.shorts[1] == 2 && word.mixed.count == 2);
    puts("ok");
    return 0;
}
