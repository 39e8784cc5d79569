package seriatim.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import seriatim.calls.Replaces;
import seriatim.calls.Calls;
import seriatim.run.Turns;

/** Calls of the library that are replaced in watched code: seriatim.calls has what by. */
final class Replacements {
    static final class Call {
        final String owner, name, descriptor;

        Call(Method method) {
            owner = Type.getInternalName(method.getDeclaringClass());
            name = method.getName();
            descriptor = Type.getMethodDescriptor(method);
        }
    }

    private static final Map<String, Call> virtual = new HashMap<>(), fixed = new HashMap<>();

    static {
        addAll(Calls.ALL);
        if (Turns.ON)
            addAll(Calls.IN_TURNS);
    }

    private static void addAll(Class<?>[] holders) {
        for (Class<?> holder : holders) {
            Replaces replaces = holder.getAnnotation(Replaces.class);
            for (Method method : holder.getDeclaredMethods())
                if (Modifier.isPublic(method.getModifiers()))
                    add(replaces, method);
        }
    }

    /** The last two arguments are the state of the thread and the site. */
    private static void add(Replaces replaces, Method method) {
        Type[] all = Type.getArgumentTypes(method);
        int first = replaces.isStatic() ? 0 : 1;
        Type[] arguments = new Type[all.length - 2 - first];
        System.arraycopy(all, first, arguments, 0, arguments.length);
        String key = ' ' + method.getName()
                + Type.getMethodDescriptor(Type.getReturnType(method), arguments);
        for (Class<?> owner : replaces.value())
            (replaces.isStatic() ? fixed : virtual)
                    .put(Type.getInternalName(owner) + key, new Call(method));
    }

    static Call find(int opcode, String owner, String name, String descriptor) {
        if (opcode == Opcodes.INVOKESPECIAL)
            return null;
        if (opcode == Opcodes.INVOKESTATIC)
            return fixed.get(owner + ' ' + name + descriptor);
        Call call = virtual.get(owner + ' ' + name + descriptor);
        // Methods of Object can be called through any type.
        return call != null ? call : virtual.get("java/lang/Object " + name + descriptor);
    }

    private Replacements() {}
}
