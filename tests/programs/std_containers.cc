// A map and a list with a lock for each operation. The functions that link their nodes are in the
// C++ library, which has no instrumentation; they are seen nevertheless.
//
// FLAGS -std=c++17
// SPEC atomic function claim
// SPEC atomic function rename
// EXPECT violated: claim rename
// EXPECT cut-by: other
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <list>
#include <map>
#include <mutex>

static std::mutex mutex;
static std::map<int, int> owners;
static std::list<int> names;

static bool is_owned(int key) {
    std::lock_guard<std::mutex> guard(mutex);
    return owners.find(key) != owners.end();
}

static void own(int key, int owner) {
    std::lock_guard<std::mutex> guard(mutex);
    owners[key] = owner;
}

static int first_name() {
    std::lock_guard<std::mutex> guard(mutex);
    return names.empty() ? 0 : names.front();
}

static void add_name(int name) {
    std::lock_guard<std::mutex> guard(mutex);
    names.push_front(name);
}

static BLOCK void claim(int key, int owner) {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
    bool owned = owners.find(key) != owners.end();
    step(1);
    step(4);
    if (!owned)
        owners[key] = owner;
#else
    bool owned = is_owned(key);
    step(1);
    step(4);
    if (!owned)
        own(key, owner);
#endif
}

static BLOCK void rename() {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(mutex);
    int name = names.empty() ? 0 : names.front();
    step(5);
    step(8);
    names.push_front(name + 1);
#else
    int name = first_name();
    step(5);
    step(8);
    add_name(name + 1);
#endif
}

THREAD(slow) {
    claim(1, 1);
    rename();
    return NULL;
}

THREAD(other) {
    step(2);
    if (!is_owned(1))
        own(1, 2);
    step(3);
    step(6);
    add_name(first_name() + 1);
    step(7);
    return NULL;
}

int main() {
    together(slow, other);
    check(owners.size() == 1 && names.size() == 2);
    puts("ok");
    return 0;
}
