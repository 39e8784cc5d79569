// Small programs, each in a style of C++ with threads that people write: bench/styles.py runs them.
// None of them has a bug.
//
//     styles NAME [SCALE]     styles list
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

int scale = 1;
constexpr int THREADS = 4;

// What is computed has to be used, by its own thread.
thread_local volatile long used;
void use(long value) {
    used = value;
}

void in_threads(const std::function<void(int)> &work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i);
    for (std::thread &thread : threads)
        thread.join();
}

// ---- work that is handed on ----

class Pool {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<void()>> jobs;
    bool closed = false;
    std::vector<std::thread> threads;

    void work() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> guard(lock);
                changed.wait(guard, [this] { return closed || !jobs.empty(); });
                if (jobs.empty())
                    return;
                job = std::move(jobs.front());
                jobs.pop_front();
            }
            job();
        }
    }

  public:
    Pool() {
        for (int i = 0; i < THREADS; i++)
            threads.emplace_back([this] { work(); });
    }
    void add(std::function<void()> job) {
        std::lock_guard<std::mutex> guard(lock);
        jobs.push_back(std::move(job));
        changed.notify_one();
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(lock);
            closed = true;
        }
        changed.notify_all();
        for (std::thread &thread : threads)
            thread.join();
    }
};

void pool() {
    std::vector<long> sums(20000 * scale);
    Pool workers;
    for (size_t i = 0; i < sums.size(); i++)
        workers.add([&sums, i] {
            std::vector<int> numbers(50);
            std::iota(numbers.begin(), numbers.end(), int(i));
            sums[i] = std::accumulate(numbers.begin(), numbers.end(), 0L);
        });
}

void futures() {
    for (int i = 0; i < 1000 * scale; i++) {
        auto sum = std::async(std::launch::async, [i] {
            std::vector<int> numbers(1000);
            std::iota(numbers.begin(), numbers.end(), i);
            return std::accumulate(numbers.begin(), numbers.end(), 0L);
        });
        use(sum.get());
    }
}

void messages() {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::string> queue;
    bool done = false;
    std::thread sender([&] {
        for (int i = 0; i < 40000 * scale; i++) {
            std::string text = "message " + std::to_string(i);
            std::lock_guard<std::mutex> guard(lock);
            queue.push_back(std::move(text));
            changed.notify_one();
        }
        std::lock_guard<std::mutex> guard(lock);
        done = true;
        changed.notify_one();
    });
    std::thread receiver([&] {
        for (size_t bytes = 0;; use(long(bytes))) {
            std::unique_lock<std::mutex> guard(lock);
            changed.wait(guard, [&] { return done || !queue.empty(); });
            if (queue.empty())
                return;
            std::string text = std::move(queue.front());
            queue.pop_front();
            guard.unlock();
            bytes += text.size();
        }
    });
    sender.join();
    receiver.join();
}

// A ring for one producer and one consumer, without locks.
void ring() {
    constexpr unsigned SIZE = 1024;
    static std::atomic<unsigned> head, tail;
    static int slots[SIZE];
    const unsigned count = 100000 * unsigned(scale);
    std::thread producer([=] {
        for (unsigned i = 0; i < count; i++) {
            while (i - head.load(std::memory_order_acquire) == SIZE)
                std::this_thread::yield();
            slots[i % SIZE] = int(i);
            tail.store(i + 1, std::memory_order_release);
        }
    });
    std::thread consumer([=] {
        for (unsigned i = 0; i < count; i++) {
            while (i == tail.load(std::memory_order_acquire))
                std::this_thread::yield();
            use(slots[i % SIZE]);
            head.store(i + 1, std::memory_order_release);
        }
    });
    producer.join();
    consumer.join();
}

// ---- data that is shared ----

struct Account {
    std::mutex lock;
    long balance = 1000;

    void deposit(long amount) {
        std::lock_guard<std::mutex> guard(lock);
        balance += amount;
    }
    bool withdraw(long amount) {
        std::lock_guard<std::mutex> guard(lock);
        if (balance < amount)
            return false;
        balance -= amount;
        return true;
    }
};

void accounts() {
    std::vector<Account> all(100);
    in_threads([&](int number) {
        std::mt19937 random(number);
        for (int i = 0; i < 60000 * scale; i++)
            if (all[random() % all.size()].withdraw(1))
                all[random() % all.size()].deposit(1);
    });
}

void dictionary() {
    std::shared_mutex lock;
    std::unordered_map<int, std::string> entries;
    for (int i = 0; i < 1000; i++)
        entries[i] = std::to_string(i);
    in_threads([&](int number) {
        std::mt19937 random(number);
        for (int i = 0; i < 40000 * scale; i++) {
            int key = int(random() % 1000);
            if (i % 100 == 0) {
                std::unique_lock<std::shared_mutex> guard(lock);
                entries[key] = std::to_string(i);
            } else {
                std::shared_lock<std::shared_mutex> guard(lock);
                use(long(entries.at(key).size()));
            }
        }
    });
}

