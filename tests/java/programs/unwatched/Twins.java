package unwatched;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Runs several of the programs in one JVM, one after the other, each with classes of its own. */
public final class Twins {
    public static void main(String[] names) throws Exception {
        URL[] places = {new File(System.getProperty("java.class.path")).toURI().toURL()};
        for (String name : names) {
            try (URLClassLoader loader =
                    new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
                Class<?> program = loader.loadClass(name);
                program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            }
        }
    }

    private Twins() {}
}
