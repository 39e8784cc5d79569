"""Random scripts for tests/java/player: threads that access a few variables in every way that Java has.

A script is a text with one operation a line, in the order in which they are done:

    THREAD enter F | leave | throw   call one of the functions, return from it, leave it by an exception
    THREAD rf|wf THING FIELD         read or write a field (1 and 4 are volatile); addf THING: by a VarHandle
    THREAD rs|ws FIELD               a static one (2 is volatile)
    THREAD ra|wa ARRAY I             an element
    THREAD get|add NUMBER            an AtomicInteger
    THREAD copy FROM AT TO AT COUNT  System.arraycopy; 0 and 1 have the same type
    THREAD fill ARRAY FROM TO        Arrays.fill
    THREAD clonea|newa ARRAY         another array takes its place: a clone, or a new one
    THREAD clonef|newf THING         the same for a thing
    THREAD sync MONITOR | unsync     a synchronized block (2: a method); nested like functions
    THREAD lock|unlock LOCK          a ReentrantLock
    THREAD start|join OTHER          a thread; the first is 0
    THREAD sleep | gc                Thread.sleep(0) and System.gc()
"""

import random

THINGS, FIELDS, STATICS, ARRAYS, LENGTH, NUMBERS, MONITORS, LOCKS = 3, 5, 3, 4, 6, 2, 4, 2
FUNCTIONS = ["Functions.f0", "Functions.f1", "Functions.call{lambda}", "Functions$Callable.f3",
             "Functions$Made.<init>"]
MOST_STARTED = 12
CLONED = [2, 3, 4, 0, 1]  # the fields of a thing in the order in which clone reads them: those of Thing, those of Base


class Thread:
    def __init__(self):
        self.open = []  # functions (None) and monitors
        self.locks = []
        self.look = None  # where it looks again and again, and in which function


