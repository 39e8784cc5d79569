import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/**
 * One thread writes a box and hands it to another, by a way that is named on the command line. With -Dlate=true something is
 * written or read that nothing orders.
 */
public final class Handovers {
    static final class Box {
        int value;
        volatile int number;
    }

    private static final AtomicIntegerFieldUpdater<Box> NUMBER = AtomicIntegerFieldUpdater.newUpdater(Box.class, "number");

    interface Work {
        void run() throws Exception;
    }

    static final class Late extends RecursiveAction implements Delayed {
        private static final long serialVersionUID = 1;
        final transient Box box;

        Late(Box box) {
            this.box = box;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }

        @Override
        protected void compute() {
            write(box);
        }
    }

    /** Halves of halves: who comes last at one goes on with what both have done. */
    static final class Part extends CountedCompleter<Void> {
        private static final long serialVersionUID = 1;
        final transient Box box;
        final int depth;
        Part left, right;

        Part(CountedCompleter<?> whole, Box box, int depth) {
            super(whole);
            this.box = box;
            this.depth = depth;
        }

        @Override
        public void compute() {
            write(box);
            if (depth > 0) {
                left = new Part(this, new Box(), depth - 1);
                right = new Part(this, new Box(), depth - 1);
                setPendingCount(2);
                left.fork();
                right.fork();
            }
            tryComplete();
        }

        @Override
        public void onCompletion(CountedCompleter<?> last) {
            write(box);
            if (left != null)
                box.value += read(left.box) + read(right.box);
        }
    }

    private static final boolean LATE = Boolean.getBoolean("late");

    static void write(Box box) {
        box.value++;
    }

    static int read(Box box) {
        return box.value;
    }

    private static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    /** The first writes and gives, the second takes and reads. */
    private static void pass(Box box, Work give, Work take) throws Exception {
        Thread giver = start(() -> {
            write(box);
            give.run();
            if (LATE)
                write(box);
        });
        Thread taker = start(() -> {
            take.run();
            read(box);
        });
        giver.join();
        taker.join();
    }

    private static void queues(String way, Box box) throws Exception {
        LinkedTransferQueue<Box> transfer = new LinkedTransferQueue<>();
        LinkedBlockingDeque<Box> ends = new LinkedBlockingDeque<>();
        BlockingQueue<Box> queue = new ArrayBlockingQueue<>(1);
        Deque<Box> linked = new ConcurrentLinkedDeque<>();
        DelayQueue<Late> delayed = new DelayQueue<>();
        switch (way) {
            case "transfer": pass(box, () -> transfer.transfer(box), transfer::take); break;
            case "ends": pass(box, () -> ends.putFirst(box), ends::takeLast); break;
            case "timedends": pass(box, () -> ends.offerLast(box, 1, TimeUnit.MINUTES), () -> ends.pollFirst(1, TimeUnit.MINUTES)); break;
            case "linked": pass(box, () -> linked.push(box), () -> { while (linked.pollLast() == null) Thread.onSpinWait(); }); break;
            case "delayed": pass(box, () -> delayed.put(new Late(box)), delayed::take); break;
            case "drained": pass(box, () -> queue.add(box), () -> { while (queue.drainTo(new ArrayList<>()) == 0) Thread.onSpinWait(); }); break;
            case "array": pass(box, () -> queue.add(box), () -> { while (queue.toArray().length == 0) Thread.onSpinWait(); }); break;
            case "typedarray": pass(box, () -> queue.add(box), () -> { while (queue.toArray(new Box[0]).length == 0) Thread.onSpinWait(); }); break;
            case "removedif": pass(box, () -> queue.add(box), () -> { while (!queue.removeIf(one -> read(one) > 0)) Thread.onSpinWait(); }); break;
            case "visited": pass(box, () -> queue.add(box), () -> { int[] seen = {0}; while (seen[0] == 0) queue.forEach(one -> seen[0] = read(one)); }); break;
            case "streamed": pass(box, () -> queue.add(box), () -> { while (queue.stream().mapToInt(one -> read(one)).sum() == 0) Thread.onSpinWait(); }); break;
            case "seen": pass(box, () -> queue.add(box), () -> { while (queue.isEmpty()) Thread.onSpinWait(); }); break;
            default: pools(way, box); break;
        }
    }

