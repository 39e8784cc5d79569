package seriatim.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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

    private static final Set<String> names = new HashSet<>(); // of virtual methods

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
        if (!replaces.isStatic())
            names.add(key);
        for (Class<?> owner : replaces.value())
            (replaces.isStatic() ? fixed : virtual)
                    .put(Type.getInternalName(owner) + key, new Call(method));
    }

    /** The call of a method of a class that the loader knows; null: it is not replaced. */
    static Call find(
            int opcode, String owner, String name, String descriptor, ClassLoader loader) {
        if (opcode == Opcodes.INVOKESPECIAL)
            return null;
        String key = ' ' + name + descriptor;
        if (opcode == Opcodes.INVOKESTATIC)
            return fixed.get(owner + key);
        Call call = virtual.get(owner + key);
        if (call == null && names.contains(key))
            call = inherited(loader, owner, key, 0);
        // Methods of Object can be called through any type.
        return call != null ? call : virtual.get("java/lang/Object" + key);
    }

    /** That of a class above this one, as in `class Guard extends ReentrantLock`; of interfaces, that of
     * one above. What a class does by itself for an interface is watched there. */
    private static Call inherited(ClassLoader loader, String owner, String key, int depth) {
        Call found = owner == null ? null : virtual.get(owner + key);
        if (found != null || owner == null || owner.startsWith("java/") || depth > 50)
            return found;
        ClassFacts facts = ClassFacts.find(loader, owner);
        if (facts == null)
            return null;
        if (!facts.isInterface())
            return inherited(loader, facts.superName, key, depth + 1);
        for (String up : facts.interfaces)
            if (found == null)
                found = inherited(loader, up, key, depth + 1);
        return found;
    }

    private Replacements() {}
}
