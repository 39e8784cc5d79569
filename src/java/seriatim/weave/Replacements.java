package seriatim.weave;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import seriatim.run.Turns;

/** Calls of the library that are replaced in watched code: seriatim.calls has what by, and the build has
 * listed them (ListReplacements.java). */
final class Replacements {
    private static final String LIST = "seriatim/weave/replacements";

    static final class Call {
        final String owner, name, descriptor;
        private final String[] replaced; // classes
        private final Call next; // of the same name and type, of other classes

        Call(String owner, String called, String descriptor, String[] replaced, Call next) {
            this.owner = owner;
            this.name = called.substring(0, called.indexOf('('));
            this.descriptor = descriptor;
            this.replaced = replaced;
            this.next = next;
        }
    }

    /** By the name and the descriptor of what is called. */
    private static final Map<String, Call> virtual = new HashMap<>(1024), fixed = new HashMap<>();

    static {
        try (InputStream in = Replacements.class.getClassLoader().getResourceAsStream(LIST)) {
            ByteBuffer list = ByteBuffer.wrap(in.readAllBytes());
            while (list.hasRemaining())
                readHolder(list);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(ByteBuffer list) {
        int length = list.getShort(), at = list.position();
        list.position(at + length);
        return new String(list.array(), at, length, StandardCharsets.ISO_8859_1);
    }

    private static void readHolder(ByteBuffer list) {
        String holder = text(list);
        Map<String, Call> calls = list.get() != 0 ? fixed : virtual;
        boolean counts = list.get() == 0 || Turns.ON;
        String[] replaced = new String[list.getShort()];
        for (int i = 0; i < replaced.length; i++)
            replaced[i] = text(list);
        for (int left = list.getShort(); left > 0; left--) {
            String called = text(list), descriptor = text(list);
            if (counts)
                calls.put(called,
                        new Call(holder, called, descriptor, replaced, calls.get(called)));
        }
    }

    private static Call of(String owner, Call call) {
        for (; call != null; call = call.next)
            for (String replaced : call.replaced)
                if (replaced.equals(owner))
                    return call;
        return null;
    }

    /** The call of a method of a class that the loader knows; null: it is not replaced. */
    static Call find(
            int opcode, String owner, String name, String descriptor, ClassLoader loader) {
        if (opcode == Opcodes.INVOKESPECIAL)
            return null;
        String key = name.concat(descriptor);
        if (opcode == Opcodes.INVOKESTATIC)
            return of(owner, fixed.get(key));
        Call calls = virtual.get(key);
        Call call = calls == null ? null : inherited(loader, owner, calls, 0);
        // Methods of Object can be called through any type.
        return call != null ? call : of("java/lang/Object", calls);
    }

    /** That of a class above this one, as in `class Guard extends ReentrantLock`; of interfaces, that of
     * one above. What a class does by itself for an interface is watched there. */
    private static Call inherited(ClassLoader loader, String owner, Call calls, int depth) {
        Call found = owner == null ? null : of(owner, calls);
        if (found != null || owner == null || owner.startsWith("java/") || depth > 50)
            return found;
        ClassFacts facts = ClassFacts.find(loader, owner);
        if (facts == null)
            return null;
        if (!facts.isInterface())
            return inherited(loader, facts.superName, calls, depth + 1);
        for (String up : facts.interfaces)
            if (found == null)
                found = inherited(loader, up, calls, depth + 1);
        return found;
    }

    private Replacements() {}
}