    /** The worker is there before the task is: starting it orders nothing. */
    private static void pools(String way, Box box) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        ScheduledExecutorService timed = Executors.newScheduledThreadPool(1);
        pool.submit(() -> { }).get();
        write(box);
        switch (way) {
            case "worker": pool.execute(() -> read(box)); break;
            case "ended": pool.execute(() -> finish(box)); await(pool); read(box); break;
            case "often":
                for (int i = 0; i < 500; i++)
                    endOne(box);
                break;
            case "periodic": timed.scheduleAtFixedRate(() -> finish(box), 0, 1, TimeUnit.MILLISECONDS);
                awaitUnseen(); await(timed); read(box); break;
            default: tasks(way, box); break;
        }
        if (LATE)
            write(box);
        end(pool);
        end(timed);
    }

    private static void finish(Box box) {
        write(box);
        System.setProperty("done", "yes");
    }

    /** A worker that is on its way out is no longer counted, and the pool may end before it. */
    private static void endOne(Box box) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        System.clearProperty("done");
        pool.execute(() -> finish(box));
        awaitUnseen();
        await(pool);
        read(box);
        end(pool);
    }

    /** By a property of the JVM, which nobody watches. */
    private static void awaitUnseen() {
        while (System.getProperty("done") == null)
            Thread.onSpinWait();
    }

    private static void await(ExecutorService pool) throws Exception {
        if (LATE)
            awaitUnseen();
        else
            end(pool);
    }

    private static void end(ExecutorService pool) throws Exception {
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    private static void tasks(String way, Box box) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(2);
        Box other = new Box();
        switch (way) {
            case "invoke": pool.invoke(new Late(box)); read(box); break;
            case "both": pool.submit(() -> { ForkJoinTask.invokeAll(new Late(box), new Late(other)); read(box); read(other); }).get(); break;
            case "list": pool.submit(() -> { ForkJoinTask.invokeAll(List.of(new Late(box), new Late(other))); read(other); }).get(); break;
            case "combined": CompletableFuture<Void> first = CompletableFuture.runAsync(() -> write(box), pool);
                while (!first.isDone()) Thread.onSpinWait();
                first.thenCombine(CompletableFuture.completedFuture(1), (x, y) -> read(box)).join(); break;
            case "failed": CompletableFuture<Void> fails = CompletableFuture.runAsync(() -> fail(box), pool);
                expectFailure(fails::get); read(box); break;
            case "failedtask": FutureTask<Void> task = new FutureTask<>(() -> fail(box), null);
                pool.execute(task::run); expectFailure(task::get); read(box); break;
            case "failedjoin": ForkJoinTask<?> joins = pool.submit(() -> fail(box));
                expectFailure(joins::join); read(box); break;
            case "dependent": CompletableFuture<Void> promise = new CompletableFuture<>();
                System.clearProperty("done");
                pool.execute(() -> { awaitUnseen(); promise.complete(null); });
                write(box);
                CompletableFuture<Void> stage = promise.thenRun(() -> read(box));
                System.setProperty("done", "yes");
                stage.join(); break;
            case "parts": for (int i = 0; i < 100; i++) pool.invoke(new Part(null, new Box(), 3)); break;
            case "terminated": endOneThatTells(box); read(box); break;
            default: barriers(way, box); break;
        }
        end(pool);
        if (LATE)
            new Thread(() -> write(box)).start();
    }

    private static void fail(Box box) {
        write(box);
        throw new IllegalStateException("as expected");
    }

    private static void expectFailure(Work work) throws Exception {
        try {
            work.run();
        } catch (ExecutionException | CompletionException | IllegalStateException e) {
            return;
        }
        throw new AssertionError("nothing has failed");
    }

    /** What a pool does in the end comes after its tasks, and before those who wait for that. */
    private static void endOneThatTells(Box box) throws Exception {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>()) {
            @Override
            protected void terminated() {
                write(box);
            }
        };
        pool.execute(() -> write(box));
        end(pool);
    }

    /** What is done when all are there: by whoever comes last. */
    private static void barriers(String way, Box box) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2, () -> write(box));
        Phaser phaser = new Phaser(2) {
            @Override
            protected boolean onAdvance(int phase, int parties) {
                write(box);
                return false;
            }
        };
        switch (way) {
            case "barrier": pass(box, barrier::await, barrier::await); break;
            case "phaser": pass(box, phaser::arriveAndAwaitAdvance, phaser::arriveAndAwaitAdvance); break;
            default: maps(way, box); break;
        }
    }

    private static void maps(String way, Box box) throws Exception {
        ConcurrentHashMap<String, Box> map = new ConcurrentHashMap<>();
        Work put = () -> map.put("box", box);
        switch (way) {
            case "got": pass(box, put, () -> { while (map.get("box") == null) Thread.onSpinWait(); }); break;
            case "counted": pass(box, put, () -> { while (map.isEmpty()) Thread.onSpinWait(); }); break;
            case "values": pass(box, put, () -> { while (!map.values().iterator().hasNext()) Thread.onSpinWait(); map.values().iterator().next(); }); break;
            case "entries": pass(box, put, () -> { while (map.size() == 0) Thread.onSpinWait(); map.entrySet().iterator().next().getValue(); }); break;
            case "each": pass(box, put, () -> { boolean[] seen = {false}; while (!seen[0]) map.forEach((key, value) -> seen[0] = true); }); break;
            case "identity": for (int i = 0; i < 100; i++) passInSet(); break;
            case "updated": for (int i = 0; i < 100; i++) passByUpdate(); break;
            case "computed": compute(map, new Box()); break;
            default: throw new IllegalArgumentException(way);
        }
    }

    /** Keys that are equal to themselves only. */
    private static void passInSet() throws Exception {
        Box box = new Box();
        Set<Box> set = ConcurrentHashMap.newKeySet();
        pass(box, () -> set.add(box), () -> { while (!set.contains(box)) Thread.onSpinWait(); });
    }

    private static void passByUpdate() throws Exception {
        Box box = new Box();
        AtomicReference<Box> reference = new AtomicReference<>();
        AtomicInteger number = new AtomicInteger();
        pass(box, () -> reference.updateAndGet(old -> box), () -> { while (reference.get() == null) Thread.onSpinWait(); });
        pass(box, () -> number.accumulateAndGet(7, Math::max), () -> { while (number.get() == 0) Thread.onSpinWait(); });
        NUMBER.set(box, 0);
        pass(box, () -> NUMBER.accumulateAndGet(box, 7, Math::max), () -> { while (NUMBER.get(box) == 0) Thread.onSpinWait(); });
    }

    /** The functions for a key come one after the other. */
    private static void compute(ConcurrentHashMap<String, Box> map, Box box) throws Exception {
        Thread first = start(() -> map.compute("box", (key, value) -> { write(box); return box; }));
        Thread second = start(() -> {
            map.merge("box", box, (old, value) -> { write(box); return box; });
            map.computeIfPresent("box", (key, value) -> { write(box); return box; });
            if (LATE)
                write(box);
        });
        first.join();
        second.join();
    }

    public static void main(String[] arguments) throws Exception {
        Queue<String> ways = new ArrayDeque<>(List.of(arguments)); // one that nobody shares
        while (!ways.isEmpty())
            queues(ways.poll(), new Box());
        System.out.println("ok");
    }

    private Handovers() {}
}
