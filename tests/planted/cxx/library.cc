#include "planted.hh"

long Account::balance() const {
    std::lock_guard<std::mutex> hold(lock_);
    return balance_;
}

void Account::set(long value) {
    std::lock_guard<std::mutex> hold(lock_);
    changes_++;
    balance_ = value;
}

void Account::add(long amount) {
    std::lock_guard<std::mutex> hold(lock_);
    balance_ += amount;
    changes_++;
}

// CAUSE Account::add_slowly @read @written
void Account::add_slowly(long amount) {
    long before = balance(); // @read
    gap(BALANCE);
    set(before + amount); // @written
}

namespace store {

bool Cache::has(int key) const {
    std::lock_guard<std::mutex> hold(lock_);
    return entries_.count(key) != 0;
}

void Cache::put(int key, long value) {
    std::lock_guard<std::mutex> hold(lock_);
    entries_[key] = value;
}

void Cache::clear() {
    std::lock_guard<std::mutex> hold(lock_);
    entries_.clear();
    entries_[0] = entries_[1] = 1;
}

// CAUSE store::Cache::put_if_absent @asked @put
void Cache::put_if_absent(int key, long value) {
    bool there = has(key); // @asked
    gap(CACHE);
    put(key + there, value); // @put
}

// CAUSE store::Cache::rename @out @in
void Cache::rename(int from, int to) {
    long value;
    {
        std::unique_lock<std::mutex> hold(lock_); // @out
        value = entries_[from];
        entries_[from] = 0;
    }
    gap(NAME);
    std::unique_lock<std::mutex> hold(lock_); // @in
    entries_[to] = value;
}

} // namespace store

static std::atomic<int> seats{1000};

// CAUSE take_seat
void take_seat() {
    int left = seats.load();
    gap(SEATS);
    if (left > 0)
        seats.store(left - 1);
}

void free_seats() {
    seats.store(1000);
}

static std::mutex ballot;
static long yes, all;

// CAUSE vote @one @other
void vote() {
    {
        std::lock_guard<std::mutex> hold(ballot); // @one
        yes++;
    }
    gap(VOTES);
    std::lock_guard<std::mutex> hold(ballot); // @other
    all++;
}

void count_votes() {
    std::lock_guard<std::mutex> hold(ballot);
    all = yes;
    yes = 0;
}
