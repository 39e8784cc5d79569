package seriatim.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What is known of a method before it is changed. */
final class MethodFacts {
    int firstLine, calls, accesses;
    int elements; // accesses to those of arrays
    boolean loops, atomic;
    String[] field; // the last one that it accesses: class, name and type
    boolean accessesFirst; // before it calls anything or jumps; if so,
    String[] firstField; // which field; null: an element

    boolean validates; // stamps of a StampedLock

    /** Loops in which a thread does nothing but look: pairs of numbers of their first and last labels,
     * in the order of labels in the code. */
    final List<int[]> spins = new ArrayList<>();

    boolean isSpinning(int label) {
        for (int[] spin : spins)
            if (spin[0] <= label && label <= spin[1])
                return true;
        return false;
    }

    /** Does nothing but call one other method? */
    boolean handsOn() {
        return calls == 1 && accesses == 0;
    }

    /** Accesses a field once at most, or no more than that, and calls nothing? */
    boolean isSmall() {
        return calls == 0 && elements == 0 && !loops && !atomic
                && (accesses == 0 || (accesses == 1 && field != null));
    }

    String flags() {
        return (loops ? "l" : "") + (handsOn() ? "h" : "");
    }

    /** Reads a class: the facts by name and descriptor. */
    static final class Reader extends ClassVisitor {
        final Map<String, MethodFacts> methods = new HashMap<>();

        Reader() {
            super(Opcodes.ASM9);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String type, String signature, String[] exceptions) {
            MethodFacts facts = new MethodFacts();
            methods.put(name + type, facts);
            return new Code(facts);
        }
    }

    private static final class Code extends MethodVisitor {
        private final MethodFacts facts;
        private static final Set<String> LOOKS = Set.of("yield", "onSpinWait", "sleep", "park",
                "parkNanos", "parkUntil", "get", "getAcquire", "getOpaque", "getVolatile",
                "isInterrupted", "interrupted", "nanoTime", "currentTimeMillis", "currentThread",
                "isAlive", "isDone", "getCount", "getReference", "size", "isEmpty", "contains",
                "containsKey", "sum", "intValue", "longValue", "booleanValue", "isTerminated");
        private boolean begun; // has accessed something, or jumped, or called
        private final Map<Label, Integer> seen = new HashMap<>(); // their numbers
        private int lastDeed = -1; // the number of the last label before something but a look
        private boolean looked; // what is on top of the stack is what a look has found
        private final Map<Integer, Integer> kept = new HashMap<>(); // variables with what was found
        private final Map<Integer, Integer> used = new HashMap<>(); // both: the last label before

        Code(MethodFacts facts) {
            super(Opcodes.ASM9);
            this.facts = facts;
        }

        @Override
        public AnnotationVisitor visitAnnotation(String type, boolean visible) {
            facts.atomic |= type.endsWith("/Atomic;") || type.endsWith("$Atomic;")
                    || type.equals("LAtomic;");
            return null;
        }

        @Override
        public void visitLabel(Label label) {
            seen.put(label, seen.size());
        }

        @Override
        public void visitLineNumber(int line, Label start) {
            if (facts.firstLine == 0)
                facts.firstLine = line;
        }

        private void begins(boolean accesses, String[] field) {
            if (begun)
                return;
            begun = true;
            facts.accessesFirst = accesses;
            facts.firstField = field;
        }

        private void jump(Label label) {
            begins(false, null);
            Integer start = seen.get(label);
            if (start == null)
                return;
            facts.loops = true;
            if (lastDeed < start && !goesOn(start))
                facts.spins.add(new int[] {start, seen.size() - 1});
        }

        /** Is there a variable that a turn leaves for the next one, as in node = node.next? Who only
         * compares what it finds overwrites it: while ((box = shared) == null). */
        private boolean goesOn(int start) {
            for (Map.Entry<Integer, Integer> one : kept.entrySet())
                if (one.getValue() >= start && used.getOrDefault(one.getKey(), -1) >= start)
                    return true;
            return false;
        }

        /** The thread does something here. */
        private void deed() {
            lastDeed = seen.size() - 1;
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            if (opcode < Opcodes.ISTORE)
                used.put(variable, seen.size() - 1);
            else if (looked)
                kept.put(variable, seen.size() - 1);
            else
                deed();
            looked = false;
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            looked &= opcode == Opcodes.CHECKCAST;
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            looked = false;
        }

        @Override
        public void visitLdcInsn(Object value) {
            looked = false;
        }

        @Override
        public void visitIincInsn(int variable, int by) {
            deed();
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            jump(label);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
            visitLookupSwitchInsn(other, null, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
            jump(other);
            for (Label label : labels)
                jump(label);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String type) {
            facts.accesses++;
            facts.field = new String[] {owner, name, type};
            begins(true, facts.field);
            looked = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
            if (opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC)
                deed();
        }

        @Override
        public void visitInsn(int opcode) {
            looked &= opcode == Opcodes.DUP || opcode == Opcodes.DUP2;
            boolean array = (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD)
                    || (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE);
            if (array)
                facts.elements++;
            if (array || opcode == Opcodes.MONITORENTER)
                begins(array, null);
            if (array || opcode == Opcodes.MONITORENTER)
                facts.accesses++;
            if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE
                    || opcode == Opcodes.MONITORENTER)
                deed();
        }

        @Override
        public void visitMethodInsn(
                int opcode, String owner, String name, String type, boolean isInterface) {
            facts.calls++;
            begins(false, null);
            facts.validates |= owner.equals("java/util/concurrent/locks/StampedLock")
                    && (name.equals("validate") || name.startsWith("tryConvert"));
            looked = LOOKS.contains(name);
            if (!looked)
                deed();
        }

        @Override
        public void visitInvokeDynamicInsn(
                String name, String type, Handle bootstrap, Object... arguments) {
            facts.calls++;
            begins(false, null);
            deed();
        }
    }
}
