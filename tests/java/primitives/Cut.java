import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import unwatched.Between;

/**
 * Each method uses something of java.util.concurrent twice, and another call of the method comes in between: so the result of
 * the first use is old when the second one is made. With -Dfixed=true the methods use it once.
 */
public final class Cut {
    static final class Counter extends AtomicInteger {
        private static final long serialVersionUID = 1;

        void more() {
            incrementAndGet();
        }
    }

    static final class Guard extends ReentrantLock {
        private static final long serialVersionUID = 1;
    }

    static final class Cache extends ConcurrentHashMap<String, Integer> {
        private static final long serialVersionUID = 1;
    }

    /** All of them have the same hash. */
    static final class Key implements Comparable<Key> {
        final int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).number == number;
        }

        @Override
        public int compareTo(Key other) {
            return Integer.compare(number, other.number);
        }
    }

    private static final boolean FIXED = Between.FIXED;

    private final LongAdder longAdder = new LongAdder();
    private final DoubleAdder doubleAdder = new DoubleAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);
    private final DoubleAccumulator largest = new DoubleAccumulator(Math::max, 0);
    private final AtomicStampedReference<String> stamped = new AtomicStampedReference<>("", 0);
    private final AtomicMarkableReference<String> marked = new AtomicMarkableReference<>("", false);
    private final Set<String> keySet = ConcurrentHashMap.newKeySet();
    private final ConcurrentSkipListSet<String> listSet = new ConcurrentSkipListSet<>();
    private final Set<String> anyCase = new ConcurrentSkipListSet<>(String.CASE_INSENSITIVE_ORDER);
    private final Set<String> copiedSet = new CopyOnWriteArraySet<>();
    private final Collection<String> fromMap = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private final ConcurrentNavigableMap<Integer, Integer> list = new ConcurrentSkipListMap<>();
    private final Map<String, Integer> map = new ConcurrentHashMap<>();
    private final Map<Key, Integer> collisions = new ConcurrentHashMap<>();
    private final Counter counter = new Counter();
    private final Guard guard = new Guard();
    private final Cache cache = new Cache();
    private final StampedLock stampedLock = new StampedLock();
    private int guarded, stampGuarded;

    void longAdder(boolean slowly) {
        if (!slowly) {
            longAdder.increment();
            return;
        }
        longAdder.intValue();
        Between.pause(!FIXED);
        if (!FIXED)
            longAdder.longValue();
    }

    void doubleAdder(boolean slowly) {
        if (!slowly) {
            doubleAdder.add(1);
            return;
        }
        doubleAdder.sum();
        Between.pause(!FIXED);
        if (!FIXED)
            doubleAdder.doubleValue();
    }

    void longAccumulator(boolean slowly) {
        if (!slowly) {
            longest.accumulate(1);
            return;
        }
        longest.get();
        Between.pause(!FIXED);
        if (!FIXED)
            longest.get();
    }

    void doubleAccumulator(boolean slowly) {
        if (!slowly) {
            largest.accumulate(1);
            return;
        }
        largest.get();
        Between.pause(!FIXED);
        if (!FIXED)
            largest.get();
    }

    void stamped(boolean slowly) {
        if (FIXED) {
            stamped.compareAndSet("", "one", 0, 1);
            return;
        }
        int[] stamp = {0};
        String seen = stamped.get(stamp);
        Between.pause(slowly);
        stamped.set(seen + ".", stamp[0] + 1);
    }

    void marked(boolean slowly) {
        if (FIXED) {
            marked.attemptMark("", true);
            return;
        }
        boolean seen = marked.isMarked();
        Between.pause(slowly);
        marked.set("", !seen);
    }

    void keySet(boolean slowly) {
        if (FIXED || !keySet.contains("one")) {
            Between.pause(slowly && !FIXED);
            keySet.add("one");
        }
    }

    void listSet(boolean slowly) {
        if (FIXED || !listSet.contains("one")) {
            Between.pause(slowly && !FIXED);
            listSet.add("one");
        }
    }

    void anyCase(boolean slowly) {
        if (FIXED || !anyCase.contains(slowly ? "ONE" : "one")) {
            Between.pause(slowly && !FIXED);
            anyCase.add(slowly ? "One" : "one");
        }
    }

    void copiedSet(boolean slowly) {
        if (FIXED || !copiedSet.contains("one")) {
            Between.pause(slowly && !FIXED);
            copiedSet.add("one");
        }
    }

    void fromMap(boolean slowly) {
        if (FIXED || !fromMap.contains("one")) {
            Between.pause(slowly && !FIXED);
            fromMap.add("one");
        }
    }

    void part(boolean slowly) {
        if (FIXED || !list.headMap(9).containsKey(1)) {
            Between.pause(slowly && !FIXED);
            list.put(1, 1);
        }
    }

    void cleared(boolean slowly) {
        if (FIXED) {
            map.putAll(Map.of("one", 1));
            return;
        }
        map.putAll(Map.of("one", 1));
        Between.pause(slowly);
        map.clear();
    }

    void key(boolean slowly) {
        if (FIXED || !collisions.containsKey(new Key(1))) {
            Between.pause(slowly && !FIXED);
            collisions.put(new Key(1), 1);
        }
    }

    void subclass(boolean slowly) {
        if (FIXED) {
            counter.more();
            return;
        }
        int seen = counter.get();
        Between.pause(slowly);
        counter.set(seen + 1);
    }

    void ownMap(boolean slowly) {
        if (FIXED || cache.get("one") == null) {
            Between.pause(slowly && !FIXED);
            cache.put("one", 1);
        }
    }

    int guarded(int more) {
        guard.lock();
        try {
            return guarded += more;
        } finally {
            guard.unlock();
        }
    }

    void ownLock(boolean slowly) {
        if (FIXED) {
            guarded(1);
            return;
        }
        int seen = guarded(0);
        Between.pause(slowly);
        guarded(seen == 0 ? 1 : 2);
    }

    int stampGuarded(int more) {
        Lock lock = more == 0 ? stampedLock.asReadLock() : stampedLock.asReadWriteLock().writeLock();
        lock.lock();
        try {
            return more == 0 ? stampGuarded : (stampGuarded += more);
        } finally {
            lock.unlock();
        }
    }

    void views(boolean slowly) {
        if (FIXED) {
            stampGuarded(1);
            return;
        }
        int seen = stampGuarded(0);
        Between.pause(slowly);
        stampGuarded(seen == 0 ? 1 : 2);
    }

    // ---- never cut: what the other thread does meanwhile is about something else ----

    /** Nobody looks, so it does not matter who comes first. */
    void countsBoth(boolean slowly) {
        longAdder.increment();
        Between.pause(slowly);
        doubleAdder.add(1);
    }

    void otherKey(boolean slowly) {
        Key key = new Key(slowly ? 2 : 3);
        if (collisions.get(key) == null) {
            Between.pause(slowly);
            collisions.put(key, 1);
        }
    }

    void otherText(boolean slowly) {
        String key = slowly ? "Aa" : "BB"; // they have the same hash
        if (map.get(key) == null) {
            Between.pause(slowly);
            map.put(key, 1);
        }
    }

    void otherElement(boolean slowly) {
        String item = slowly ? "Aa" : "BB";
        if (!keySet.contains(item) && !listSet.contains(item)) {
            Between.pause(slowly);
            keySet.add(item);
            listSet.add(item);
        }
    }

    private void all() throws Exception {
        List<Between.Use> uses = new ArrayList<>(List.of(this::countsBoth, this::otherKey, this::otherText, this::otherElement));
        Collections.addAll(uses, this::longAdder, this::doubleAdder, this::longAccumulator, this::doubleAccumulator, this::stamped,
                this::marked, this::keySet, this::listSet, this::anyCase, this::copiedSet, this::fromMap, this::part, this::cleared,
                this::key, this::subclass, this::ownMap, this::ownLock, this::views);
        for (Between.Use use : uses)
            Between.cut(use);
    }

    public static void main(String[] arguments) throws Exception {
        Cut program = new Cut();
        program.all();
        System.out.println("ok");
    }

    private Cut() {}
}
