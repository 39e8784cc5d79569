package seriatim.weave;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import seriatim.run.Turns;

/**
 * Changes methods of the JDK itself, which are called from places that are not watched. Versions of
 * the JDK have different ones: those that are not there are no harm.
 */
final class JdkWeaver {
    private static final String THREADS = "seriatim/run/Threads", TASKS = "seriatim/run/Tasks";
    private static final String CONCURRENT = "java/util/concurrent/";

    /** What is called, by where: with an object, `this` or an argument, unless it takes nothing. */
    private static final class Change {
        String holder = TASKS, descriptor = "(Ljava/lang/Object;)V";
        String atStart, atEnd;
        int argument; // number of the local variable
        int second = -1; // that of another one, with which the same is called
        boolean ifTrue; // at the end, if the method returns true
        String beforeCall; // owner and name of a method that is called, ...
        String called; // ... and what is called with its receiver before
        boolean callsThis; // not its receiver, but `this`
        String after; // what is called with `this` after that call

        Change start(String hook) {
            atStart = hook;
            return this;
        }

        Change end(String hook) {
            atEnd = hook;
            return this;
        }

        Change argument(int number) {
            argument = number;
            return this;
        }

        Change second(int number) {
            second = number;
            return this;
        }

        /** Before a method is called, and after it. */
        Change around(String call, String before, String afterwards) {
            beforeCall = call;
            called = before;
            callsThis = true;
            after = afterwards;
            return this;
        }
    }

    private static final Map<String, Map<String, Change>> changes = new HashMap<>();

    private static Change on(String type, String method) {
        Change change = new Change();
        changes.computeIfAbsent(type, t -> new HashMap<>()).put(method, change);
        return change;
    }

    private static Change onThread(String method) {
        Change change = on("java/lang/Thread", method);
        change.holder = THREADS;
        change.descriptor = "(Ljava/lang/Thread;)V";
        return change;
    }

    static void prepare() {
        onThread("start()V").start("starting");
        onThread("join(J)V").start("joining").end("joined");
        Change exit = onThread("exit()V").start("ending");
        exit.descriptor = "()V";
        prepareExecutors();
        prepareFutures();
        prepareForkJoin();
        prepareCompletable();
        prepareTimers();
        preparePublishers();
        prepareBarriers();
        prepareMaps();
        prepareCopiedLists();
        if (Turns.ON)
            TurnsWeaver.prepare();
    }

    private static void prepareExecutors() {
        String pool = CONCURRENT + "ThreadPoolExecutor";
        String scheduled = CONCURRENT + "ScheduledThreadPoolExecutor";
        on(pool, "execute(Ljava/lang/Runnable;)V").start("handed").argument(1);
        on(scheduled, "delayedExecute(Ljava/util/concurrent/RunnableScheduledFuture;)V")
                .start("handed").argument(1);
        Change worker = on(pool, "runWorker(Ljava/util/concurrent/ThreadPoolExecutor$Worker;)V");
        worker.beforeCall = "java/lang/Runnable.run";
        worker.called = "taken";
        on(scheduled, "reExecutePeriodic(Ljava/util/concurrent/RunnableScheduledFuture;)V")
                .start("handed").argument(1);
        on(pool, "awaitTermination(JLjava/util/concurrent/TimeUnit;)Z")
                .start("waits").end("completed").ifTrue = true;
        // A worker is counted out before it exits, and the pool may end in between.
        on(pool, "decrementWorkerCount()V").start("completes");
        on(pool, "compareAndDecrementWorkerCount(I)Z").start("completes");
        on(pool, "processWorkerExit(L" + pool + "$Worker;Z)V").start("completes");
        on(pool, "isTerminated()Z").end("completed").ifTrue = true;
        // After the last worker was counted out, and before the pool has ended.
        on(pool, "tryTerminate()V").around(pool + ".terminated", "completed", "completes");
    }

    private static void prepareFutures() {
        String future = CONCURRENT + "FutureTask";
        on(future, "set(Ljava/lang/Object;)V").start("completes");
        on(future, "setException(Ljava/lang/Throwable;)V").start("completes");
        on(future, "cancel(Z)Z").start("completes");
        on(future, "get()Ljava/lang/Object;").start("waits");
        on(future, "get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;").start("waits");
        on(future, "report(I)Ljava/lang/Object;").start("completed"); // it may throw
        on(future, "isDone()Z").end("completed").ifTrue = true;
    }

