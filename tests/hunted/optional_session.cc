// A session that may be there or not, with a lock per operation. It is asked for after it was
// logged out.
//
// EXPECT violated: greet
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>

struct Session {
    int user;
};

class Login {
  public:
    bool active() {
        std::lock_guard<std::mutex> guard(mutex);
        return session.has_value();
    }
    int user() {
        std::lock_guard<std::mutex> guard(mutex);
        return session.value().user;
    }
    int user_or(int nobody) {
        std::lock_guard<std::mutex> guard(mutex);
        return session ? session->user : nobody;
    }
    void end() {
        std::lock_guard<std::mutex> guard(mutex);
        session.reset();
    }

  private:
    std::mutex mutex;
    std::optional<Session> session = Session{7};
};

static Login login;

static int greet() {
#ifdef FIXED
    return login.user_or(0);
#else
    if (!login.active())
        return 0;
    return login.user(); // @gap-before
#endif
}

int main() {
    int greeted = 0;
    std::thread visitor([&] { greeted = greet(); });
    std::thread leaver([] { login.end(); });
    visitor.join();
    leaver.join();
    std::cout << (greeted == 0 || greeted == 7 ? "ok" : "wrong") << std::endl;
    return 0;
}
