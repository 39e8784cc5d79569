package seriatim.calls;

import static seriatim.control.ControlLayout.*;

import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import seriatim.run.Sync;
import seriatim.run.Tasks;
import seriatim.run.ThreadState;
import seriatim.run.Turns;

/** Services that hand out tasks that are done: who gets one comes after it. */
@Replaces({CompletionService.class, ExecutorCompletionService.class})
public final class Completions {
    private static Future<?> got(Future<?> task, ThreadState t, int site) {
        t.site = site;
        if (task != null)
            Tasks.completed(task);
        return task;
    }

    public static Future<?> take(CompletionService<?> service, ThreadState t, int site)
            throws InterruptedException {
        Turns.point(AT_COND_WAIT, service, t, site);
        Sync.split(t);
        return got(service.take(), t, site);
    }

    public static Future<?> poll(CompletionService<?> service, ThreadState t, int site) {
        Turns.point(AT_SEM_WAIT, service, t, site);
        return got(service.poll(), t, site);
    }

    public static Future<?> poll(CompletionService<?> service, long time, TimeUnit unit,
            ThreadState t, int site) throws InterruptedException {
        Turns.point(AT_SEM_WAIT, service, t, site);
        Sync.split(t);
        return got(service.poll(time, unit), t, site);
    }

    private Completions() {}
}
