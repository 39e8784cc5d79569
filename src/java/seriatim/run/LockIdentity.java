package seriatim.run;

import java.lang.reflect.Field;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What stands for a lock of java.util.concurrent: its synchronizer, which its conditions know, and
 * which both sides of a reader-writer lock have in common.
 */
public final class LockIdentity {
    private static final String PACKAGE = "java.util.concurrent.locks.";
    private static final long MUTEX = offset(PACKAGE + "ReentrantLock", "sync");
    private static final long READ = offset(PACKAGE + "ReentrantReadWriteLock$ReadLock", "sync");
    private static final long WRITE = offset(PACKAGE + "ReentrantReadWriteLock$WriteLock", "sync");
    private static final String STAMPED = PACKAGE + "StampedLock$";
    private static final long STAMPED_READ = offset(STAMPED + "ReadLockView", "this$0");
    private static final long STAMPED_WRITE = offset(STAMPED + "WriteLockView", "this$0");
    private static final String QUEUED = PACKAGE + "AbstractQueuedSynchronizer";
    private static final long CONDITION = offset(QUEUED + "$ConditionObject", "this$0");
    private static final long STATE = offset(QUEUED, "state");

    private static long offset(String type, String name) {
        try {
            Field field = Class.forName(type, false, null).getDeclaredField(name);
            return Memory.UNSAFE.objectFieldOffset(field);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Settings.complain("this JDK has no " + type + "." + name
                    + ": what its locks order is not seen");
            return -1;
        }
    }

    private static Object get(Object object, long offset) {
        return offset < 0 ? null : Memory.UNSAFE.getObject(object, offset);
    }

    /** Null: it is no lock of the JDK, or not one that is known. */
    public static Object of(Lock lock) {
        if (lock instanceof ReentrantLock)
            return get(lock, MUTEX);
        if (lock instanceof ReentrantReadWriteLock.ReadLock)
            return get(lock, READ);
        if (lock instanceof ReentrantReadWriteLock.WriteLock)
            return get(lock, WRITE);
        if (isStamped(lock, "ReadLockView"))
            return get(lock, STAMPED_READ);
        return isStamped(lock, "WriteLockView") ? get(lock, STAMPED_WRITE) : null;
    }

    /** One side of a StampedLock, as a lock like others. */
    private static boolean isStamped(Lock lock, String side) {
        String name = lock == null ? "" : lock.getClass().getName();
        return name.startsWith(STAMPED) && name.endsWith(side);
    }

    public static Object of(Condition condition) {
        boolean known = condition != null && condition.getClass().getName().equals(
                QUEUED + "$ConditionObject");
        return known ? get(condition, CONDITION) : null;
    }

    public static int kindOf(Lock lock) {
        if (lock instanceof ReentrantReadWriteLock.ReadLock || isStamped(lock, "ReadLockView"))
            return StreamLayout.LOCK_READING;
        return lock instanceof ReentrantLock ? StreamLayout.LOCK_MUTEX : StreamLayout.LOCK_WRITING;
    }

    public static boolean isMutex(Object synchronizer) {
        return synchronizer.getClass().getName().startsWith(PACKAGE + "ReentrantLock$");
    }

    public static boolean isOfJdk(Object synchronizer) {
        return synchronizer.getClass().getClassLoader() == null;
    }

    /** How often a lock is held, by whoever holds it for writing. */
    public static int timesHeld(Object synchronizer) {
        return STATE < 0 ? 0 : Memory.UNSAFE.getIntVolatile(synchronizer, STATE) & 0xffff;
    }

    private LockIdentity() {}
}
