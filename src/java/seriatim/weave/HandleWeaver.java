package seriatim.weave;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Calls that access variables by handles of them: VarHandle, field updaters, reflection. */
final class HandleWeaver {
    private final MethodWeaver method;
    private final MethodVisitor mv;

    HandleWeaver(MethodWeaver method, MethodVisitor mv) {
        this.method = method;
        this.mv = mv;
    }

    static boolean isAccess(String name) {
        return name.startsWith("get") || name.startsWith("set") || name.startsWith("compare")
                || name.startsWith("weakCompare");
    }

    /** Methods such as getInt(Object) and set(Object, Object). */
    static boolean isReflection(String name, String descriptor) {
        return descriptor.startsWith("(Ljava/lang/Object;")
                && (name.startsWith("get") || name.startsWith("set"));
    }

    /** It is emitted before it writes, and after it has read. */
    void reflectiveAccess(int opcode, String owner, String name, String descriptor) {
        Type[] declared = Type.getArgumentTypes(descriptor);
        Type[] arguments = new Type[declared.length + 1];
        arguments[0] = Type.getObjectType(owner);
        System.arraycopy(declared, 0, arguments, 1, declared.length);
        int[] places = method.putAway(arguments);
        boolean write = name.startsWith("set");
        if (write)
            tellReflection(places, true);
        method.fetch(arguments, places);
        mv.visitMethodInsn(opcode, owner, name, descriptor, false);
        if (!write)
            tellReflection(places, false);
    }

    private void tellReflection(int[] places, boolean write) {
        mv.visitVarInsn(Opcodes.ALOAD, places[0]);
        mv.visitVarInsn(Opcodes.ALOAD, places[1]);
        method.push(write);
        method.pushStateAndSite();
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, "seriatim/run/Handles", "reflected",
                "(Ljava/lang/reflect/Field;Ljava/lang/Object;Z" + MethodWeaver.STATE_TYPE + "I)V", false);
    }

    /** Who calls this must have access to the field, so the call stays where it is. */
    void makeUpdater(int opcode, String owner, String name, String descriptor) {
        Type[] arguments = Type.getArgumentTypes(descriptor);
        int[] places = method.putAway(arguments);
        method.fetch(arguments, places);
        mv.visitMethodInsn(opcode, owner, name, descriptor, false);
        mv.visitInsn(Opcodes.DUP);
        mv.visitVarInsn(Opcodes.ALOAD, places[0]);
        mv.visitVarInsn(Opcodes.ALOAD, places[places.length - 1]);
        method.push(false);
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, "seriatim/run/Handles", "made",
                "(Ljava/lang/Object;Ljava/lang/Class;Ljava/lang/String;Z)V", false);
    }

    /** Arguments of any type lie above the handle. */
    void handleAccess(int opcode, String owner, String name, String descriptor) {
        Type[] arguments = Type.getArgumentTypes(descriptor);
        int[] places = method.putAway(arguments);
        method.tellSpin();
        mv.visitInsn(Opcodes.DUP);
        pushCoordinates(arguments, places);
        method.pushStateAndSite();
        String handles = "seriatim/run/Handles";
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, handles, "begin",
                "(Ljava/lang/Object;Ljava/lang/Object;I" + MethodWeaver.STATE_TYPE + "I)V", false);
        method.fetch(arguments, places);
        mv.visitMethodInsn(opcode, owner, name, descriptor, false);
        boolean compares = descriptor.endsWith(")Z") && name.contains("ompareAndSet");
        if (compares)
            mv.visitInsn(Opcodes.DUP);
        else
            method.push(seriatim.run.Handles.kindOf(name));
        method.pushStateAndSite();
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, handles, compares ? "compared" : "done",
                "(" + (compares ? "Z" : "I") + MethodWeaver.STATE_TYPE + "I)V", false);
    }

    private void pushCoordinates(Type[] arguments, int[] places) {
        boolean object = arguments.length > 0 && arguments[0].getSort() >= Type.ARRAY;
        boolean element = arguments.length > 1 && arguments[1].getSort() == Type.INT;
        if (object)
            mv.visitVarInsn(Opcodes.ALOAD, places[0]);
        else
            mv.visitInsn(Opcodes.ACONST_NULL);
        if (element)
            mv.visitVarInsn(Opcodes.ILOAD, places[1]);
        else
            method.push(0);
    }
}