    private static void prepareForkJoin() {
        String task = CONCURRENT + "ForkJoinTask", pool = CONCURRENT + "ForkJoinPool";
        String given = "(L" + task + ";)V";
        on(pool, "externalPush" + given).start("handed").argument(1);
        on(pool + "$WorkQueue", "push" + given).start("handed").argument(1);
        on(pool + "$WorkQueue", "push(L" + task + ";L" + pool + ";)V")
                .start("handed").argument(1);
        on(pool + "$WorkQueue", "lockedPush(L" + task + ";)Z").start("handed").argument(1);
        on(pool, "invoke(L" + task + ";)Ljava/lang/Object;")
                .start("waits").end("joined").argument(1);
        on(task, "doExec()I").start("runs");
        on(task, "setDone()I").start("completes");
        on(task, "setCompletion(I)I").start("completes");
        on(task, "trySetThrown(Ljava/lang/Throwable;)I").start("completes");
        for (String waits : new String[] {"join()Ljava/lang/Object;", "invoke()Ljava/lang/Object;",
                "quietlyJoin()V", "quietlyInvoke()V"})
            on(task, waits).start("waits").end("joined")
                    .around(task + ".reportException", "joined", null);
        for (String waits : new String[] {"get()Ljava/lang/Object;",
                "get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;"})
            on(task, waits).start("waits").end("joined")
                    .around(task + ".reportExecutionException", "joined", null);
        on(task, "isDone()Z").end("completed").ifTrue = true;
        on(task, "invokeAll(L" + task + ";L" + task + ";)V")
                .start("waits").end("joined").second(1);
        on(task, "invokeAll([L" + task + ";)V").start("waits").end("allJoined");
        on(task, "invokeAll(Ljava/util/Collection;)Ljava/util/Collection;")
                .start("waits").end("allJoined");
        String counted = CONCURRENT + "CountedCompleter";
        on(counted, "tryComplete()V").start("completesPart").end("completedPart");
        on(counted, "propagateCompletion()V").start("completesPart");
        changes.get(counted).get("tryComplete()V")
                .around(counted + ".onCompletion", "completedPart", "completesPart");
    }

