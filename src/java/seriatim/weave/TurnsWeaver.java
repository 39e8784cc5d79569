package seriatim.weave;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Changes of the JDK for threads that take turns: LockSupport asks the scheduler, new threads wait
 * for their turn, who interrupts a thread says so, and what waits for some time looks at the clock of
 * the schedule.
 */
final class TurnsWeaver extends ClassVisitor {
    private static final String TURNS = "seriatim/run/Turns";
    private static final String LOCK_SUPPORT = "java/util/concurrent/locks/LockSupport";
    private static final String CONCURRENT = "java/util/concurrent/";

    /** Methods of LockSupport that the scheduler does instead, and which of its own. */
    private static final Map<String, String> parking = Map.of(
            "park()V", "park", "park(Ljava/lang/Object;)V", "park",
            "parkNanos(J)V", "parkNanos", "parkNanos(Ljava/lang/Object;J)V", "parkNanos",
            "parkUntil(J)V", "parkUntilDate", "parkUntil(Ljava/lang/Object;J)V", "parkUntilDate",
            "unpark(Ljava/lang/Thread;)V", "unpark");

    /** What threads of the JDK start with. */
    private static final Set<String> starts = Set.of("java/lang/Thread",
            CONCURRENT + "ForkJoinWorkerThread", "java/util/TimerThread");

    private static final Set<String> timed = Set.of(CONCURRENT + "FutureTask",
            CONCURRENT + "CompletableFuture", CONCURRENT + "CompletableFuture$Signaller",
            CONCURRENT + "ForkJoinPool", CONCURRENT + "ForkJoinTask",
            CONCURRENT + "ForkJoinTask$Aux", CONCURRENT + "SynchronousQueue",
            CONCURRENT + "SynchronousQueue$TransferStack",
            CONCURRENT + "SynchronousQueue$TransferQueue", CONCURRENT + "LinkedTransferQueue",
            CONCURRENT + "Exchanger", CONCURRENT + "Phaser", CONCURRENT + "Phaser$QNode",
            CONCURRENT + "TimeUnit", CONCURRENT + "ThreadPoolExecutor",
            CONCURRENT + "ScheduledThreadPoolExecutor",
            CONCURRENT + "ScheduledThreadPoolExecutor$ScheduledFutureTask",
            CONCURRENT + "ScheduledThreadPoolExecutor$DelayedWorkQueue",
            CONCURRENT + "AbstractExecutorService", CONCURRENT + "locks/StampedLock",
            CONCURRENT + "locks/AbstractQueuedSynchronizer",
            CONCURRENT + "locks/AbstractQueuedSynchronizer$ConditionObject",
            CONCURRENT + "locks/AbstractQueuedLongSynchronizer",
            CONCURRENT + "locks/AbstractQueuedLongSynchronizer$ConditionObject");

    private final String type;

    TurnsWeaver(ClassVisitor out, String type) {
        super(Opcodes.ASM9, out);
        this.type = type;
    }

    /** Loads what is needed to change classes, before any is changed, and what is to be changed: of
     * classes that are loaded meanwhile we would not hear. */
    static void prepare() {
        for (Set<String> types : List.of(starts, timed))
            for (String name : types)
                try {
                    Class.forName(name.replace('/', '.'), false, null);
                } catch (ClassNotFoundException e) {
                    continue; // versions of the JDK have different ones
                }
        new Parking(null, "", "");
        new Starting(null);
        new Interrupting(null);
        new Timed(null);
    }

    static boolean wants(String name) {
        return name.equals(LOCK_SUPPORT) || starts.contains(name) || timed.contains(name);
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor out = super.visitMethod(access, name, descriptor, signature, exceptions);
        if (out == null || (access & (Opcodes.ACC_NATIVE | Opcodes.ACC_ABSTRACT)) != 0)
            return out;
        if (type.equals(LOCK_SUPPORT) && parking.containsKey(name + descriptor))
            return new Parking(out, parking.get(name + descriptor), descriptor);
        if (starts.contains(type) && (name + descriptor).equals("run()V"))
            return new Starting(out);
        if (type.equals("java/lang/Thread") && (name + descriptor).equals("interrupt()V"))
            return new Interrupting(out);
        return timed.contains(type) ? new Timed(out) : out;
    }

    /** If the scheduler has done it, that is all. */
    private static final class Parking extends MethodVisitor {
        private final String hook, descriptor;

        Parking(MethodVisitor out, String hook, String descriptor) {
            super(Opcodes.ASM9, out);
            this.hook = hook;
            this.descriptor = descriptor;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            boolean object = descriptor.startsWith("(L"), wide = descriptor.contains("J");
            if (object)
                super.visitVarInsn(Opcodes.ALOAD, 0);
            else
                super.visitInsn(Opcodes.ACONST_NULL);
            if (wide)
                super.visitVarInsn(Opcodes.LLOAD, object ? 1 : 0);
            String first = hook.equals("unpark") ? "Ljava/lang/Thread;" : "Ljava/lang/Object;";
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TURNS, hook,
                    "(" + first + (wide ? "J" : "") + ")Z", false);
            Label otherwise = new Label();
            super.visitJumpInsn(Opcodes.IFEQ, otherwise);
            super.visitInsn(Opcodes.RETURN);
            super.visitLabel(otherwise);
            super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
        }
    }

    private static final class Starting extends MethodVisitor {
        Starting(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TURNS, "begins", "()V", false);
        }
    }

    private static final class Interrupting extends MethodVisitor {
        Interrupting(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.RETURN) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TURNS, "interrupted",
                        "(Ljava/lang/Thread;)V", false);
            }
            super.visitInsn(opcode);
        }
    }

    private static final class Timed extends MethodVisitor {
        Timed(MethodVisitor out) {
            super(Opcodes.ASM9, out);
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean clock = owner.equals("java/lang/System")
                    && (name.equals("nanoTime") || name.equals("currentTimeMillis"));
            boolean sleep = owner.equals("java/lang/Thread") && name.equals("sleep")
                    && descriptor.equals("(J)V");
            if (clock)
                super.visitMethodInsn(opcode, TURNS, name, descriptor, false);
            else if (sleep)
                super.visitMethodInsn(opcode, TURNS, "sleepMillis", descriptor, false);
            else
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }
}