void configuration() {
    auto settings = std::make_shared<std::map<std::string, int>>();
    (*settings)["limit"] = 3;
    in_threads([settings](int) {
        for (int i = 0; i < 50000 * scale; i++) {
            std::shared_ptr<std::map<std::string, int>> mine = settings;
            use(mine->at("limit"));
        }
    });
}

void counter() {
    static std::atomic<long> count;
    in_threads([](int) {
        for (int i = 0; i < 100000 * scale; i++)
            count.fetch_add(1, std::memory_order_relaxed);
    });
}

void spinlock() {
    static std::atomic_flag busy = ATOMIC_FLAG_INIT;
    static long count;
    in_threads([](int) {
        for (int i = 0; i < 50000 * scale; i++) {
            while (busy.test_and_set(std::memory_order_acquire))
                std::this_thread::yield();
            count++;
            busy.clear(std::memory_order_release);
        }
    });
}

// ---- work of each thread's own ----

struct Node {
    std::unique_ptr<Node> less, more;
    int key;
    explicit Node(int number) : key(number) {
    }
};

std::unique_ptr<Node> insert(std::unique_ptr<Node> tree, int key) {
    if (!tree)
        return std::make_unique<Node>(key);
    std::unique_ptr<Node> &branch = key < tree->key ? tree->less : tree->more;
    branch = insert(std::move(branch), key);
    return tree;
}

long sum(const Node *tree) {
    return tree ? tree->key + sum(tree->less.get()) + sum(tree->more.get()) : 0;
}

void trees() {
    in_threads([](int number) {
        std::mt19937 random(number);
        std::unique_ptr<Node> tree;
        for (int i = 0; i < 5000 * scale; i++)
            tree = insert(std::move(tree), int(random() % 100000));
        for (int i = 0; i < 20; i++)
            use(sum(tree.get()));
    });
}

void words() {
    std::vector<std::string> text(20000 * size_t(scale));
    std::mt19937 random(3);
    for (std::string &word : text)
        for (int i = 0; i < 6; i++)
            word += char('a' + random() % 4);
    std::map<std::string, int> total;
    std::mutex lock;
    in_threads([&](int number) {
        std::map<std::string, int> mine;
        for (size_t i = size_t(number); i < text.size(); i += THREADS)
            mine[text[i]]++;
        std::lock_guard<std::mutex> guard(lock);
        for (const auto &[word, count] : mine)
            total[word] += count;
    });
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side = 2;
    double area() const override {
        return side * side;
    }
};
struct Circle : Shape {
    double radius = 3;
    double area() const override {
        return 3 * radius * radius;
    }
};

void shapes() {
    std::vector<std::unique_ptr<Shape>> all;
    for (int i = 0; i < 1000; i++) {
        all.push_back(std::make_unique<Square>());
        all.push_back(std::make_unique<Circle>());
    }
    in_threads([&](int) {
        for (int i = 0; i < 200 * scale; i++) {
            double total = 0;
            for (const auto &shape : all)
                total += shape->area();
            use(long(total));
        }
    });
}

void stencil() {
    std::vector<double> cells[2] = {std::vector<double>(20000, 1), std::vector<double>(20000)};
    std::barrier all_done(THREADS);
    in_threads([&](int number) {
        size_t share = cells[0].size() / THREADS;
        size_t first = std::max<size_t>(1, size_t(number) * share);
        size_t end = std::min(cells[0].size() - 1, size_t(number + 1) * share);
        for (int turn = 0; turn < 40 * scale; turn++) {
            const std::vector<double> &from = cells[turn % 2];
            std::vector<double> &to = cells[1 - turn % 2];
            for (size_t i = first; i < end; i++)
                to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
            all_done.arrive_and_wait();
        }
    });
}

void exceptions() {
    in_threads([](int) {
        for (int i = 0; i < 5000 * scale; i++)
            try {
                if (i % 2)
                    throw std::runtime_error("odd");
            } catch (const std::exception &error) {
                use(error.what()[0]);
            }
    });
}

const std::map<std::string, void (*)()> styles = {
    {"accounts", accounts},
    {"configuration", configuration},
    {"counter", counter},
    {"dictionary", dictionary},
    {"exceptions", exceptions},
    {"futures", futures},
    {"messages", messages},
    {"pool", pool},
    {"ring", ring},
    {"shapes", shapes},
    {"spinlock", spinlock},
    {"stencil", stencil},
    {"trees", trees},
    {"words", words},
};

} // namespace

int main(int argc, char **argv) {
    std::string name = argc > 1 ? argv[1] : "list";
    if (name == "list") {
        for (const auto &[style, run] : styles)
            std::puts(style.c_str());
        return 0;
    }
    auto found = styles.find(name);
    if (found == styles.end()) {
        std::fprintf(stderr, "styles: there is no '%s'; `styles list` names all\n", name.c_str());
        return 2;
    }
    scale = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
    found->second();
    return 0;
}