    private static void prepareCompletable() {
        String future = CONCURRENT + "CompletableFuture";
        for (String completes : new String[] {"internalComplete(Ljava/lang/Object;)Z",
                "completeNull()Z", "completeValue(Ljava/lang/Object;)Z",
                "completeThrowable(Ljava/lang/Throwable;)Z",
                "completeThrowable(Ljava/lang/Throwable;Ljava/lang/Object;)Z",
                "completeRelay(Ljava/lang/Object;)Z", "cancel(Z)Z"})
            on(future, completes).start("completes");
        for (String waits : new String[] {"get()Ljava/lang/Object;",
                "get(JLjava/util/concurrent/TimeUnit;)Ljava/lang/Object;"})
            on(future, waits).start("waits").around(future + ".reportGet", "completed", null);
        on(future, "join()Ljava/lang/Object;")
                .start("waits").around(future + ".reportJoin", "completed", null);
        on(future, "getNow(Ljava/lang/Object;)Ljava/lang/Object;")
                .around(future + ".reportJoin", "completed", null);
        on(future, "isDone()Z").end("completed").ifTrue = true;
        for (String kind : new String[] {"UniApply", "UniAccept", "UniRun", "UniWhenComplete",
                "UniHandle", "UniExceptionally", "UniComposeExceptionally", "UniRelay",
                "UniCompose", "BiApply", "BiAccept", "BiRun", "OrApply", "OrAccept", "OrRun",
                "BiRelay", "AnyOf"})
            on(future + "$" + kind, "tryFire(I)L" + future + ";").start("fires");
        String completion = "L" + future + "$Completion;)V", both = "(L" + future + ";L" + future;
        on(future, "unipush(" + completion).start("depends").argument(1);
        on(future, "bipush" + both + "$BiCompletion;)V").start("depends").argument(2);
        on(future, "orpush" + both + "$BiCompletion;)V").start("depends").argument(2);
        // What is done at once in the thread that asks for it, as if it had waited.
        for (String now : new String[] {"uniApplyNow", "uniAcceptNow", "uniRunNow"})
            for (String type : new String[] {"Function", "Consumer", "Runnable"})
                on(future, now + "(Ljava/lang/Object;Ljava/util/concurrent/Executor;"
                        + (type.equals("Runnable") ? "Ljava/lang/" : "Ljava/util/function/") + type
                        + ";)L" + future + ";").start("joined");
        String executor = "(Ljava/util/concurrent/Executor;", function = "Ljava/util/function/";
        String stage = "Ljava/util/concurrent/CompletionStage;", result = ";)L" + future + ";";
        for (String[] one : new String[][] {{"uniWhenComplete", function + "BiConsumer"},
                {"uniHandle", function + "BiFunction"}, {"uniExceptionally", function + "Function"}})
            on(future, one[0] + "Stage" + executor + one[1] + result)
                    .around(future + "." + one[0], "joined", null);
        on(future, "uniComposeStage" + executor + function + "Function" + result)
                .around("java/util/function/Function.apply", "joined", null);
        for (String[] two : new String[][] {{"biApply", function + "BiFunction"},
                {"biAccept", function + "BiConsumer"}, {"biRun", "Ljava/lang/Runnable"}})
            on(future, two[0] + "Stage" + executor + stage + two[1] + result)
                    .around(future + "." + two[0], "joined", null).second(2);
        String futures = "([L" + future;
        on(future, "anyOf" + futures + ";)L" + future + ";").end("seen");
        on(future, "andTree" + futures + ";II)L" + future + ";").end("seen");
    }

    /** Who comes last acts on behalf of all, after their arrival and before they go on. */
    private static void prepareBarriers() {
        on(CONCURRENT + "CyclicBarrier", "dowait(ZJ)I")
                .around("java/lang/Runnable.run", "trips", "tripped");
        String phaser = CONCURRENT + "Phaser";
        for (String arrives : new String[] {"doArrive(I)I", "arriveAndAwaitAdvance()I"})
            on(phaser, arrives).around(phaser + ".onAdvance", "trips", "tripped");
    }

    private static Change onList(String method) {
        Change change = on(CONCURRENT + "CopyOnWriteArrayList", method);
        change.holder = "seriatim/run/CopiedLists";
        return change;
    }

    private static void prepareCopiedLists() {
        String array = "[Ljava/lang/Object;", object = "Ljava/lang/Object;";
        onList("getArray()" + array).start("begin").end("looked");
        onList("setArray(" + array + ")V").start("begin").end("changed");
        onList("addIfAbsent(" + object + ")Z").start("beginsWithSnapshot").end("endsWithSnapshot");
        onList("remove(" + object + ")Z").start("beginsWithSnapshot").end("endsWithSnapshot");
        onList("addIfAbsent(" + object + array + ")Z").start("looksAgain");
        onList("remove(" + object + array + "I)Z").start("looksAgain");
    }

    private static void prepareMaps() {
        String map = CONCURRENT + "ConcurrentHashMap$";
        on(map + "KeyIterator", "next()Ljava/lang/Object;").end("iterated");
        on(map + "ValueIterator", "next()Ljava/lang/Object;").end("iterated");
        on(map + "EntryIterator", "next()Ljava/util/Map$Entry;").end("iterated");
        for (String kind : new String[] {"Key", "Value", "Entry"})
            for (Change change : changes.get(map + kind + "Iterator").values())
                change.holder = "seriatim/library/MapCells";
        String list = CONCURRENT + "ConcurrentSkipListMap$";
        on(list + "KeyIterator", "next()Ljava/lang/Object;").end("iteratedInOrder");
        on(list + "ValueIterator", "next()Ljava/lang/Object;").end("iteratedInOrder");
        on(list + "EntryIterator", "next()Ljava/util/Map$Entry;").end("iteratedInOrder");
        for (String kind : new String[] {"Key", "Value", "Entry"})
            for (Change change : changes.get(list + kind + "Iterator").values())
                change.holder = "seriatim/library/MapCells";
        // The agent uses them, too, while it changes classes: then they would be loaded unseen.
        new java.util.concurrent.ConcurrentHashMap<>(Map.of(1, 2)).entrySet().iterator().next();
    }

