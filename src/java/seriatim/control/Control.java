package seriatim.control;

import static seriatim.control.ControlLayout.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Controlled runs: one thread at a time, and the agent says which. This is src/runtime/control for
 * the threads of a JVM; src/stream/control.h says what a plan and a log are.
 *
 * What there is once is here, with its lock. Who has the baton, or the lock, changes it.
 */
public final class Control {
    static final Object LOCK = new Object();
    static Host host;
    static volatile Runner current; // who has the baton; null: nobody
    static Runner last; // who decided last
    static int lastTime; // the ordinal of that decision for TIME
    static final List<Runner> ready = new ArrayList<>(); // sorted by index
    static final List<Runner> timed = new ArrayList<>(), live = new ArrayList<>();
    static volatile int alive;
    static int outside;
    static long tickets, events, yields, vain, preempted, idle;
    static boolean learning;
    static boolean over; // nobody is left but those for whom the JVM does not wait
    private static int count;
    private static final Map<Long, Runner> names = new ConcurrentHashMap<>();
    private static final Map<Long, Runner> threads = new ConcurrentHashMap<>();

    /** Begins, with the calling thread as the first one. Null, or why that cannot be. */
    public static String start(String path, String library, Host own) {
        String trouble = Area.open(path);
        if (trouble != null)
            return trouble;
        if (!Area.claim())
            return "";
        System.load(library);
        host = own;
        learning = Area.hasFlag(LEARN);
        Place.start();
        Deviations.start();
        Strategy.start();
        return null;
    }

    /** The calling thread is the first one, and has the baton. */
    public static Runner first() {
        synchronized (LOCK) {
            Runner first = add(MAIN, 0, 0, Thread.currentThread());
            first.tid = Futex.threadId();
            Area.UNSAFE.putInt(first.go, 1);
            current = last = first;
        }
        new Watchdog().start();
        return current;
    }

    // ---- lists ----

    private static int placeInReady(int index) {
        int at = 0;
        while (at < ready.size() && ready.get(at).index < index)
            at++;
        return at;
    }

    static void makeReady(Runner runner) {
        if (runner.state == READY)
            return;
        if (runner.state == OUTSIDE)
            outside--;
        runner.queued = false;
        dropDeadline(runner);
        runner.state = READY;
        ready.add(placeInReady(runner.index), runner);
    }

    static void makeUnready(Runner runner, int state) {
        if (runner.state == READY)
            ready.remove(runner);
        runner.state = state;
        runner.ticket = ++tickets;
        if (state == OUTSIDE)
            outside++;
    }

    static void addDeadline(Runner runner, long deadline) {
        runner.deadline = deadline;
        if (deadline != Clock.FOREVER)
            timed.add(runner);
    }

    static void dropDeadline(Runner runner) {
        if (runner.deadline != Clock.FOREVER)
            timed.remove(runner);
        runner.deadline = Clock.FOREVER;
    }

    static Runner named(long name) {
        return names.get(name);
    }

    /** Of a thread; null: it does not take turns. */
    public static Runner of(Thread thread) {
        return threads.get(thread.getId());
    }

    // ---- beginning ----

    private static long expectedOf(long name) {
        int end = Math.min(Area.count(PLAN_EXPECTED_COUNT), EXPECTED);
        for (int i = 0; i < end; i++)
            if (Area.number(PLAN_EXPECTED + 16L * i) == name)
                return Area.number(PLAN_EXPECTED + 16L * i + 8);
        return 0;
    }

    private static Runner add(long name, long parent, int child, Thread thread) {
        Runner runner = new Runner(count++, name, parent, child);
        runner.thread = thread;
        runner.expected = expectedOf(name);
        live.add(runner);
        names.put(name, runner);
        threads.put(thread.getId(), runner);
        Learning.begins(runner);
        Deviations.take(runner);
        Strategy.begin(runner);
        makeReady(runner);
        alive++;
        Area.setCount(LOG_THREAD_COUNT, Math.min(count, THREADS));
        runner.log();
        return runner;
    }

    /** The thread is about to start another one. */
    public static void starts(Runner me, Thread thread) {
        synchronized (LOCK) {
            int child = me.children++;
            add(Area.child(me.name, child), me.name, child, thread);
        }
    }

    /** In the new thread, before it does anything. */
    public static void begins(Runner me) {
        if (me.tid != 0)
            return;
        me.tid = Futex.threadId();
        Baton.park(me);
    }

    // ---- ending ----

    private static boolean mustGoOn() {
        for (Runner runner : live)
            if (!runner.thread.isDaemon())
                return true;
        return false;
    }

    /** The thread has done its last event. */
    public static void ends(Runner me) {
        if (me.loose)
            Baton.comeBack(me);
        Points.count(me, null);
        me.kind = AT_END;
        synchronized (LOCK) {
            Waiting.unblock(me);
            makeUnready(me, ENDED);
            live.remove(me);
            threads.remove(me.thread.getId());
            Learning.ends(me);
            alive--;
            vain = yields = 0;
            me.log();
            if (live.isEmpty())
                Endings.logAll();
        }
        if (mustGoOn())
            Baton.decide(me, Baton.AT_END);
        else
            Baton.drop(me);
    }

    private Control() {}
}
