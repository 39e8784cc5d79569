package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import seriatim.run.Sync;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

@Replaces(Exchanger.class)
public final class Exchangers {
    @SuppressWarnings("unchecked")
    public static Object exchange(Exchanger<?> exchanger, Object item, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_BARRIER, exchanger, t, site);
        Sync.send(t, exchanger, 0, site);
        Sync.split(t);
        Object other = ((Exchanger<Object>) exchanger).exchange(item);
        Sync.receive(t, exchanger, 0, site);
        return other;
    }

    @SuppressWarnings("unchecked")
    public static Object exchange(Exchanger<?> exchanger, Object item, long time, TimeUnit unit,
            ThreadState t, int site) throws InterruptedException, TimeoutException {
        Turns.point(AT_BARRIER, exchanger, t, site);
        Sync.send(t, exchanger, 0, site);
        Sync.split(t);
        Object other = ((Exchanger<Object>) exchanger).exchange(item, time, unit);
        Sync.receive(t, exchanger, 0, site);
        return other;
    }

    private Exchangers() {}
}
