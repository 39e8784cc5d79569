package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.util.concurrent.ConcurrentHashMap;

/** Fields that are accessed by handles: VarHandle, and the updaters of java.util.concurrent.atomic.
 */
public final class Handles {
    /** What a handle is for. */
    private static final class Target {
        final long offset; // of the member with the part; -1: static, or elements of arrays
        final long[] statics;
        final int index;

        Target(long offset, long[] statics, int index) {
            this.offset = offset;
            this.statics = statics;
            this.index = index;
        }
    }

    private static final Target ELEMENTS = new Target(-1, null, -1);
    private static final SideTable<Target> targets = new SideTable<>();

    /** The variables of watched classes, by "com/acme/Account.balance". */
    private static final ConcurrentHashMap<String, Integer> fields = new ConcurrentHashMap<>();

    private static final ConcurrentHashMap<String, Integer> staticNumbers =
            new ConcurrentHashMap<>();

    public static void addField(String owner, String name, int variable) {
        fields.put(owner + '.' + name, variable);
    }

    public static void addStatics(String owner, int number) {
        staticNumbers.put(owner, number);
    }

    /** A handle was made for a field. */
    public static void made(Object handle, Class<?> type, String name, boolean isStatic) {
        String owner = type.getName().replace('.', '/');
        Integer variable = fields.get(owner + '.' + name);
        if (variable == null)
            return;
        try {
            if (isStatic) {
                Integer number = staticNumbers.get(owner);
                if (number != null)
                    targets.add(handle, new Target(-1, Parts.statics(number), Parts.index(variable)));
                return;
            }
            long offset = Memory.UNSAFE.objectFieldOffset(
                    type.getDeclaredField("$seriatim$" + owner.replace('/', '$')));
            targets.add(handle, new Target(offset, null, Parts.index(variable)));
        } catch (ReflectiveOperationException | RuntimeException e) {
            Settings.mention(owner + '.' + name + " is not watched where it is used by a handle");
        }
    }

    public static void madeForElements(Object handle) {
        targets.add(handle, ELEMENTS);
    }

    private static long[] partFor(Target target, Object object, ThreadState t, int site) {
        if (target.statics != null)
            return target.statics;
        if (object == null)
            return null;
        if (target == ELEMENTS)
            return object.getClass().isArray() ? Arrays.part(t, object, site) : null;
        return (long[]) Memory.UNSAFE.getObject(object, target.offset);
    }

    /** Before an operation: done() or compared() follows. */
    public static void begin(Object handle, Object object, int element, ThreadState t, int site) {
        t.locked = null;
        Target target = handle == null || t.inside ? null : targets.find(handle);
        if (target == null)
            return;
        long[] part = partFor(target, object, t, site);
        int index = target == ELEMENTS ? Parts.index(Arrays.coarse ? 0 : element) : target.index;
        if (part == null || index < 0 || index >= part.length)
            return;
        if (Turns.ON)
            Turns.atomic(part, index, true, t, site);
        Atomics.lock(t, part, index);
        t.locked = part;
        t.value = index;
    }

    public static void done(int kind, ThreadState t, int site) {
        long[] part = t.locked;
        if (part == null)
            return;
        t.locked = null;
        Atomics.done(t, part, (int) t.value, kind, 0, 0, site);
    }

    public static void compared(boolean done, ThreadState t, int site) {
        done(done ? ATOMIC_COMPARE : ATOMIC_FAIL, t, site);
    }

    /** By the name of an operation. */
    public static int kindOf(String name) {
        if (name.equals("get") || name.equals("getVolatile") || name.equals("getAcquire")
                || name.equals("getOpaque"))
            return ATOMIC_LOAD;
        return name.startsWith("set") ? ATOMIC_STORE : ATOMIC_EXCHANGE;
    }

    private Handles() {}
}
