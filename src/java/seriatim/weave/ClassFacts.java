package seriatim.weave;

import java.io.InputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import seriatim.run.Handles;
import seriatim.run.Parts;
import seriatim.run.Settings;
import seriatim.run.Sites;
import seriatim.run.Sync;

/** The fields of a class, from its class file: classes are not loaded to learn of them. */
final class ClassFacts {
    static final class Field {
        final ClassFacts owner;
        final String name;
        final int access;
        final int index; // among the variables of its part; -1: not watched

        Field(ClassFacts owner, String name, int access, int index) {
            this.owner = owner;
            this.name = name;
            this.access = access;
            this.index = index;
        }

        boolean isVolatile() {
            return (access & Opcodes.ACC_VOLATILE) != 0;
        }
    }

    private static final Map<ClassLoader, Map<String, ClassFacts>> known = new WeakHashMap<>();
    private static final Map<String, ClassFacts> boot = new HashMap<>();

    final String name;
    String superName;
    String[] interfaces = {};
    int access;
    final Map<String, Field> fields = new LinkedHashMap<>();
    int instanceCount, staticCount;
    private final StringBuilder instanceNames = new StringBuilder();
    private final StringBuilder staticNames = new StringBuilder();
    private boolean hasInitialiser;
    private int row = -1, staticNumber = -1, initialiser;

    private ClassFacts(String name) {
        this.name = name;
    }

    private final class Reader extends ClassVisitor {
        Reader() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(int version, int flags, String own, String signature, String parent,
                String[] implemented) {
            access = flags;
            superName = parent;
            interfaces = implemented == null ? new String[0] : implemented;
        }

        @Override
        public FieldVisitor visitField(
                int flags, String field, String type, String signature, Object value) {
            addField(flags, field, type);
            return null;
        }

        @Override
        public MethodVisitor visitMethod(
                int flags, String method, String type, String signature, String[] exceptions) {
            hasInitialiser |= method.equals("<clinit>");
            return null;
        }
    }

    /** Final fields never change after they were published, or only by reflection. */
    private void addField(int flags, String field, String type) {
        boolean watched = (flags & (Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC)) == 0;
        int index = -1;
        if (watched && (flags & Opcodes.ACC_STATIC) != 0) {
            index = staticCount++;
            staticNames.append('\t').append(field);
        } else if (watched) {
            index = instanceCount++;
            instanceNames.append('\t').append(field);
        }
        fields.put(field + ' ' + type, new Field(this, field, flags, index));
    }

    static ClassFacts read(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassFacts facts = new ClassFacts(reader.getClassName());
        reader.accept(facts.new Reader(),
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return facts;
    }

    private static Map<String, ClassFacts> of(ClassLoader loader) {
        return loader == null ? boot : known.computeIfAbsent(loader, l -> new HashMap<>());
    }

    /** What is known of a class that is being loaded. */
    static synchronized ClassFacts add(ClassLoader loader, byte[] bytes) {
        ClassFacts facts = read(bytes);
        ClassFacts before = of(loader).get(facts.name);
        if (before != null && before.fields.keySet().equals(facts.fields.keySet()))
            facts = before; // another class has asked for it
        else
            of(loader).put(facts.name, facts);
        for (Field field : facts.fields.values())
            if (field.index >= 0)
                Handles.addField(facts.name, field.name, field.index);
        if (facts.staticCount > 0)
            facts.staticNumber(); // handles know it by that
        return facts;
    }

    private static ClassFacts load(ClassLoader loader, String name) {
        String file = name + ".class";
        try (InputStream in = loader == null
                ? ClassLoader.getSystemResourceAsStream(file)
                : loader.getResourceAsStream(file)) {
            return in == null ? null : read(in.readAllBytes());
        } catch (Exception | LinkageError e) {
            return null;
        }
    }

    /** Null: nothing is known. */
    static synchronized ClassFacts find(ClassLoader loader, String name) {
        Map<String, ClassFacts> all = of(loader);
        if (all.containsKey(name))
            return all.get(name);
        for (ClassLoader up = loader; up != null; up = up.getParent()) {
            ClassFacts there = of(up).get(name);
            if (there != null)
                return there;
        }
        ClassFacts facts = load(loader, name);
        all.put(name, facts);
        return facts;
    }

    /** The field that an instruction means; null if that is not known, or not watched. */
    static Field resolve(ClassLoader loader, String owner, String name, String type) {
        String at = owner;
        for (int depth = 0; at != null && depth < 100; depth++) {
            ClassFacts facts = find(loader, at);
            if (facts == null)
                return null;
            Field field = facts.fields.get(name + ' ' + type);
            if (field != null)
                return field.index >= 0 && Settings.isIncluded(facts.name) ? field : null;
            at = facts.superName;
        }
        return null;
    }

    /** The number of the initialiser that who uses the class comes after: its own, or that of the
     * next class above it; 0: none is watched. */
    static int initialiser(ClassLoader loader, String name) {
        String at = name;
        for (int depth = 0; at != null && depth < 100; depth++) {
            ClassFacts facts = find(loader, at);
            if (facts == null || !Settings.isIncluded(facts.name) || Settings.isJdk(facts.name))
                return 0;
            if (facts.hasInitialiser)
                return facts.initialiserNumber();
            at = facts.superName;
        }
        return 0;
    }

    /** The same for who accesses a static field. */
    static int initialiserOf(ClassLoader loader, String owner, String field, String type) {
        String at = owner;
        for (int depth = 0; at != null && depth < 100; depth++) {
            ClassFacts facts = find(loader, at);
            if (facts == null)
                return 0;
            if (facts.fields.containsKey(field + ' ' + type))
                return initialiser(loader, at);
            at = facts.superName;
        }
        return 0;
    }

    boolean isInterface() {
        return (access & Opcodes.ACC_INTERFACE) != 0;
    }

    /** As far as that can be found out without loading classes. */
    boolean isSerializable(ClassLoader loader) {
        return isSerializable(loader, name, 0);
    }

    private static boolean isSerializable(ClassLoader loader, String type, int depth) {
        if ("java/io/Serializable".equals(type) || "java/io/Externalizable".equals(type))
            return true;
        ClassFacts facts = type == null || depth > 50 ? null : find(loader, type);
        if (facts == null)
            return false;
        for (String implemented : facts.interfaces)
            if (isSerializable(loader, implemented, depth + 1))
                return true;
        return isSerializable(loader, facts.superName, depth + 1);
    }

    /** The name of the member that holds the part: another one for each class of a hierarchy. */
    String partName() {
        return "$seriatim$" + name.replace('/', '$');
    }

    private String javaName() {
        return name.replace('/', '.');
    }

    synchronized int row() {
        if (row < 0)
            row = Sites.add("C\t" + javaName() + instanceNames);
        return row;
    }

    private synchronized int initialiserNumber() {
        if (initialiser == 0)
            initialiser = Sync.Initialisers.newNumber();
        return initialiser;
    }

    synchronized int staticNumber() {
        if (staticNumber < 0) {
            staticNumber = Parts.addStatics(
                    Sites.add("T\t" + javaName() + staticNames), staticCount);
            Handles.addStatics(name, staticNumber);
        }
        return staticNumber;
    }
}
