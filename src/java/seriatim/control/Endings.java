package seriatim.control;

import static seriatim.control.ControlLayout.*;

/** How a controlled run ends, when it does not end by itself. */
final class Endings {
    /** So many events were spent in vain by all who can go on, with nobody who sleeps or is outside. */
    private static final long VAIN = 2_000_000;

    static void logAll() {
        for (Runner runner : Control.live)
            runner.log();
        Area.set(LOG_EVENTS, Control.events);
    }

    static void end(int how) {
        logAll();
        Area.setCount(LOG_END, how);
        Control.host.ends();
        Runtime.getRuntime().halt(STATUS);
    }

    static void checkLength() {
        long most = Area.number(PLAN_MOST_POINTS);
        if (most != 0 && Area.number(LOG_POINTS) > most)
            end(END_TOO_LONG);
        if (Control.vain > VAIN && Control.timed.isEmpty() && Control.outside == 0)
            end(END_LIVELOCK);
    }

    private Endings() {}
}
