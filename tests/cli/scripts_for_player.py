"""Random scripts for tests/player: threads that access a little memory in every possible way."""

import random

REGIONS, REGION_BYTES, MUTEXES, FUNCTIONS = 4, 32, 3, 4


class Thread:
    def __init__(self):
        self.depth = 0
        self.held = []


class Generator:
    """One script. It does only what a program may do: no thread takes a lock that is held, and each
    thread releases its locks and returns from its functions in the end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.threads = {0: Thread()}
        self.most = self.random.randint(2, 6)
        self.started = 1
        self.span = self.random.choice([4, 8, 16, 32])  # of bytes that are accessed
        self.regions = self.random.randint(1, REGIONS)
        self.holder = {}
        # In every other script each thread keeps to memory of its own for most of the time, and
        # calls much: what its functions do is of interest to nobody, until another thread comes.
        self.at_home = 0.85 if seed % 2 else 0
        self.deepest = 7 if self.at_home else 4
        self.weights = [50, 40, 3, 2, 5, 2] if self.at_home else [60, 20, 8, 3, 5, 2]
        # In every third of the others most threads either write or read, as where one works on what
        # another has prepared: much is read again, in parts.
        self.roles = seed % 6 == 4
        # In another third they read parts of the same few bytes in many functions that are open, and
        # seldom write: more than there is room for near the memory.
        self.deep_readers = seed % 6 == 2
        if self.deep_readers:
            self.deepest, self.span, self.regions = 8, 16, 1
            self.weights = [50, 40, 3, 0, 5, 2]

        # In a sixth of all, threads hand memory on: who takes it reads what the one before has written
        # last, and so depends on all that was done to the memory before.
        self.handing = seed % 12 in (3, 6)
        self.holders = [0]
        # In another sixth they look again and again at what others change, in functions that do little
        # else.
        self.looking = seed % 12 in (0, 9)

    def put(self, thread, *words):
        self.lines.append(" ".join(map(str, (thread,) + words)))

    def access_at_home(self, thread):
        size = self.random.choice([1, 2, 4, 8])
        offset = 8 * (thread % (REGION_BYTES // 8)) + size * self.random.randrange(8 // size)
        self.put(thread, self.random.choice("rw"), 0, offset, size)

    def access(self, thread):
        if self.random.random() < self.at_home:
            self.access_at_home(thread)
            return
        region = self.random.randrange(self.regions)
        size = self.random.choice([1, 1, 1, 2] if self.deep_readers else [1, 2, 4, 8])
        if self.deep_readers and self.random.random() < 0.85:
            self.put(thread, "r", 0, self.random.randrange(self.span - 1), size)
            return
        reads = 10 if not self.roles else 2 if thread % 2 else 30
        writes = 10 if not self.roles else 15 if thread % 2 else 3
        kind = self.random.choices(["r", "w", "set", "copy", "add", "load"],
                                   [reads, writes, 2, 1, 1, 1])[0]
        if kind in ("r", "w"):
            offset = self.random.randrange(0, max(1, self.span - size + 1))
            if self.random.random() < 0.8:
                offset -= offset % size
            self.put(thread, kind, region, min(offset, REGION_BYTES - size), size)
        elif kind in ("set", "copy"):
            offset = self.random.randrange(self.span)
            self.put(thread, kind, region, offset, self.random.randint(1, REGION_BYTES - offset))
        else:
            self.put(thread, kind, region, 4 * self.random.randrange(max(1, self.span // 4)))

    def lock(self, number, thread):
        free = [m for m in range(MUTEXES) if m not in self.holder]
        if thread.held and self.random.random() < 0.6:
            mutex = thread.held.pop()
            del self.holder[mutex]
            self.put(number, "unlock", mutex)
        elif free:
            mutex = self.random.choice(free)
            thread.held.append(mutex)
            self.holder[mutex] = number
            self.put(number, "lock", mutex)

    def call(self, number, thread):
        if thread.depth and self.random.random() < 0.45:
            thread.depth -= 1
            self.put(number, "leave")
        elif thread.depth < self.deepest:
            thread.depth += 1
            self.put(number, "enter", self.random.randrange(FUNCTIONS))

    def finish(self, number):
        thread = self.threads.pop(number)
        while thread.held:
            mutex = thread.held.pop()
            del self.holder[mutex]
            self.put(number, "unlock", mutex)
        for _ in range(thread.depth):
            self.put(number, "leave")

    def hand_on(self):
        """One thread gives, one or some take. They may read only, if there are several."""
        giver = self.holders[0]
        self.put(giver, "w", 0, 24, 4)
        others = [number for number in self.threads if number != giver]
        self.holders = self.random.sample(others, self.random.randint(1, min(2, len(others))))
        for number in self.holders:
            self.put(number, "r", 0, 24, 4)

    def use_what_was_handed_on(self):
        number = self.random.choice(self.holders)
        if number not in self.threads:
            self.holders = [self.random.choice(list(self.threads))]
        elif self.random.random() < 0.3:
            self.call(number, self.threads[number])
        else:
            size = self.random.choice([1, 2, 4, 8])
            kind = "r" if len(self.holders) > 1 else self.random.choice("rw")
            self.put(number, kind, 0, size * self.random.randrange(16 // size), size)

    def look(self, number):
        """Calls of a function that looks, some of which do more."""
        thread = self.threads[number]
        if thread.depth >= self.deepest:
            return
        function, words = self.random.randrange(2), self.random.sample([0, 4, 8], 2)
        by_another = self.random.random() < 0.4
        for _ in range(self.random.randint(1, 4)):
            self.put(number, "enter", function)
            if by_another:
                self.put(number, "enter", 2)
            self.put(number, "load", 0, words[0])
            if by_another:
                self.put(number, "leave")
            if self.random.random() < 0.3:
                self.use_meanwhile(words)
                self.put(number, self.random.choice(["load", "add"]), 0, self.random.choice(words))
            self.put(number, "leave")

    def use_meanwhile(self, words):
        number = self.random.choice(list(self.threads))
        self.put(number, self.random.choice(["add", "load"]), 0, self.random.choice(words))

    def step(self):
        if self.looking and self.random.random() < 0.6:
            number = self.random.choice(list(self.threads))
            if self.random.random() < 0.7:
                self.look(number)
            else:
                self.put(number, "add", 0, self.random.choice([0, 4, 8]))
            return
        if self.handing and len(self.threads) > 1 and self.random.random() < 0.8:
            self.use_what_was_handed_on()
            if self.random.random() < 0.15 and self.holders[0] in self.threads:
                self.hand_on()
            return
        number = self.random.choice(list(self.threads))
        thread = self.threads[number]
        what = self.random.choices(["access", "call", "lock", "renew", "start", "end"],
                                   self.weights)[0]
        if what == "access":
            self.access(number)
        elif what == "call":
            self.call(number, thread)
        elif what == "lock":
            self.lock(number, thread)
        elif what == "renew" and self.regions > 1:
            self.put(number, "renew", self.random.randrange(1, self.regions))
        elif what == "start" and len(self.threads) < self.most and self.started < 12:
            self.put(number, "start", self.started)
            self.threads[self.started] = Thread()
            self.started += 1
        elif what == "end" and number:
            self.finish(number)

    def prepare(self):
        thread = self.threads[0]
        for _ in range(self.random.randrange(25)):
            self.random.choice([lambda: self.access(0), lambda: self.access(0),
                                lambda: self.call(0, thread), lambda: self.lock(0, thread)])()

    def script(self):
        if self.roles:  # it also works alone for a while
            self.prepare()
        while len(self.threads) < min(3, self.most):
            self.put(0, "start", self.started)
            self.threads[self.started] = Thread()
            self.started += 1
        for _ in range(self.random.randint(10, 150)):
            self.step()
        for number in list(self.threads):
            self.finish(number)
        return "".join(line + "\n" for line in self.lines)


def script(seed):
    return Generator(seed).script()


class Truth:
    """What a script does, as a trace in which every byte is a variable."""

    def __init__(self):
        self.lines = []
        self.open = {}    # by thread: the functions that it is in
        self.ages = {}    # by region: how often it was renewed

    def put(self, thread, operation):
        self.lines.append(f"T{thread}|{operation}|0")

    def touch(self, thread, letter, region, offset, length):
        """One access. What it learns at one byte, it knows at all others, so it is written
        twice."""
        for byte in 2 * list(range(offset, offset + length)):
            self.put(thread, f"{letter}(b{region}_{self.ages.get(region, 0)}_{byte})")

    def split(self, thread):
        """Blocks without a name end where their thread waits or starts another one."""
        for name in reversed(self.open[thread]):
            self.put(thread, f"end({name})")
        for name in self.open[thread]:
            self.put(thread, f"begin({name})")

    def perform(self, thread, kind, *numbers):
        functions = self.open.setdefault(thread, [])
        if kind == "enter":
            functions.append(f"f{numbers[0]}")
            self.put(thread, f"begin({functions[-1]})")
        elif kind == "leave":
            self.put(thread, f"end({functions.pop()})")
        elif kind in ("r", "w"):
            self.touch(thread, kind, *numbers)
        elif kind == "set":
            self.touch(thread, "w", *numbers)
        elif kind == "copy":
            region, _, length = numbers
            self.touch(thread, "r", region, 0, length)
            self.touch(thread, "w", *numbers)
        elif kind in ("add", "load"):
            self.touch(thread, "r", *numbers, 4)
            if kind == "add":
                self.touch(thread, "w", *numbers, 4)
        elif kind in ("lock", "unlock"):
            self.put(thread, f"{'acq' if kind == 'lock' else 'rel'}(m{numbers[0]})")
        elif kind == "renew":
            self.ages[numbers[0]] = self.ages.get(numbers[0], 0) + 1
        else:
            self.put(thread, f"fork(T{numbers[0]})")
            self.split(thread)


def truth(script):
    """The trace of a script in STD text."""
    trace = Truth()
    for line in script.splitlines():
        thread, kind, *numbers = line.split()
        trace.perform(int(thread), kind, *map(int, numbers))
    return "".join(line + "\n" for line in trace.lines)
