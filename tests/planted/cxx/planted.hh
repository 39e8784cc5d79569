// A small library with six bugs. As in ../c, each CAUSE comment is one.
#ifndef PLANTED_HH
#define PLANTED_HH

#include "../gate.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

enum Bug { BALANCE, CACHE, SEATS, NAME, VOTES, SHARED, KINDS };

class Account {
  public:
    BLOCK long balance() const;
    BLOCK void set(long value);
    BLOCK void add(long amount);
    BLOCK void add_slowly(long amount);

  private:
    mutable std::mutex lock_;
    long balance_ = 100;
    int changes_ = 0;
};

namespace store {

class Cache {
  public:
    BLOCK bool has(int key) const;
    BLOCK void put(int key, long value);
    BLOCK void clear();
    BLOCK void put_if_absent(int key, long value);
    BLOCK void rename(int from, int to);

  private:
    mutable std::mutex lock_;
    std::map<int, long> entries_;
};

template <typename T> class Guarded {
  public:
    BLOCK T get() const {
        std::shared_lock<std::shared_mutex> hold(lock_);
        return value_;
    }
    BLOCK void set(T value) {
        std::unique_lock<std::shared_mutex> hold(lock_);
        value_ = value;
    }
    // CAUSE store::Guarded<int>::grow @got @set
    BLOCK void grow() {
        T before = get(); // @got
        gap(SHARED);
        set(before + 1); // @set
    }

  private:
    mutable std::shared_mutex lock_;
    T value_ = T();
};

} // namespace store

BLOCK void take_seat();
BLOCK void free_seats();
BLOCK void vote();
BLOCK void count_votes();

#endif
