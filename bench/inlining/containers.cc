// Ordinary C++: classes with methods defined inside them, and much of the standard library.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

class Account {
    std::mutex lock;
    long balance = 100;

public:
    long get() {
        std::lock_guard<std::mutex> guard(lock);
        return balance;
    }
    void set(long value) {
        std::lock_guard<std::mutex> guard(lock);
        balance = value;
    }
    void deposit(long amount) { set(get() + amount); }
};

class Bank {
    std::vector<std::unique_ptr<Account>> accounts;

public:
    explicit Bank(int count) {
        for (int i = 0; i < count; i++)
            accounts.push_back(std::make_unique<Account>());
    }
    void transfer(unsigned from, unsigned to, long amount) {
        accounts[from]->deposit(-amount);
        accounts[to]->deposit(amount);
    }
    long sum() {
        long all = 0;
        for (auto &account : accounts)
            all += account->get();
        return all;
    }
};

class Index {
    std::map<std::string, int> by_name;
    std::unordered_map<int, std::string> by_number;

public:
    void put(int number) {
        auto name = std::to_string(number);
        by_name[name] = number;
        by_number[number] = name;
    }
    std::size_t size() const { return by_name.size(); }
};

int main() {
    Bank bank(64);
    Index index;
    std::vector<int> numbers;
    unsigned random = 1;
    auto next = [&] { return random = random * 1664525 + 1013904223; };
    for (int i = 0; i < 200000; i++) {
        bank.transfer(next() >> 26, next() >> 26, 1);
        index.put(int(next() >> 16));
        numbers.push_back(int(next()));
    }
    std::sort(numbers.begin(), numbers.end());
    std::printf("%ld %zu %ld\n", bank.sum(), index.size(),
                std::accumulate(numbers.begin(), numbers.end(), 0L));
}
