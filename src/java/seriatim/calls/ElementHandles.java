package seriatim.calls;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import seriatim.run.Handles;
import seriatim.run.ThreadState;

@Replaces(value = MethodHandles.class, isStatic = true)
public final class ElementHandles {
    public static VarHandle arrayElementVarHandle(Class<?> type, ThreadState t, int site) {
        VarHandle handle = MethodHandles.arrayElementVarHandle(type);
        Handles.madeForElements(handle);
        return handle;
    }

    private ElementHandles() {}
}
