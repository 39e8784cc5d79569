package seriatim.weave;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.commons.SerialVersionUIDAdder;
import seriatim.run.Attachment;
import seriatim.run.Hooks;
import seriatim.run.Settings;
import seriatim.run.Sites;

/** Changes the classes that are to be watched when they are loaded, and a few of the JDK. */
public final class Transformer implements ClassFileTransformer {
    private final Map<ClassLoader, Boolean> reachable = new WeakHashMap<>();
    private final Set<String> complained = new HashSet<>();

    public static void install(Instrumentation instrumentation) {
        Transformer transformer = new Transformer();
        JdkWeaver.prepare();
        Replacements.find(0, "", "", "", null);
        instrumentation.addTransformer(transformer, true);
        List<Class<?>> loaded = new ArrayList<>();
        for (Class<?> type : instrumentation.getAllLoadedClasses())
            if (JdkWeaver.wantsLoaded(type.getName()) && instrumentation.isModifiableClass(type))
                loaded.add(type);
        transformer.retransform(instrumentation, loaded);
        transformer.loadJdk(instrumentation);
    }

    /** All at once, since the JVM stops for each time; one by one where one of them cannot be changed. */
    private void retransform(Instrumentation instrumentation, List<Class<?>> classes) {
        try {
            instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
            return;
        } catch (Throwable e) {
            complain("some class of the JDK", e);
        }
        for (Class<?> type : classes)
            try {
                instrumentation.retransformClasses(type);
            } catch (Throwable e) {
                complain(type.getName(), e);
            }
    }

    /** The classes of the JDK that the user named are watched whenever this JVM is. */
    private void loadJdk(Instrumentation instrumentation) {
        if (Settings.jdkClasses().isEmpty())
            return;
        List<Class<?>> wanted = new ArrayList<>();
        for (String name : Settings.jdkClasses())
            try {
                Class.forName(name, false, null);
            } catch (ClassNotFoundException | LinkageError e) {
                Settings.complain("there is no class " + name + " in this JDK");
            }
        for (Class<?> type : instrumentation.getAllLoadedClasses())
            if (Settings.isJdk(type.getName().replace('.', '/')))
                wanted.add(type);
        if (wanted.isEmpty() || !Attachment.attach())
            return;
        Attachment.loadNeeded();
        retransform(instrumentation, wanted);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
            ProtectionDomain domain, byte[] bytes) {
        if (name == null)
            return null;
        boolean before = Hooks.pause();
        try {
            return change(loader, name, bytes);
        } catch (Throwable e) {
            complain(name, e);
            return null;
        } finally {
            Hooks.resume(before);
        }
    }

    private byte[] change(ClassLoader loader, String name, byte[] bytes) {
        if (JdkWeaver.wants(name))
            return JdkWeaver.change(bytes);
        boolean jdk = Settings.isJdk(name);
        if (!Settings.isIncluded(name) || !canReach(loader)
                || !Attachment.attach())
            return null;
        byte[] changed;
        try {
            changed = weave(loader, jdk, false, bytes);
        } catch (RuntimeException | LinkageError e) {
            complain(name, e);
            changed = jdk ? null : weave(loader, false, true, bytes);
        }
        Sites.flush();
        return changed;
    }

    /** Loaders that find no classes but their own cannot run what we put into theirs. */
    private synchronized boolean canReach(ClassLoader loader) {
        if (loader == null)
            return true;
        return reachable.computeIfAbsent(loader, l -> {
            try {
                return Class.forName("seriatim.run.Hooks", false, l) == Hooks.class;
            } catch (Throwable e) {
                complain("the classes of " + l.getClass().getName(), e);
                return false;
            }
        });
    }

    /** `bare`: only with the members that other classes rely on. */
    private byte[] weave(ClassLoader loader, boolean jdk, boolean bare, byte[] bytes) {
        ClassFacts facts = ClassFacts.add(loader, bytes);
        ClassReader reader = new ClassReader(bytes);
        MethodFacts.Reader methods = new MethodFacts.Reader();
        if (!bare)
            reader.accept(methods, ClassReader.EXPAND_FRAMES);
        Set<String> leaveOut = new HashSet<>();
        for (;;) {
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            try {
                ClassVisitor weaver = new ClassWeaver(
                        writer, loader, facts, jdk, methods.methods, leaveOut);
                // What Java would compute from the members must not change with those we add.
                if (!jdk && facts.instanceCount > 0 && facts.isSerializable(loader))
                    weaver = new SerialVersionUIDAdder(weaver);
                reader.accept(weaver, ClassReader.EXPAND_FRAMES);
                return writer.toByteArray();
            } catch (MethodTooLargeException e) {
                Settings.complain(e.getClassName().replace('/', '.') + '.' + e.getMethodName()
                        + " would get larger than the 64 KB that Java allows; it is not watched");
                if (!leaveOut.add(e.getMethodName() + e.getDescriptor()))
                    throw e;
            }
        }
    }

    private synchronized void complain(String what, Throwable why) {
        if (complained.add(what))
            Settings.complain(what.replace('/', '.') + " is not watched: " + why);
        if (Settings.verbose)
            why.printStackTrace();
    }
}
