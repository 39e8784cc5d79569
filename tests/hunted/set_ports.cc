// Ports in use are a set, with a lock per operation. Two servers look for the lowest one that is
// free, find the same, and both take it.
//
// EXPECT violated: reserve_port
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

class Ports {
  public:
    int lowest_free() {
        std::lock_guard<std::mutex> guard(mutex);
        return first_gap();
    }
    void take(int port) {
        std::lock_guard<std::mutex> guard(mutex);
        used.insert(port);
    }
    int take_lowest() {
        std::lock_guard<std::mutex> guard(mutex);
        int port = first_gap();
        used.insert(port);
        return port;
    }

  private:
    int first_gap() {
        int port = 8000;
        while (used.count(port))
            port++;
        return port;
    }

    std::mutex mutex;
    std::set<int> used{8000, 8002};
};

static Ports ports;

static int reserve_port() {
#ifdef FIXED
    return ports.take_lowest();
#else
    int port = ports.lowest_free(); // @gap
    ports.take(port);
    return port;
#endif
}

int main() {
    int first = 0, second = 0;
    std::thread one([&] { first = reserve_port(); });
    std::thread two([&] { second = reserve_port(); });
    one.join();
    two.join();
    std::cout << (first == second ? "one port for two" : "two ports") << std::endl;
    return first == second;
}
