package seriatim.agent;

import java.lang.instrument.Instrumentation;
import java.lang.module.ModuleFinder;
import java.util.Map;
import java.util.Set;

/** The module of sun.misc.Unsafe, which the agent needs. A JVM that starts a program by the name of a
 * module has only those modules that the program asks for. */
final class Unsupported {
    private static final String MODULE = "jdk.unsupported", LOADS = "jdk.internal.module";

    static void load(Instrumentation instrumentation) throws ReflectiveOperationException {
        if (ModuleLayer.boot().findModule(MODULE).isPresent())
            return;
        if (ModuleFinder.ofSystem().find(MODULE).isEmpty())
            throw new IllegalStateException("this Java runtime was made without the module " + MODULE
                    + ": run the program with a JDK, or add the module to 'jlink --add-modules'");
        instrumentation.redefineModule(Object.class.getModule(), Set.of(),
                Map.of(LOADS, Set.of(Unsupported.class.getModule())), Map.of(), Set.of(), Map.of());
        Class.forName(LOADS + ".Modules").getMethod("loadModule", String.class).invoke(null, MODULE);
    }

    private Unsupported() {}
}
