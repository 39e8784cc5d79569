package seriatim.weave;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * References to methods of the JDK whose calls are replaced, as in `executor.execute(lock::unlock)`.
 * The class gets a method for each that calls what replaces it.
 */
final class MethodReferences {
    private static final class Added {
        final String name, descriptor;
        final Replacements.Call call;
        final int site;

        Added(String name, String descriptor, Replacements.Call call, int site) {
            this.name = name;
            this.descriptor = descriptor;
            this.call = call;
            this.site = site;
        }
    }

    private final ClassWeaver weaver;
    private final List<Added> all = new ArrayList<>();

    MethodReferences(ClassWeaver weaver) {
        this.weaver = weaver;
    }

    private static int opcodeOf(Handle handle) {
        switch (handle.getTag()) {
            case Opcodes.H_INVOKEVIRTUAL: return Opcodes.INVOKEVIRTUAL;
            case Opcodes.H_INVOKEINTERFACE: return Opcodes.INVOKEINTERFACE;
            case Opcodes.H_INVOKESTATIC: return Opcodes.INVOKESTATIC;
            default: return Opcodes.INVOKESPECIAL;
        }
    }

    /** What is to be referred to instead, by the method and line where it is. */
    Handle replace(Handle handle, String method, String type, int line) {
        int opcode = opcodeOf(handle);
        Replacements.Call call =
                Replacements.find(opcode, handle.getOwner(), handle.getName(), handle.getDesc(),
                        weaver.loader);
        if (call == null || weaver.jdk || weaver.version < Opcodes.V1_8)
            return handle;
        String descriptor = handle.getDesc();
        if (opcode != Opcodes.INVOKESTATIC)
            descriptor = "(" + Type.getObjectType(handle.getOwner()).getDescriptor()
                    + descriptor.substring(1);
        Added added = new Added("$seriatim$reference" + all.size(), descriptor, call,
                weaver.siteRow(method, type, line));
        all.add(added);
        return new Handle(Opcodes.H_INVOKESTATIC, weaver.facts.name, added.name, descriptor,
                weaver.facts.isInterface());
    }

    void write(ClassVisitor out) {
        for (Added added : all)
            write(added, out.visitMethod(
                    Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC, added.name,
                    added.descriptor, null, null));
    }

    private static void write(Added added, MethodVisitor out) {
        out.visitCode();
        int at = 0;
        for (Type argument : Type.getArgumentTypes(added.descriptor)) {
            out.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), at);
            at += argument.getSize();
        }
        out.visitMethodInsn(Opcodes.INVOKESTATIC, MethodWeaver.STATE, "get",
                "()" + MethodWeaver.STATE_TYPE, false);
        out.visitLdcInsn(added.site);
        out.visitMethodInsn(Opcodes.INVOKESTATIC, added.call.owner, added.call.name,
                added.call.descriptor, false);
        out.visitInsn(Type.getReturnType(added.descriptor).getOpcode(Opcodes.IRETURN));
        out.visitMaxs(0, 0);
        out.visitEnd();
    }
}
