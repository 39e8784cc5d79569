package seriatim.build;

import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Part of the build: lists the calls that seriatim.calls replaces, for Replacements.java. To ask the JVM
 * for that when each program starts would load all these classes and much of the JDK, and take longer than
 * all the rest of the start. Most of these programs never need most of the list, and the JVM has compiled
 * nothing yet: so texts have their lengths before them, and nobody has to look for where they end.
 *
 * <pre>
 * for each class in seriatim.calls: its name; are its methods for static ones; only if threads take turns
 *     a number of classes, whose calls they replace: their names
 *     a number of methods: what is called (name and descriptor), and the descriptor of what is instead
 * </pre>
 */
public final class ListReplacements extends ClassVisitor {
    private static final String WANTED = "Lseriatim/calls/Replaces;";
    private static final String TURNS = "seriatim/calls/turns/";
    private final List<String> owners = new ArrayList<>(), methods = new ArrayList<>();
    private String holder;
    private boolean isStatic;

    private ListReplacements() {
        super(Opcodes.ASM9);
    }

    @Override
    public void visit(int version, int access, String name, String signature, String parent,
            String[] interfaces) {
        holder = name;
    }

    @Override
    public AnnotationVisitor visitAnnotation(String type, boolean visible) {
        return type.equals(WANTED) ? new Owners() : null;
    }

    /** The members of the annotation: isStatic, and in an array the classes. */
    private final class Owners extends AnnotationVisitor {
        Owners() {
            super(Opcodes.ASM9);
        }

        @Override
        public AnnotationVisitor visitArray(String name) {
            return this;
        }

        @Override
        public void visit(String name, Object value) {
            if (value instanceof Type)
                owners.add(((Type) value).getInternalName());
            else
                isStatic = (Boolean) value;
        }
    }

    /** The first argument is the object, and the last two are the state of the thread and the site. */
    @Override
    public MethodVisitor visitMethod(
            int access, String name, String type, String signature, String[] exceptions) {
        if ((access & Opcodes.ACC_PUBLIC) == 0 || owners.isEmpty())
            return null;
        Type[] all = Type.getArgumentTypes(type);
        Type[] arguments = java.util.Arrays.copyOfRange(all, isStatic ? 0 : 1, all.length - 2);
        methods.add(name + Type.getMethodDescriptor(Type.getReturnType(type), arguments));
        methods.add(type);
        return null;
    }

    private static void write(DataOutputStream out, List<String> texts) throws IOException {
        for (String text : texts) {
            out.writeShort(text.length());
            out.writeBytes(text);
        }
    }

    private void write(DataOutputStream out) throws IOException {
        write(out, List.of(holder));
        out.writeBoolean(isStatic);
        out.writeBoolean(holder.startsWith(TURNS));
        out.writeShort(owners.size());
        write(out, owners);
        out.writeShort(methods.size() / 2);
        write(out, methods);
    }

    /** The folder of classes, and the file for the list. */
    public static void main(String[] arguments) throws IOException {
        List<Path> classes;
        try (Stream<Path> all = Files.walk(Paths.get(arguments[0], "seriatim", "calls"))) {
            classes = all.filter(Files::isRegularFile).collect(Collectors.toList());
        }
        Collections.sort(classes);
        try (DataOutputStream out = new DataOutputStream(new FileOutputStream(arguments[1]))) {
            for (Path each : classes) {
                ListReplacements one = new ListReplacements();
                new ClassReader(Files.readAllBytes(each)).accept(one, ClassReader.SKIP_CODE);
                if (!one.owners.isEmpty())
                    one.write(out);
            }
        }
    }
}
