package seriatim.junit;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;

/** What JUnit asks to run a test with the annotation: the body is run elsewhere, and skipped here. */
public final class WatchedTest implements InvocationInterceptor {
    /** There is a watcher already: then the test runs as it is, and that one reports. */
    private static boolean isWatched() {
        return System.getenv("SERIATIM_STREAM") != null;
    }

    private static Seriatim find(Method method, Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            Seriatim found = AnnotationSupport.findAnnotation(at, Seriatim.class).orElse(null);
            if (at == type)
                found = AnnotationSupport.findAnnotation(method, Seriatim.class).orElse(found);
            if (found != null)
                return found;
        }
        return null;
    }

    private static void run(Invocation<Void> invocation, Method method, ExtensionContext context)
            throws Throwable {
        Seriatim wish = isWatched() ? null : find(method, context.getRequiredTestClass());
        if (wish == null) {
            invocation.proceed();
            return;
        }
        invocation.skip();
        for (int i = 0; i < wish.runs(); i++) {
            String failure = new WatchedJvm(wish, method, context.getUniqueId()).run();
            if (failure != null)
                throw new AssertionFailedError(failure);
        }
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> called, ExtensionContext context) throws Throwable {
        run(invocation, called.getExecutable(), context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> called, ExtensionContext context) throws Throwable {
        run(invocation, called.getExecutable(), context);
    }
}
