package seriatim.library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import seriatim.run.Cells;
import seriatim.run.SideTable;
import seriatim.run.ThreadState;

/**
 * LongAdder and its like: what each thread has added is a variable. Adding says nothing of what was there
 * before, so two threads that add do not depend on each other; who asks for the sum depends on all.
 *
 * <p>Who asks comes before those who have not added anything yet, too. So there are some variables that
 * nobody has: they are asked for like others, and one becomes that of the next thread that is new.
 */
public final class Adders {
    private static final int NEW = 8; // so many threads may be new from one question to the next
    private static final SideTable<Sum> table = new SideTable<>();
    private static final Sum NOBODYS = new Sum("");

    /** Whoever does something with the adder holds the monitor of this, and calls what it does. */
    public static final class Sum implements Cells.Holder {
        private final String name; // of the adder's class
        private final List<long[]> parts = new ArrayList<>();
        private final Map<Integer, long[]> byThread = new HashMap<>();
        private int taken; // the first so many are those of threads

        private Sum(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        private void add(ThreadState t) {
            t.inside = true;
            try {
                parts.add(Cells.variable(this, parts.size() % Cells.MOST, t));
            } finally {
                t.inside = false;
            }
        }

        private long[] own(ThreadState t) {
            long[] part = byThread.get(t.serial);
            if (part != null)
                return part;
            if (taken == parts.size())
                add(t);
            part = parts.get(taken++);
            byThread.put(t.serial, part);
            return part;
        }

        private void emit(int kind, long[] part, ThreadState t, int site) {
            Cells.lock(part, t);
            Cells.emit(kind, part, t, site);
        }

        private void emitAll(int kind, ThreadState t, int site) {
            if (this == NOBODYS)
                return;
            while (parts.size() < taken + NEW)
                add(t);
            for (long[] part : parts)
                emit(kind, part, t, site);
        }

        public void added(ThreadState t, int site) {
            if (this != NOBODYS)
                emit(Cells.EXCHANGE, own(t), t, site);
        }

        public void asked(ThreadState t, int site) {
            emitAll(Cells.LOAD, t, site);
        }

        public void reset(ThreadState t, int site) {
            emitAll(Cells.EXCHANGE, t, site);
        }
    }

    public static Sum of(Object adder, ThreadState t) {
        if (adder == null || t.inside)
            return NOBODYS;
        Sum sum = table.find(adder);
        return sum != null ? sum : table.add(adder, new Sum(adder.getClass().getTypeName()));
    }

    private Adders() {}
}
