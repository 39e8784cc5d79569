import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import unwatched.Main;
import unwatched.Operation;
import unwatched.Order;
import unwatched.Stage;

/**
 * Does what a script says: which thread does what, in which order. tests/java/scripts_for_java.py
 * makes scripts, and says what each line means.
 */
final class Player {
    /** By which `throw` leaves a function. */
    private static final class Left extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final VarHandle NUMBER;

    static {
        try {
            NUMBER = MethodHandles.lookup().findVarHandle(Base.class, "number", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void prepare() {
        for (int i = 0; i < Stage.THINGS; i++) {
            Stage.setThing(i, new Thing());
        }
        for (int i = 0; i < Stage.ARRAYS; i++) {
            Stage.setArray(i, newArray(i));
        }
        Stage.setMonitor(2, new Thing());
        Stage.setMonitor(3, Player.class);
    }

    private static Object newArray(int kind) {
        switch (kind) {
            case 2:
                return new long[Stage.LENGTH];
            case 3:
                return new Object[Stage.LENGTH];
            default:
                return new int[Stage.LENGTH];
        }
    }

    static void play(int thread) {
        for (;;) {
            Operation operation = Order.next(thread);
            if (operation == null) {
                return;
            }
            switch (operation.word()) {
                case "leave":
                case "unsync":
                    return;
                case "throw":
                    throw new Left();
                case "enter":
                    enter(operation.number(0), thread);
                    break;
                case "sync":
                    synchronize(operation.number(0), thread);
                    break;
                default:
                    perform(operation);
            }
        }
    }

    private static void enter(int function, int thread) {
        try {
            Functions.call(function, thread);
        } catch (Left e) {
            return;
        }
    }

    private static void synchronize(int monitor, int thread) {
        Object object = Stage.monitor(monitor);
        if (object instanceof Thing) {
            ((Thing) object).hold(thread);
            return;
        }
        synchronized (object) {
            play(thread);
        }
    }

    private static void perform(Operation o) {
        switch (o.word()) {
            case "rf":
                readField((Thing) Stage.thing(o.number(0)), o.number(1));
                break;
            case "wf":
                writeField((Thing) Stage.thing(o.number(0)), o.number(1));
                break;
            case "rs":
                readStatic(o.number(0));
                break;
            case "ws":
                writeStatic(o.number(0));
                break;
            case "ra":
                readElement(Stage.array(o.number(0)), o.number(1));
                break;
            case "wa":
                writeElement(Stage.array(o.number(0)), o.number(1));
                break;
            case "lock":
                Stage.lock(o.number(0)).lock();
                break;
            case "unlock":
                Stage.lock(o.number(0)).unlock();
                break;
            default:
                performRarely(o);
        }
    }

    private static void performRarely(Operation o) {
        switch (o.word()) {
            case "get":
                Stage.number(o.number(0)).get();
                break;
            case "add":
                Stage.number(o.number(0)).addAndGet(Stage.newValue());
                break;
            case "addf":
                NUMBER.getAndAdd((Base) Stage.thing(o.number(0)), Stage.newValue());
                break;
            case "copy":
                System.arraycopy(Stage.array(o.number(0)), o.number(1), Stage.array(o.number(2)),
                        o.number(3), o.number(4));
                break;
            case "fill":
                fill(Stage.array(o.number(0)), o.number(1), o.number(2));
                break;
            case "clonea":
                Stage.setArray(o.number(0), clone(Stage.array(o.number(0))));
                break;
            case "newa":
                Stage.setArray(o.number(0), newArray(o.number(0)));
                break;
            case "clonef":
                Stage.setThing(o.number(0), ((Thing) Stage.thing(o.number(0))).copy());
                break;
            case "newf":
                Stage.setThing(o.number(0), new Thing());
                break;
            default:
                performWithThreads(o);
        }
    }

    private static void performWithThreads(Operation o) {
        try {
            switch (o.word()) {
                case "start":
                    Main.newThread(o.number(0)).start();
                    break;
                case "join":
                    Stage.thread(o.number(0)).join();
                    break;
                case "sleep":
                    Thread.sleep(0);
                    break;
                case "gc":
                    System.gc();
                    break;
                default:
                    throw new IllegalArgumentException(o.toString());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void readField(Thing thing, int field) {
        Object value;
        switch (field) {
            case 0:
                value = thing.number() + thing.number();
                break;
            case 1:
                value = thing.volatileNumber;
                break;
            case 2:
                value = thing.wide;
                break;
            case 3:
                value = thing.reference;
                break;
            default:
                value = thing.volatileWide;
        }
        use(value);
    }

    private static void writeField(Thing thing, int field) {
        int value = Stage.newValue();
        switch (field) {
            case 0:
                thing.setNumber(value);
                thing.setNumber(value + thing.constant());
                break;
            case 1:
                thing.volatileNumber = value;
                break;
            case 2:
                thing.wide = value;
                break;
            case 3:
                thing.setReference(thing);
                break;
            default:
                thing.volatileWide = value;
        }
    }

    private static void readStatic(int field) {
        use(field == 0 ? Thing.staticNumber : field == 1 ? Thing.staticWide() : Thing.staticVolatile);
    }

    private static void writeStatic(int field) {
        int value = Stage.newValue();
        if (field == 0) {
            Thing.staticNumber = value;
        } else if (field == 1) {
            Thing.setStaticWide(value);
        } else {
            Thing.staticVolatile = value;
        }
    }

    private static void readElement(Object array, int i) {
        if (array instanceof int[]) {
            use(((int[]) array)[i]);
        } else if (array instanceof long[]) {
            use(((long[]) array)[i]);
        } else {
            use(((Object[]) array)[i]);
        }
    }

    private static void writeElement(Object array, int i) {
        if (array instanceof int[]) {
            ((int[]) array)[i] = 1;
        } else if (array instanceof long[]) {
            ((long[]) array)[i] = 1;
        } else {
            ((Object[]) array)[i] = array;
        }
    }

    private static void fill(Object array, int from, int to) {
        if (array instanceof int[]) {
            Arrays.fill((int[]) array, from, to, 1);
        } else if (array instanceof long[]) {
            Arrays.fill((long[]) array, from, to, 1);
        } else {
            Arrays.fill((Object[]) array, from, to, null);
        }
    }

    private static Object clone(Object array) {
        if (array instanceof int[]) {
            return ((int[]) array).clone();
        }
        return array instanceof long[] ? ((long[]) array).clone() : ((Object[]) array).clone();
    }

    private static void use(Object value) {
        if (value instanceof Left) {
            throw new IllegalStateException();
        }
    }

    private Player() {}
}
