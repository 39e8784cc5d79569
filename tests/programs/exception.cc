// parse() and fail() are left by an exception and end there. What comes after cuts safe_parse(),
// which catches it and goes on, and not them.
//
// FLAGS -std=c++17
// SPEC atomic function *parse
// SPEC atomic function fail
// SPEC atomic function reset
// EXPECT violated: safe_parse
// EXPECT cut-by: reset
// EXPECT on: parser
// EXPECT runs: safe_parse 1/1
// EXPECT runs: parse 0/1
// EXPECT runs: fail 0/1
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <mutex>
#include <stdexcept>
#include <thread>

static struct {
    std::mutex lock;
    int errors = 0;
} parser;

static BLOCK void count_error() {
    std::lock_guard<std::mutex> guard(parser.lock);
    parser.errors++;
}

[[noreturn]] static BLOCK void fail() {
    count_error();
    throw std::runtime_error("bad input");
}

static BLOCK void parse(bool bad) {
    std::string text = "some input that owns memory, which unwinding has to free";
    if (bad)
        fail();
    check(text.empty());
}

static BLOCK void safe_parse() {
    try {
        parse(true);
    } catch (const std::exception &) {
#ifndef FIXED
        step(1);
        step(4);
        count_error();
#endif
    }
}

static BLOCK void reset() {
    std::lock_guard<std::mutex> guard(parser.lock);
    parser.errors = 0;
}

int main() {
    std::thread reader([] {
        safe_parse();
#ifdef FIXED
        step(1);
        step(4);
#endif
        count_error();
    });
    std::thread resetter([] {
        step(2);
        reset();
        step(3);
    });
    reader.join();
    resetter.join();
    puts("ok");
    return 0;
}
