"""Makes a trace of a given shape: so many threads, locks, variables, transactions and events, scaled down.

Each thread goes through its transactions and its events outside of them. In a transaction it takes one lock, if there
are lock events for it, and accesses variables of that lock and variables of its own, so that the trace is serializable
whatever the order of the threads. Blocks that are to be cut come last: one thread reads and writes a variable without a
lock, and another one writes it in between. So do those that Velodrome misses, and those that DoubleChecker blames
without reason (Figure 1 of the RegionTrack paper). All is determined by the seed.
"""
import dataclasses
import random

LEAST_EVENTS = 60


@dataclasses.dataclass
class Plan:
    """A shape at its scale, in whole numbers."""

    threads: int
    transactions: int
    locks: int
    variables: int
    sections: int
    signals: int
    accesses: int


def scale_down(shape, most):
    """Threads stay; what belongs to events shrinks as they do."""
    events = max(LEAST_EVENTS, min(int(shape.events), most))
    factor = min(1.0, events / shape.events)
    transactions = min(round(shape.transactions * factor), events // 6) or min(1, int(shape.transactions))
    lock_events = shape.lock_events if shape.lock_events is not None else shape.events * 0.1
    sections = min(round(lock_events * factor / 2), events // 4)
    signals = round(shape.channel_events * factor)
    accesses = max(4, events - 2 * transactions - 2 * sections - signals)
    return Plan(threads=max(2, shape.threads), transactions=transactions, sections=sections, signals=signals,
                locks=max(1, min(int(shape.locks or 1), max(1, sections))),
                variables=max(4, min(int((shape.variables or 100) * factor) or 4, accesses // 2)), accesses=accesses)


def split(total, parts):
    """Whole numbers that differ by one at most."""
    return [total * (i + 1) // parts - total * i // parts for i in range(parts)] if parts else []


class Writer:
    """The programs of all threads, and then an order of them."""

    def __init__(self, shape, plan, seed):
        self.rng, self.shape, self.plan = random.Random(seed), shape, plan
        self.shared = max(1, plan.variables // 4)
        self.next_own = [0] * plan.threads
        self.programs = [[] for _ in range(plan.threads)]

    def access(self, thread, lock):
        """A variable of the lock that is held, or one of the thread's own."""
        word = "w" if self.rng.random() < self.shape.writes else "r"
        own = max(1, (self.plan.variables - self.shared) // self.plan.threads)
        if lock is not None and self.rng.random() < 0.5:
            number = lock + self.plan.locks * self.rng.randrange(max(1, self.shared // self.plan.locks))
            return f"{word}(s{number % self.shared if self.plan.locks <= self.shared else lock})"
        self.next_own[thread] = (self.next_own[thread] + 1) % own
        return f"{word}(o{thread}.{self.next_own[thread]})"

    def unit(self, thread, accesses, section, name):
        """A transaction, or what stands outside of them."""
        steps = self.programs[thread]
        lock = self.rng.randrange(self.plan.locks) if section else None
        steps += [f"begin({name})"] * bool(name) + [f"acq(l{lock})"] * section
        steps += [self.access(thread, lock) for _ in range(accesses)]
        steps += [f"rel(l{lock})"] * section + ["end"] * bool(name)

    def fill(self):
        """Transactions of all threads in turn; half of the accesses without a transaction if there are few of those."""
        plan = self.plan
        units = max(plan.transactions, plan.sections, plan.threads)
        sections = set(self.rng.sample(range(units), min(plan.sections, units)))
        for i, accesses in enumerate(split(plan.accesses, units)):
            name = f"f{i % 40}" if i < plan.transactions else None
            self.unit(i % plan.threads, accesses, i in sections, name)
        for i in range(plan.signals):
            thread = i % plan.threads
            self.programs[thread].insert(self.free_place(thread), "notify(c)" if i % 2 == 0 else "wait(c)")

    def free_place(self, thread):
        """Outside of blocks and sections: before a begin, or at the end."""
        places = [i for i, step in enumerate(self.programs[thread]) if step.startswith("begin")]
        return self.rng.choice(places) if places else len(self.programs[thread])

    def order(self):
        """Threads take turns of a few steps; who wants a lock that is held waits."""
        at, held, ready = [0] * self.plan.threads, {}, list(range(self.plan.threads))
        while ready:
            thread = self.rng.choice(ready)
            for _ in range(self.rng.randint(1, 24)):
                if at[thread] == len(self.programs[thread]):
                    ready.remove(thread)
                    break
                step = self.programs[thread][at[thread]]
                if step.startswith("acq") and held.setdefault(step[4:-1], thread) != thread:
                    break
                if step.startswith("rel"):
                    del held[step[4:-1]]
                at[thread] += 1
                yield thread, step

    def lines(self):
        """All events; the block that is cut comes last."""
        yield from ((0, f"fork(T{thread})") for thread in range(1, self.plan.threads))
        yield from self.order()
        for i in range(self.shape.cut):
            yield 1, f"w(late{i})"
            yield from ((0, f"begin(cut{i})"), (0, f"r(late{i})"), (1, f"w(late{i})"), (0, f"w(late{i})"), (0, "end"))
        for i in range(self.shape.missed):
            yield from figure_1(f"missed{i}", "x")
        for i in range(self.shape.blamed):
            yield from figure_1(f"blamed{i}", "p")


def figure_1(name, read):
    """tx1 is cut if tx3 reads x, which Velodrome misses, and innocent otherwise, which DoubleChecker does not see."""
    steps = ("0 begin(NAME) 1 begin(NAME2) 0 r(x) 1 w(y) 1 w(x) 2 begin(NAME3) 2 r(y) 2 r(READ) 2 end 1 end 1 begin(NAME4) "
             "2 begin(NAME5) 2 w(z) 0 r(z) 0 end 1 end 2 end").replace("READ", read).replace("NAME", name).split()
    for thread, step in zip(steps[::2], steps[1::2]):
        yield int(thread), step if "end" in step or "begin" in step else step.replace(")", f".{name})")


def write_trace(shape, path, most, seed=1):
    """Writes it as STD text."""
    writer = Writer(shape, scale_down(shape, most), seed)
    writer.fill()
    with open(path, "w", encoding="ascii") as file:
        for number, (thread, step) in enumerate(writer.lines(), 1):
            file.write(f"T{thread}|{step}|{number % 500 + 1}\n")
