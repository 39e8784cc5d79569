package seriatim.run;

import static seriatim.run.Memory.UNSAFE;

import jdk.internal.vm.annotation.ForceInline;

/**
 * Where a thread keeps its state: each method that is entered looks there. A ThreadLocal is a table that
 * hangs on the thread, and takes a dozen loads that depend on each other. Threads have one member that
 * the JDK only uses as a monitor, so any object does, and a state is one.
 *
 * <p>Only the thread itself puts it there, when it is not waiting for anything. If another one is just
 * interrupting it, that one leaves the monitor that it has entered.
 */
final class ThreadField {
    /** Below 0: this JDK has no such member, and it is a ThreadLocal after all. */
    private static final long AT = find("blockerLock", "interruptLock");

    private static final ThreadLocal<ThreadState> LOCAL = AT < 0 ? new ThreadLocal<>() : null;

    private static long find(String... names) {
        for (String name : names)
            try {
                java.lang.reflect.Field field = Thread.class.getDeclaredField(name);
                if (field.getType() == Object.class)
                    return UNSAFE.objectFieldOffset(field);
            } catch (ReflectiveOperationException | RuntimeException e) {
                continue; // another JDK calls it otherwise
            }
        return -1;
    }

    /** That of the calling thread; null: it has none. */
    @ForceInline
    static ThreadState get() {
        if (AT < 0)
            return LOCAL.get();
        Object there = UNSAFE.getObject(Thread.currentThread(), AT);
        return there instanceof ThreadState ? (ThreadState) there : null;
    }

    static void set(ThreadState t) {
        if (AT < 0)
            LOCAL.set(t);
        else
            UNSAFE.putObject(Thread.currentThread(), AT, t);
    }

    private ThreadField() {}
}
