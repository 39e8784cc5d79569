// A memo under a shared mutex: readers look for a result, and compute it if it is not there. It is
// computed twice, and the second one resets how often it was used.
//
// EXPECT violated: Memo::get
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

struct Result {
    long value = 0;
    int uses = 0;
};

class Memo {
  public:
    long get(long n) {
#ifndef FIXED
        bool known;
        {
            std::shared_lock<std::shared_mutex> reading(mutex);
            known = results.find(n) != results.end();
        }
        std::unique_lock<std::shared_mutex> writing(mutex); // @gap-before
#else
        std::unique_lock<std::shared_mutex> writing(mutex);
        bool known = results.find(n) != results.end();
#endif
        if (!known)
            results[n] = Result{n * n, 0};
        Result &result = results[n];
        result.uses++;
        return result.value;
    }
    int uses(long n) {
        std::shared_lock<std::shared_mutex> reading(mutex);
        return results[n].uses;
    }

  private:
    std::shared_mutex mutex;
    std::unordered_map<long, Result> results;
};

static Memo memo;

int main() {
    long first = 0, second = 0;
    std::thread one([&] { first = memo.get(12); });
    std::thread two([&] { second = memo.get(12); });
    one.join();
    two.join();
    std::cout << first << ", used " << memo.uses(12) << " times" << std::endl;
    return first != second || memo.uses(12) != 2;
}
