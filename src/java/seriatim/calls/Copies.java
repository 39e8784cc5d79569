package seriatim.calls;

import seriatim.run.Hooks;
import seriatim.run.ThreadState;

@Replaces(value = System.class, isStatic = true)
public final class Copies {
    public static void arraycopy(Object from, int fromAt, Object to, int toAt, int count,
            ThreadState t, int site) {
        Hooks.readRange(from, fromAt, count, t, site);
        Hooks.writeRange(to, toAt, count, t, site);
        System.arraycopy(from, fromAt, to, toAt, count);
    }

    private Copies() {}
}
