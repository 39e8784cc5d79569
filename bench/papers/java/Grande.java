import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Runs a program of the Java Grande Forum with less to do than its smallest size: Grande CLASS THREADS PERCENT. Its methods
 * are called as its own main program does. */
public final class Grande {
    private static void shrink(Object program, Field field, int percent) throws Exception {
        field.setAccessible(true);
        int[] sizes = (int[]) field.get(Modifier.isStatic(field.getModifiers()) ? null : program);
        sizes[0] = Math.max(1, (int) ((long) sizes[0] * percent / 100));
    }

    private static void call(Object program, String method, Object... arguments) throws Exception {
        Class<?>[] types = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {int.class};
        program.getClass().getMethod(method, types).invoke(program, arguments);
    }

    public static void main(String[] arguments) throws Exception {
        Class<?> type = Class.forName(arguments[0]);
        Object program = type.getConstructor(int.class).newInstance(Integer.parseInt(arguments[1]));
        for (Class<?> at = type; at != Object.class; at = at.getSuperclass())
            for (Field field : at.getDeclaredFields())
                if (field.getName().startsWith("datasizes"))
                    shrink(program, field, Integer.parseInt(arguments[2]));
        call(program, "JGFsetsize", 0);
        call(program, "JGFinitialise");
        call(program, type.getInterfaces()[0].getName().endsWith("3") ? "JGFapplication" : "JGFkernel");
    }

    private Grande() {}
}