class Generator:
    """One script. It does only what a program may do: no thread takes a lock that another one holds, and each releases
    its locks and returns from its functions in the end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.threads = {0: Thread()}
        self.ended = []
        self.most = self.random.randint(2, 5)
        self.started = 1
        self.things = self.random.randint(1, THINGS)
        self.fields = self.random.sample(range(FIELDS), self.random.randint(2, FIELDS))
        self.holder = {}  # of monitors and locks: thread and how often
        # Threads that keep to variables of their own for most of the time, and call much: what they do is of interest
        # to nobody, until another one comes.
        self.at_home = 0.8 if seed % 3 == 1 else 0
        # Threads that mostly read, or mostly write.
        self.roles = seed % 3 == 2
        # Threads that wait by calling a function that looks at something: it mostly finds nothing new.
        self.looks = seed % 5 == 4
        self.weights = [50, 34, 5, 1, 4, 2, 3] if self.at_home else [60, 18, 8, 2, 5, 3, 3]

    def put(self, thread, *words):
        self.lines.append(" ".join(map(str, (thread,) + words)))

    def read_or_write(self, thread):
        if not self.roles:
            return self.random.choice("rw")
        return self.random.choices("rw", [9, 1] if thread % 2 else [1, 2])[0]

    def access(self, thread):
        letter = self.read_or_write(thread)
        if self.random.random() < self.at_home:
            self.put(thread, letter + "a", self.random.randrange(ARRAYS), thread % LENGTH)
            return
        kind = self.random.choices(["f", "s", "a", "number", "range", "fresh"], [30, 8, 14, 4, 4, 4])[0]
        if kind == "f":
            thing, field = self.random.randrange(self.things), self.random.choice(self.fields)
            if field == 0 and letter == "w" and self.random.random() < 0.2:
                self.put(thread, "addf", thing)
            else:
                self.put(thread, letter + "f", thing, field)
        elif kind == "s":
            self.put(thread, letter + "s", self.random.randrange(STATICS))
        elif kind == "a":
            self.put(thread, letter + "a", self.random.randrange(ARRAYS), self.random.randrange(LENGTH))
        elif kind == "number":
            self.put(thread, "get" if letter == "r" else "add", self.random.randrange(NUMBERS))
        elif kind == "range":
            self.access_range(thread)
        else:
            self.make(thread)

    def access_range(self, thread):
        count = self.random.randint(0, LENGTH)
        first, second = (self.random.randrange(LENGTH - count + 1) for _ in range(2))
        array = self.random.randrange(ARRAYS)
        if self.random.random() < 0.4:
            self.put(thread, "fill", array, first, first + count)
        else:
            other = self.random.randrange(2) if array < 2 else array
            self.put(thread, "copy", array, first, other, second, count)

    def make(self, thread):
        word = self.random.choice(["clone", "new"])
        if self.random.random() < 0.5:
            self.put(thread, word + "a", self.random.randrange(ARRAYS))
        else:
            self.put(thread, word + "f", self.random.randrange(self.things))

    def may_take(self, number, lock):
        return self.holder.get(lock, (number, 0))[0] == number

    def take(self, number, lock, by):
        self.holder[lock] = (number, self.holder.get(lock, (number, 0))[1] + by)
        if not self.holder[lock][1]:
            del self.holder[lock]

    def lock(self, number, thread):
        free = [lock for lock in range(LOCKS) if self.may_take(number, ("lock", lock))]
        if thread.locks and self.random.random() < 0.6:
            self.unlock(number, thread)
        elif free:
            lock = self.random.choice(free)
            thread.locks.append(lock)
            self.take(number, ("lock", lock), 1)
            self.put(number, "lock", lock)

    def unlock(self, number, thread):
        lock = thread.locks.pop(self.random.randrange(len(thread.locks)))
        self.take(number, ("lock", lock), -1)
        self.put(number, "unlock", lock)

    def leave(self, number, thread):
        monitor = thread.open.pop()
        if monitor is None:
            self.put(number, "throw" if self.random.random() < 0.2 else "leave")
        else:
            self.take(number, ("monitor", monitor), -1)
            self.put(number, "unsync")

    def call(self, number, thread):
        if thread.open and self.random.random() < 0.45:
            self.leave(number, thread)
        elif len(thread.open) < 6:
            monitor = self.random.randrange(MONITORS)
            if self.random.random() < 0.25 and self.may_take(number, ("monitor", monitor)):
                thread.open.append(monitor)
                self.take(number, ("monitor", monitor), 1)
                self.put(number, "sync", monitor)
            else:
                thread.open.append(None)
                self.put(number, "enter", self.random.randrange(len(FUNCTIONS)))

    def look_again(self, number, thread):
        if not thread.look or self.random.random() < 0.2:
            what = self.random.choice([("get", self.random.randrange(NUMBERS)), ("rs", 2),
                                       ("rf", self.random.randrange(self.things), self.random.choice([1, 4]))])
            thread.look = self.random.randrange(len(FUNCTIONS)), what
        function, what = thread.look
        thread.open.append(None)
        self.put(number, "enter", function)
        self.put(number, *what)
        if self.random.random() < 0.85:  # otherwise it goes on
            self.leave(number, thread)

    def start(self, number):
        if len(self.threads) < self.most and self.started < MOST_STARTED:
            self.put(number, "start", self.started)
            self.threads[self.started] = Thread()
            self.started += 1

    def finish(self, number):
        thread = self.threads.pop(number)
        while thread.locks:
            self.unlock(number, thread)
        while thread.open:
            self.leave(number, thread)
        self.ended.append(number)

    def join_or_end(self, number):
        if self.ended and self.random.random() < 0.5:
            self.put(number, "join", self.random.choice(self.ended))
        elif number:
            self.finish(number)

    def step(self):
        number = self.random.choice(list(self.threads))
        thread = self.threads[number]
        if self.looks and len(thread.open) < 6 and self.random.random() < 0.5:
            self.look_again(number, thread)
            return
        what = self.random.choices(["access", "call", "lock", "sleep", "start", "end", "gc"], self.weights)[0]
        if what == "access":
            self.access(number)
        elif what == "call":
            self.call(number, thread)
        elif what == "lock":
            self.lock(number, thread)
        elif what == "start":
            self.start(number)
        elif what == "end":
            self.join_or_end(number)
        else:
            self.put(number, what)

    def script(self):
        for _ in range(self.random.randrange(8)):
            self.access(0)
        while len(self.threads) < min(3, self.most):
            self.start(0)
        for _ in range(self.random.randint(10, 110)):
            self.step()
        for number in list(self.threads):
            self.finish(number)
        return self.lines


def script(seed):
    """The lines of script number `seed`."""
    return Generator(seed).script()


class Meaning:
    """What a script does, as events for brute_force.py: each field and each element is a variable."""

    def __init__(self):
        self.events = []
        self.open = {}  # by thread: the functions that it is in, and the monitors
        self.ages = {}  # by thing and array: how often it was replaced

    def put(self, thread, operation, target):
        self.events.append((thread, operation, target))

    def touch(self, thread, letter, kind, number, places):
        """Accesses to parts of a thing or an array, one by one."""
        age = self.ages.get((kind, number), 0)
        for place in places:
            self.put(thread, letter, (kind, number, age, place))

    def split(self, thread):
        """Blocks without a name end where their thread waits or starts another one."""
        names = [name for kind, name in self.open[thread] if kind == "function"]
        for name in reversed(names):
            self.put(thread, "end", name)
        for name in names:
            self.put(thread, "begin", name)

    def perform(self, thread, word, *numbers):
        self.open.setdefault(thread, [])
        getattr(self, "do_" + word, self.do_access)(thread, word, *numbers)

    def do_enter(self, thread, _, function):
        self.open[thread].append(("function", FUNCTIONS[function]))
        self.put(thread, "begin", FUNCTIONS[function])

    def do_leave(self, thread, *_):
        self.put(thread, "end", self.open[thread].pop()[1])

    do_throw = do_leave

    def do_sync(self, thread, _, monitor):
        self.open[thread].append(("monitor", monitor))
        self.put(thread, "acq", ("monitor", monitor))

    def do_unsync(self, thread, *_):
        self.put(thread, "rel", self.open[thread].pop())

    def do_lock(self, thread, _, lock):
        self.put(thread, "acq", ("lock", lock))

    def do_unlock(self, thread, _, lock):
        self.put(thread, "rel", ("lock", lock))

    def do_access(self, thread, word, *numbers):
        *number, place = numbers
        self.touch(thread, word[0], word[1], tuple(number), [place])

    def do_get(self, thread, _, number):
        self.touch(thread, "r", "number", (number,), [0])

    def update(self, thread, kind, number):
        self.touch(thread, "r", kind, (number,), [0])
        self.touch(thread, "w", kind, (number,), [0])

    def do_add(self, thread, _, number):
        self.update(thread, "number", number)

    def do_addf(self, thread, _, thing):
        self.update(thread, "f", thing)

    def do_copy(self, thread, _, source, at, target, to, count):
        self.touch(thread, "r", "a", (source,), range(at, at + count))
        self.touch(thread, "w", "a", (target,), range(to, to + count))

    def do_fill(self, thread, _, array, first, end):
        self.touch(thread, "w", "a", (array,), range(first, end))

    def do_clonea(self, thread, _, array):
        self.touch(thread, "r", "a", (array,), range(LENGTH))
        self.do_newa(thread, _, array)

    def do_newa(self, _, __, array):
        self.ages["a", (array,)] = self.ages.get(("a", (array,)), 0) + 1

    def do_clonef(self, thread, _, thing):
        self.touch(thread, "r", "f", (thing,), CLONED)
        self.do_newf(thread, _, thing)

    def do_newf(self, _, __, thing):
        self.ages["f", (thing,)] = self.ages.get(("f", (thing,)), 0) + 1

    def do_start(self, thread, _, other):
        self.put(thread, "fork", other)
        self.split(thread)

    def do_join(self, thread, _, other):
        self.split(thread)
        self.put(thread, "join", other)

    def do_sleep(self, thread, *_):
        self.split(thread)

    def do_gc(self, *_):
        pass


def events(lines):
    """The events of a script."""
    meaning = Meaning()
    for line in lines:
        thread, word, *numbers = line.split()
        meaning.perform(int(thread), word, *map(int, numbers))
    return meaning.events
