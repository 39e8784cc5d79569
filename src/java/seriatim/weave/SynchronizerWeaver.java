package seriatim.weave;

import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import seriatim.run.Synchronizers;

/** The methods by which a synchronizer of the program's own says when it is held: they say that to
 * seriatim.run.Synchronizers, too, and nothing else in them is emitted. */
final class SynchronizerWeaver extends MethodVisitor {
    private static final String LOCKS = "java/util/concurrent/locks/", RUN = "seriatim/run/Synchronizers";
    private static final Set<String> TYPES = Set.of(
            LOCKS + "AbstractQueuedSynchronizer", LOCKS + "AbstractQueuedLongSynchronizer");

    /** By name and descriptor, with int for the number's type. */
    private static final Map<String, Integer> OPERATIONS = Map.of(
            "tryAcquire(I)Z", Synchronizers.ACQUIRE, "tryRelease(I)Z", Synchronizers.RELEASE,
            "tryAcquireShared(I)I", Synchronizers.ACQUIRE_SHARED,
            "tryReleaseShared(I)Z", Synchronizers.RELEASE_SHARED,
            "isHeldExclusively()Z", Synchronizers.ASK);
    private static final Set<String> NUMBER =
            Set.of("getState()I", "setState(I)V", "compareAndSetState(II)Z");

    private final ClassWeaver weaver;
    private final String type;
    private final int operation;
    private final Label start = new Label(), end = new Label();

    SynchronizerWeaver(ClassWeaver weaver, MethodVisitor out, String name, String type) {
        super(Opcodes.ASM9, out);
        this.weaver = weaver;
        this.type = type;
        operation = OPERATIONS.get(asInt(name, type));
    }

    private static String asInt(String name, String type) {
        return name + type.replace('J', 'I');
    }

    private static boolean isSynchronizer(ClassLoader loader, String name) {
        String at = name;
        for (int depth = 0; at != null && depth < 50; depth++) {
            if (at.startsWith("java/"))
                return TYPES.contains(at);
            ClassFacts facts = ClassFacts.find(loader, at);
            at = facts == null ? null : facts.superName;
        }
        return false;
    }

    static boolean wants(ClassWeaver weaver, int access, String name, String type) {
        return OPERATIONS.containsKey(asInt(name, type)) && (access & Opcodes.ACC_STATIC) == 0
                && !weaver.jdk && isSynchronizer(weaver.loader, weaver.facts.name);
    }

    private void call(String hook, String descriptor) {
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitLdcInsn(operation);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, RUN, hook, descriptor, false);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        call("begin", "(Ljava/lang/Object;I)V");
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.IRETURN) {
            super.visitInsn(Opcodes.DUP);
        } else if (opcode == Opcodes.LRETURN) { // its sign is enough
            super.visitInsn(Opcodes.DUP2);
            super.visitInsn(Opcodes.LCONST_0);
            super.visitInsn(Opcodes.LCMP);
        }
        if (opcode == Opcodes.IRETURN || opcode == Opcodes.LRETURN)
            call("end", "(ILjava/lang/Object;I)V");
        super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String descriptor, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (!NUMBER.contains(asInt(name, descriptor)) || !isSynchronizer(weaver.loader, owner))
            return;
        if (name.equals("compareAndSetState"))
            super.visitInsn(Opcodes.DUP);
        else if (name.equals("setState"))
            super.visitInsn(Opcodes.ICONST_1);
        else
            return;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, RUN, "changed", "(Z)V", false);
    }

    /** Whatever is thrown ends it, too. */
    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        super.visitLabel(end);
        super.visitTryCatchBlock(start, end, end, null);
        boolean number = Type.getArgumentTypes(type).length > 0;
        Object[] locals = {weaver.facts.name, type.startsWith("(J") ? Opcodes.LONG : Opcodes.INTEGER};
        if (weaver.version >= Opcodes.V1_6)
            super.visitFrame(Opcodes.F_NEW, number ? 2 : 1, locals, 1,
                    new Object[] {"java/lang/Throwable"});
        call("fail", "(Ljava/lang/Object;I)V");
        super.visitInsn(Opcodes.ATHROW);
        super.visitMaxs(maxStack, maxLocals);
    }

    // ---- the number, in other methods ----

    static boolean isNumber(ClassWeaver weaver, int opcode, String owner, String name, String type) {
        return NUMBER.contains(asInt(name, type)) && opcode != Opcodes.INVOKESTATIC && !weaver.jdk
                && isSynchronizer(weaver.loader, owner);
    }

    /** A call that looks at the number or sets it; its object and its arguments are on the stack. */
    static void access(MethodWeaver method, MethodVisitor out, int opcode, String owner, String name,
            String type) {
        boolean wide = type.contains("J");
        String state = MethodWeaver.STATE_TYPE;
        Type[] arguments = Type.getArgumentTypes(type);
        int[] places = method.putAway(arguments);
        out.visitInsn(Opcodes.DUP); // one stays for afterwards
        if (name.equals("setState")) {
            out.visitInsn(Opcodes.DUP);
            method.pushState();
            call(out, "setting", "(Ljava/lang/Object;" + state + ")V");
        }
        method.fetch(arguments, places);
        out.visitMethodInsn(opcode, owner, name, type, false);
        if (name.equals("setState")) {
            out.visitInsn(Opcodes.POP);
        } else if (name.equals("getState")) {
            out.visitInsn(wide ? Opcodes.DUP2_X1 : Opcodes.SWAP);
            if (wide)
                out.visitInsn(Opcodes.POP2);
            method.pushState();
            call(out, "looked", "(Ljava/lang/Object;" + state + ")V");
        } else {
            out.visitInsn(Opcodes.DUP_X1);
            out.visitInsn(Opcodes.SWAP);
            out.visitVarInsn(arguments[0].getOpcode(Opcodes.ILOAD), places[0]);
            if (!wide)
                out.visitInsn(Opcodes.I2L);
            method.pushState();
            call(out, "compared", "(ZLjava/lang/Object;J" + state + ")V");
        }
    }

    private static void call(MethodVisitor out, String hook, String descriptor) {
        out.visitMethodInsn(Opcodes.INVOKESTATIC, RUN, hook, descriptor, false);
    }
}
