package seriatim.run;

import static seriatim.run.StreamLayout.*;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.concurrent.ConcurrentHashMap;

/** Fields that are accessed by handles: VarHandle, and the updaters of java.util.concurrent.atomic.
 */
public final class Handles {
    /** What a handle is for. */
    private static final class Target {
        final Class<?> type; // that has the field
        final long offset; // of the member with the part; -1: static, or elements of arrays
        final long[] statics;
        final int index;

        Target(Class<?> type, long offset, long[] statics, int index) {
            this.type = type;
            this.offset = offset;
            this.statics = statics;
            this.index = index;
        }
    }

    private static final Target ELEMENTS = new Target(null, -1, null, -1);
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

    /** The class that gives the type a field; null: none that is watched does. */
    private static Class<?> ownerOf(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass())
            if (fields.containsKey(at.getName().replace('.', '/') + '.' + name))
                return at;
        return null;
    }

    /** A handle was made for a field, which may be an inherited one. */
    public static void made(Object handle, Class<?> seen, String name, boolean isStatic) {
        Class<?> type = handle == null ? null : ownerOf(seen, name);
        if (type == null)
            return;
        String owner = type.getName().replace('.', '/');
        int variable = fields.get(owner + '.' + name);
        try {
            if (isStatic) {
                Integer number = staticNumbers.get(owner);
                if (number != null)
                    targets.add(handle,
                            new Target(type, -1, Parts.statics(number), Parts.index(variable)));
                return;
            }
            long offset = Memory.UNSAFE.objectFieldOffset(
                    type.getDeclaredField("$seriatim$" + owner.replace('/', '$')));
            targets.add(handle, new Target(type, offset, null, Parts.index(variable)));
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
        if (!target.type.isInstance(object))
            return null; // the program gets its exception
        return (long[]) Memory.UNSAFE.getObject(object, target.offset);
    }

    /**
     * An access by reflection. Its call stays in the class that is allowed to make it, and may throw, so
     * nothing is held meanwhile: a volatile field may be emitted a moment too early or too late.
     */
    public static void reflected(
            Field field, Object object, boolean write, ThreadState t, int site) {
        if (field == null || t.inside)
            return;
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        if (targets.find(field) == null)
            made(field, field.getDeclaringClass(), field.getName(), isStatic);
        Target target = targets.find(field);
        long[] part = target == null ? null : partFor(target, object, t, site);
        if (part == null)
            return;
        if (Modifier.isVolatile(field.getModifiers())) {
            Atomics.lock(t, part, target.index);
            Atomics.done(t, part, target.index, write ? ATOMIC_STORE : ATOMIC_LOAD, 0, 0, site);
        } else if (write) {
            Hooks.write(part, target.index, t, site);
        } else {
            Hooks.read(part, target.index, t, site);
        }
    }

    /** Before an operation: done() or compared() follows. */
    public static void begin(Object handle, Object object, int element, ThreadState t, int site) {
        t.locked = null;
        Target target = handle == null || t.inside ? null : targets.find(handle);
        if (target == null)
            return;
        long[] part = partFor(target, object, t, site);
        int index = target == ELEMENTS ? Parts.index(Arrays.COARSE ? 0 : element) : target.index;
        int variable = Parts.variable(index);
        if (part == null || variable < 0 || variable >= Parts.count(part))
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

    /** A turn of an update that is repeated until nobody comes in between: those before do not count. */
    public static void tried(boolean done, ThreadState t, int site) {
        if (done) {
            done(ATOMIC_EXCHANGE, t, site);
        } else if (t.locked != null) {
            Atomics.unlock(t.locked, (int) t.value);
            t.locked = null;
        }
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
