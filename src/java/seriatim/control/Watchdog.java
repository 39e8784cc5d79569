package seriatim.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Looks whether who has the baton waits where we cannot see it: in a monitor of code that is not
 * watched, for input, or without any event. Then others go on, and the run may not be repeatable.
 */
public final class Watchdog extends Thread {
    private static final long NAP = 10_000_000, TICK = 10_000_000, SECOND = 1_000_000_000;
    private static final int LOOKS = 5, LOOKS_AT_KERNEL = 20;

    private Runner holder;
    private long beats, ticks;
    private int waiting, asleep;

    Watchdog() {
        super("seriatim turns");
        setDaemon(true);
    }

    /** The kernel's word for what a thread does, and the ticks of a processor that it has used. */
    private static String[] look(Runner runner) {
        try {
            String text = Files.readString(Path.of("/proc/self/task/" + runner.tid + "/stat"));
            return text.substring(text.lastIndexOf(')') + 2).split(" ");
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static long ticksOf(String[] words) {
        return words == null ? 0 : Long.parseLong(words[11]) + Long.parseLong(words[12]);
    }

    private void forget(Runner current) {
        holder = current;
        beats = current == null ? 0 : current.beats;
        ticks = -1;
        waiting = asleep = 0;
    }

    private boolean isWaiting(Runner current) {
        State state = current.thread.getState();
        waiting = state == State.RUNNABLE || state == State.NEW ? 0 : waiting + 1;
        if (waiting >= LOOKS)
            return true;
        if (waiting > 0 || current.tid == 0)
            return false;
        String[] words = look(current);
        asleep = words != null && words[0].equals("S") ? asleep + 1 : 0;
        if (ticks < 0)
            ticks = ticksOf(words);
        return asleep >= LOOKS_AT_KERNEL || (ticksOf(words) - ticks) * TICK > SECOND;
    }

    /** Where the agent is at work, nobody waits for the program. */
    private static boolean isInAgent(Thread thread) {
        StackTraceElement[] frames = thread.getStackTrace();
        for (int i = 0; i < frames.length && i < 8; i++) {
            String name = frames[i].getClassName();
            if (name.startsWith("seriatim.run.") || name.startsWith("seriatim.control.")
                    || name.startsWith("seriatim.weave."))
                return true;
        }
        return false;
    }

    private void look() {
        Runner current = Control.current;
        if (current == null || current != holder || current.beats != beats) {
            forget(current);
            return;
        }
        if (!isWaiting(current))
            return;
        if (isInAgent(current.thread)) {
            forget(current);
            return;
        }
        Runner next = null;
        synchronized (Control.LOCK) {
            if (Control.current == current && current.beats == beats)
                next = Baton.take(current);
        }
        if (next != null)
            Baton.wake(next);
        forget(Control.current);
    }

    /** Nobody has the baton: time passes as it really does, for those outside and those who sleep. */
    private static void idle() {
        Runner next = null;
        synchronized (Control.LOCK) {
            if (Control.current != null || Control.over)
                return;
            Clock.passed(NAP);
            while (Control.ready.isEmpty() && Clock.pass())
                continue;
            next = Baton.dispatch();
        }
        if (next != null)
            Baton.wake(next);
    }

    @Override
    public void run() {
        for (;;) {
            Futex.nap(NAP);
            look();
            if (Control.current == null)
                idle();
        }
    }
}
