// A map with a lock for each operation. "If the name is not taken, take it" needs two of them, and
// two players end up with the same name.
//
// EXPECT violated: join_game
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class Players {
  public:
#ifdef FIXED
    bool put_if_absent(const std::string &name, int player) {
        std::lock_guard<std::mutex> guard(mutex);
        return players.emplace(name, player).second;
    }
#else
    bool contains(const std::string &name) {
        std::lock_guard<std::mutex> guard(mutex);
        return players.count(name) != 0;
    }
    void put(const std::string &name, int player) {
        std::lock_guard<std::mutex> guard(mutex);
        players[name] = player;
    }
#endif

  private:
    std::mutex mutex;
    std::unordered_map<std::string, int> players;
};

static Players players;

static bool join_game(const std::string &name, int player) {
#ifdef FIXED
    return players.put_if_absent(name, player);
#else
    if (players.contains(name))
        return false;
    players.put(name, player); // @gap-before
    return true;
#endif
}

int main() {
    bool first = false, second = false;
    std::thread one([&] { first = join_game("kim", 1); });
    std::thread two([&] { second = join_game("kim", 2); });
    one.join();
    two.join();
    std::cout << first + second << " player is called kim" << std::endl;
    return first && second;
}
