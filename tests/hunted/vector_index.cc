// A roster with a lock per operation: the position of a member is looked up, and the member at that
// position is asked for. Somebody has left in between, and the position is behind the end.
//
// EXPECT violated: promote
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

struct Member {
    int id;
    int rank;
};

class Roster {
  public:
    int find(int id) {
        std::lock_guard<std::mutex> guard(mutex);
        return position(id);
    }
    void raise(int index) {
        std::lock_guard<std::mutex> guard(mutex);
        members.at(index).rank++;
    }
    void find_and_raise(int id) {
        std::lock_guard<std::mutex> guard(mutex);
        int index = position(id);
        if (index >= 0)
            members.at(index).rank++;
    }
    void remove(int id) {
        std::lock_guard<std::mutex> guard(mutex);
        int index = position(id);
        if (index >= 0)
            members.erase(members.begin() + index);
    }

  private:
    int position(int id) {
        for (std::size_t i = 0; i < members.size(); i++)
            if (members[i].id == id)
                return static_cast<int>(i);
        return -1;
    }

    std::mutex mutex;
    std::vector<Member> members{{1, 0}, {2, 0}};
};

static Roster roster;

static void promote(int id) {
#ifdef FIXED
    roster.find_and_raise(id);
#else
    int index = roster.find(id); // @gap
    if (index >= 0)
        roster.raise(index);
#endif
}

static void retire(int id) {
    roster.remove(id);
}

int main() {
    std::thread one([] { promote(2); });
    std::thread two([] { retire(1); });
    one.join();
    two.join();
    std::cout << "ok" << std::endl;
    return 0;
}
