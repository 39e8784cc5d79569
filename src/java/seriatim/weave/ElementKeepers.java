package seriatim.weave;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.LocalVariablesSorter;
import seriatim.run.Arrays;
import seriatim.run.Settings;

/**
 * Emits accesses to elements of arrays. In a method with a loop, each such instruction has two
 * local variables: the array that it had last, and its part. So where an array stays the same, the
 * JVM's compiler sees that its part does, too.
 */
final class ElementKeepers {
    /** So many accesses to elements are compiled into a method; of so many it keeps the arrays. */
    private static final int MOST_NEAR = 24, MOST_KEPT = 16;

    private final boolean near;
    private int count, first, used;

    ElementKeepers(MethodFacts facts) {
        near = facts.elements <= MOST_NEAR;
        if (Settings.arrays && facts.loops && facts.elements <= MOST_KEPT)
            count = facts.elements;
    }

    /** Where the method begins. */
    void make(LocalVariablesSorter locals, MethodVisitor out) {
        for (int i = 0; i < count; i++) {
            int array = locals.newLocal(Type.getObjectType("java/lang/Object"));
            int part = locals.newLocal(Type.getType("[J"));
            first = i == 0 ? array : first;
            out.visitInsn(Opcodes.ACONST_NULL);
            out.visitVarInsn(Opcodes.ASTORE, array);
            out.visitInsn(Opcodes.ACONST_NULL);
            out.visitVarInsn(Opcodes.ASTORE, part);
        }
    }

    /** Array and index are on top of the stack, and stay there. */
    void emit(MethodVisitor out, String hook, Runnable pushStateAndSite) {
        out.visitInsn(Opcodes.DUP2);
        pushStateAndSite.run();
        out.visitIntInsn(Opcodes.SIPUSH, Arrays.newPlace());
        String arguments = "(Ljava/lang/Object;I" + MethodWeaver.STATE_TYPE + "II";
        if (used == count) {
            call(out, near ? hook : hook + "Far", arguments + ")V");
            return;
        }
        int array = first + 2 * used++, part = array + 1;
        out.visitVarInsn(Opcodes.ALOAD, array);
        out.visitVarInsn(Opcodes.ALOAD, part);
        call(out, hook, arguments + "Ljava/lang/Object;[J)[J");
        out.visitVarInsn(Opcodes.ASTORE, part);
        out.visitInsn(Opcodes.DUP2);
        out.visitInsn(Opcodes.POP);
        out.visitVarInsn(Opcodes.ASTORE, array);
    }

    private static void call(MethodVisitor out, String hook, String descriptor) {
        out.visitMethodInsn(Opcodes.INVOKESTATIC, MethodWeaver.HOOKS, hook, descriptor, false);
    }
}
