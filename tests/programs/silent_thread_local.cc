// Thread-local objects with constructors and destructors: made when a thread first uses them, gone
// with it, and nobody else's.
//
// FLAGS -std=c++17
// SPEC atomic function append
// EXPECT none
#include "schedule.h"

#include <string>
#include <thread>
#include <vector>

static thread_local std::string text = "a text that is too long to live inside of the string";
static thread_local std::vector<int> lengths;

static BLOCK int append(char letter, int pass, int resume) {
    text += letter;
    lengths.push_back(static_cast<int>(text.size()));
    step(pass);
    step(resume);
    text += letter;
    lengths.push_back(static_cast<int>(text.size()));
    return lengths[0] + lengths[1];
}

int main() {
    std::thread one([] { check(append('a', 1, 4) == 107); });
    std::thread two([] {
        step(2);
        check(append('b', 3, 5) == 107);
    });
    one.join();
    two.join();
    puts("ok");
    return 0;
}