    private static void prepareTimers() {
        on("java/util/Timer", "sched(Ljava/util/TimerTask;JJ)V").start("handed").argument(1);
        Change loop = on("java/util/TimerThread", "mainLoop()V");
        loop.beforeCall = "java/util/TimerTask.run";
        loop.called = "taken";
    }

    /** What is published comes before what a subscriber does with it. */
    private static void preparePublishers() {
        String subscription = CONCURRENT + "SubmissionPublisher$BufferedSubscription";
        String subscriber = "L" + CONCURRENT + "Flow$Subscriber;", object = "Ljava/lang/Object;";
        on(subscription, "offer(" + object + "Z)I").start("completes");
        on(subscription, "onComplete()V").start("completes");
        on(subscription, "onError(Ljava/lang/Throwable;)V").start("completes");
        on(subscription, "consumeNext(" + subscriber + object + ")Z").start("completed");
        on(subscription, "consumeComplete(" + subscriber + ")V").start("completed");
        on(subscription, "consumeError(" + subscriber + "Ljava/lang/Throwable;)V").start("completed");
    }

    /** Of the JVM's classes at the start, by the name that Java has for it: these are hundreds. */
    static boolean wantsLoaded(String name) {
        return (name.startsWith("java.util.") || name.startsWith("java.lang.Thread"))
                && wants(name.replace('.', '/'));
    }

    static boolean wants(String name) {
        return changes.containsKey(name) || (Turns.ON && TurnsWeaver.wants(name));
    }

    static byte[] change(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        Map<String, Change> wanted = changes.getOrDefault(reader.getClassName(), Map.of());
        ClassVisitor out = Turns.ON ? new TurnsWeaver(writer, reader.getClassName()) : writer;
        reader.accept(new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type,
                    String signature, String[] exceptions) {
                MethodVisitor out = super.visitMethod(access, name, type, signature, exceptions);
                Change change = wanted.get(name + type);
                return change == null ? out : new Body(out, change);
            }
        }, 0);
        return writer.toByteArray();
    }

    private static final class Body extends MethodVisitor {
        private final Change change;

        Body(MethodVisitor out, Change change) {
            super(Opcodes.ASM9, out);
            this.change = change;
        }

        private void call(String hook) {
            if (!change.descriptor.startsWith("()"))
                super.visitVarInsn(Opcodes.ALOAD, change.argument);
            super.visitMethodInsn(
                    Opcodes.INVOKESTATIC, change.holder, hook, change.descriptor, false);
            if (change.second >= 0)
                callWith(hook, change.second);
        }

        private void callWith(String hook, int argument) {
            super.visitVarInsn(Opcodes.ALOAD, argument);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, change.holder, hook,
                    "(Ljava/lang/Object;)V", false);
        }

        /** Of a call in the method: its receiver is on top of the stack, if it takes nothing. */
        private void callBefore(String type) {
            if (!change.callsThis && type.startsWith("()")) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, change.holder, change.called,
                        "(Ljava/lang/Object;)V", false);
                return;
            }
            callWith(change.called, 0);
            if (change.second >= 0)
                callWith(change.called, change.second);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (change.atStart != null)
                call(change.atStart);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN && change.atEnd != null) {
                if (change.ifTrue) {
                    super.visitInsn(Opcodes.DUP);
                    super.visitVarInsn(Opcodes.ALOAD, change.argument);
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, change.holder, change.atEnd,
                            "(ZLjava/lang/Object;)V", false);
                } else {
                    call(change.atEnd);
                }
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String name, String type, boolean isInterface) {
            boolean meant =
                    change.beforeCall != null && change.beforeCall.equals(owner + '.' + name);
            if (meant)
                callBefore(type);
            super.visitMethodInsn(opcode, owner, name, type, isInterface);
            if (meant && change.after != null)
                callWith(change.after, 0);
        }
    }

    private JdkWeaver() {}
}
