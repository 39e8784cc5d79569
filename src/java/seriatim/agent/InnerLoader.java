package seriatim.agent;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** Loads what lies below inner/ in the agent's jar: so the agent's ASM is not that of the program. */
final class InnerLoader extends ClassLoader {
    private final JarFile jar;

    InnerLoader(File jar) throws IOException {
        super(null);
        this.jar = new JarFile(jar);
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        ZipEntry entry = jar.getEntry("inner/" + name);
        try {
            return entry == null ? null : jar.getInputStream(entry);
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        ZipEntry entry = jar.getEntry("inner/" + name.replace('.', '/') + ".class");
        if (entry == null)
            throw new ClassNotFoundException(name);
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
