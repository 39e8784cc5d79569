package seriatim.run;

/** The monitors that a thread holds, and how often: a wait gives all of that up. */
final class HeldMonitors {
    private Object[] monitors = new Object[8];
    private int count;

    void add(Object monitor) {
        if (count == monitors.length)
            monitors = java.util.Arrays.copyOf(monitors, 2 * count);
        monitors[count++] = monitor;
    }

    void remove(Object monitor) {
        for (int i = count; i-- > 0; )
            if (monitors[i] == monitor) {
                System.arraycopy(monitors, i + 1, monitors, i, --count - i);
                monitors[count] = null;
                return;
            }
    }

    int times(Object monitor) {
        int times = 0;
        for (int i = 0; i < count; i++)
            if (monitors[i] == monitor)
                times++;
        return times;
    }
}
