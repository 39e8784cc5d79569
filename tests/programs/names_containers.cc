// Elements of containers, and objects that share their memory with a reference count, are named as
// the program knows them, not as the library does.
//
// EXPECT violated: pay look move share
// EXPECT on: element->second.balance
// EXPECT on: element->second
// EXPECT on: element->balance
// EXPECT on: Account->balance
// EXPECT on: @map
// EXPECT on: @table
// EXPECT on: @list
// EXPECT on: @shared
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

struct Account {
    int number;
    long balance;
};

static std::mutex all;
static std::map<std::string, Account> accounts;
static std::unordered_map<int, long> table;
static std::list<Account> waiting;
static std::shared_ptr<Account> shared;

#ifdef FIXED
#define WHOLE std::lock_guard<std::mutex> whole(all)
#define PART (void)0
#else
#define WHOLE (void)0
#define PART std::lock_guard<std::mutex> part(all)
#endif

enum which { MAP, TABLE, LIST, SHARED, ALL };

BLOCK long get(which one) {
    PART;
    switch (one) {
    case MAP:
        return accounts.begin()->second.balance;
    case TABLE:
        return table.begin()->second;
    case LIST:
        return waiting.front().balance;
    default:
        return shared->balance;
    }
}

BLOCK void set(which one, long value) {
    PART;
    switch (one) {
    case MAP:
        accounts.begin()->second.balance = value;
        break;
    case TABLE:
        table.begin()->second = value;
        break;
    case LIST:
        waiting.front().balance = value;
        break;
    default:
        shared->balance = value;
    }
}

#define RAISE(one)                                                                                 \
    WHOLE;                                                                                         \
    long value = get(one);                                                                         \
    step(4 * one + 1);                                                                             \
    step(4 * one + 4);                                                                             \
    set(one, value + 1)

BLOCK void pay() {
    RAISE(MAP);
}

BLOCK void look() {
    RAISE(TABLE);
}

BLOCK void move() {
    RAISE(LIST);
}

BLOCK void share() {
    RAISE(SHARED);
}

BLOCK void between(which one) {
    WHOLE;
    set(one, 5);
}

int main() {
    accounts["a"].balance = 1;            // @map
    table[3] = 1;                         // @table
    waiting.push_back({1, 1});            // @list
    shared = std::make_shared<Account>(); // @shared
    std::thread thread([] {
        pay();
        look();
        move();
        share();
    });
    for (int i = 0; i < ALL; i++) {
        step(4 * i + 2);
        between((which)i);
        step(4 * i + 3);
    }
    thread.join();
    puts("ok");
}
