// A function asks whether an object is still there, and then takes it: in between the last owner
// lets go of it. How many owners there are makes no difference to anybody, but whether there is one
// does. The twin takes it first.
//
// FLAGS -std=c++17
// EXPECT violated: use
// EXPECT cut-by: drop
// EXPECT line: use @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <memory>
#include <thread>

static std::shared_ptr<int> owner = std::make_shared<int>(7);
static std::weak_ptr<int> watched = owner;

static BLOCK int use() {
#ifndef FIXED
    if (watched.expired()) // @out
        return 0;
    step(1);
    step(4);
#endif
    std::shared_ptr<int> taken = watched.lock(); // @in
#ifdef FIXED
    step(1);
    step(4);
#endif
    return taken ? *taken : -1;
}

static BLOCK void drop() {
    owner.reset();
}

int main() {
    int found = 0;
    std::thread user([&found] { found = use(); });
    std::thread dropper([] {
        step(2);
        drop();
        step(3);
    });
    user.join();
    dropper.join();
#ifndef FIXED
    check(found == -1);
#endif
    puts("ok");
    return found == 0;
}
