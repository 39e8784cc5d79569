package seriatim.weave;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import seriatim.run.Sites;

/** Changes a class so that it emits what it does. */
final class ClassWeaver extends ClassVisitor {
    final ClassLoader loader;
    final ClassFacts facts;
    final boolean jdk; // a class that is loaded already, to which nothing can be added
    int version;
    private final Map<String, MethodFacts> methods;
    private final Set<String> leaveOut;
    private final String javaName;
    private String source;
    private final Map<String, Integer> places = new HashMap<>();
    final MethodReferences references = new MethodReferences(this);

    ClassWeaver(ClassVisitor out, ClassLoader loader, ClassFacts facts, boolean jdk,
            Map<String, MethodFacts> methods, Set<String> leaveOut) {
        super(Opcodes.ASM9, out);
        this.loader = loader;
        this.facts = facts;
        javaName = facts.name.replace('/', '.');
        this.jdk = jdk;
        this.methods = methods;
        this.leaveOut = leaveOut;
    }

    /** The initialiser that who uses the class comes after; 0: none. */
    int initialiser() {
        return jdk ? 0 : ClassFacts.initialiser(loader, facts.name);
    }

    String javaName() {
        return javaName;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String parent,
            String[] interfaces) {
        this.version = version & 0xffff;
        super.visit(version, access, name, signature, parent, interfaces);
        if (!jdk && facts.instanceCount > 0 && !facts.isInterface())
            super.visitField(
                    Opcodes.ACC_PUBLIC | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC,
                    facts.partName(), "[J", null, null);
    }

    @Override
    public void visitSource(String file, String debug) {
        super.visitSource(file, debug);
        int end = facts.name.lastIndexOf('/');
        source = file == null ? "" : facts.name.substring(0, end + 1) + file;
    }

    /** Lambdas and accessors are shown as what they belong to. */
    static String shownName(String name) {
        if (!name.startsWith("lambda$"))
            return name;
        int end = name.lastIndexOf('$');
        String method = end > 7 ? name.substring(7, end) : "";
        if (method.equals("new"))
            method = "<init>";
        if (method.equals("static"))
            method = "<clinit>";
        return method + "{lambda}";
    }

    private String describe(String kind, String name, String type, int line) {
        return kind + '\t' + javaName() + '\t' + shownName(name) + '\t' + type + '\t'
                + (source == null ? "" : source) + '\t' + line;
    }

    int methodRow(String name, String type, MethodFacts method) {
        return Sites.add(describe("M", name, type, method.firstLine) + '\t' + method.flags());
    }

    int siteRow(String name, String type, int line) {
        return places.computeIfAbsent(describe("S", name, type, line), Sites::add);
    }

    @Override
    public void visitEnd() {
        references.write(cv);
        super.visitEnd();
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String type, String signature, String[] exceptions) {
        MethodFacts method = methods.get(name + type);
        int without = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE;
        boolean woven = method != null && (access & without) == 0
                && !leaveOut.contains(name + type);
        if (woven && SynchronizerWeaver.wants(this, access, name, type))
            return new SynchronizerWeaver(this,
                    super.visitMethod(access, name, type, signature, exceptions), name, type);
        int left = woven && MethodWeaver.entersItself(this, access) ? ~Opcodes.ACC_SYNCHRONIZED : -1;
        MethodVisitor out = super.visitMethod(access & left, name, type, signature, exceptions);
        if (out == null || !woven)
            return out;
        return new MethodWeaver(this, out, access, name, type, method);
    }
}
