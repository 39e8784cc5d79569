#include "planted.hh"

#include <thread>

static Account account;
static store::Cache cache;
static store::Guarded<int> level;

static BLOCK void ask(Bug bug, int number) {
    switch (bug) {
    case BALANCE:
        account.add_slowly(number);
        break;
    case CACHE:
        cache.put_if_absent(number % 2, number);
        break;
    case SEATS:
        take_seat();
        break;
    case NAME:
        cache.rename(number % 2, 1 - number % 2);
        break;
    case VOTES:
        vote();
        break;
    case SHARED:
        level.grow();
        break;
    case KINDS:
        break;
    }
}

static BLOCK void come_in_between(Bug bug) {
    switch (bug) {
    case BALANCE:
        account.add(7);
        break;
    case CACHE:
        cache.clear();
        break;
    case SEATS:
        free_seats();
        break;
    case NAME:
        cache.clear();
        break;
    case VOTES:
        count_votes();
        break;
    case SHARED:
        level.set(10);
        break;
    case KINDS:
        break;
    }
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < KINDS; i++) {
        threads.emplace_back([i] { ask(static_cast<Bug>(i), 0); });
        threads.emplace_back([i] {
            wait_for_gap(i);
            come_in_between(static_cast<Bug>(i));
            close_gap(i);
        });
    }
    for (int number = 0; number < 3; number++)
        threads.emplace_back([number] {
            for (int i = 0; i < 40; i++)
                ask(static_cast<Bug>((i * 5 + number) % KINDS), i);
        });
    for (auto &thread : threads)
        thread.join();
    return 0;
}
