package seriatim.run;

/** Addresses of objects as such: monitors, locks, channels, and what library objects hold. */
final class Objects {
    /** How many bytes an object has to which more than one variable belongs. */
    static final long INDEXED = 1 << 20;

    static final class Known {
        long address;
        volatile long named; // sequence number of its name; 0: it has none yet
    }

    private static final SideTable<Known> table = new SideTable<>();

    private static boolean isIndexed(Object object) {
        if (object instanceof Cells.Holder)
            return true;
        String name = object.getClass().getName();
        return name.startsWith("java.util.") && (name.contains("Map") || name.contains("Array"));
    }

    private static String nameOf(Object object) {
        if (object instanceof Class)
            return "class " + ((Class<?>) object).getTypeName();
        String name = object.getClass().getTypeName();
        if (object instanceof Cells.Holder)
            return ((Cells.Holder) object).name();
        if (object instanceof Synchronizers.Known)
            return ((Synchronizers.Known) object).name;
        int lambda = name.indexOf("$$Lambda"); // what follows differs from run to run
        if (lambda >= 0)
            return name.substring(0, lambda) + "{lambda}";
        int inner = name.startsWith("java.util.concurrent.locks.") ? name.indexOf('$') : -1;
        return inner < 0 ? name : name.substring(0, inner);
    }

    /** The address of an object; the thread comes after its name. */
    static long address(ThreadState t, Object object) {
        long[] part = OwnParts.partOf(object);
        if (part == null)
            part = Parts.besideOf(object);
        if (part != null)
            return Parts.address(t, part);
        Known known = table.find(object);
        if (known == null || known.named == 0)
            known = name(t, object);
        Writer.observe(t, known.named);
        return known.address;
    }

    /** The address that it has, or will have when something is emitted about it. */
    static long reserved(Object object) {
        long[] part = OwnParts.partOf(object);
        if (part == null)
            part = Parts.besideOf(object);
        if (part != null)
            return Parts.reserved(part);
        Known known = table.find(object);
        if (known == null)
            known = table.add(object, new Known());
        synchronized (known) {
            reserve(known, object);
            return known.address;
        }
    }

    private static void reserve(Known known, Object object) {
        if (known.address == 0)
            known.address = Parts.reserve(isIndexed(object) ? INDEXED : 16);
    }

    /** Was anything emitted about the object as such? */
    static boolean isKnown(Object object) {
        return table.find(object) != null || OwnParts.partOf(object) != null;
    }

    private static Known name(ThreadState t, Object object) {
        Known known = table.add(object, new Known());
        synchronized (known) {
            if (known.named != 0)
                return known;
            long bytes = isIndexed(object) ? INDEXED : 16;
            reserve(known, object);
            int row = Sites.named("L", nameOf(object));
            known.named = Parts.emitAllocate(t, known.address, bytes, row);
        }
        return known;
    }

    private Objects() {}
}
