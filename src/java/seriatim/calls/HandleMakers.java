package seriatim.calls;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import seriatim.run.Handles;
import seriatim.run.ThreadState;

/** Where handles of fields come from. */
@Replaces(MethodHandles.Lookup.class)
public final class HandleMakers {
    public static VarHandle findVarHandle(MethodHandles.Lookup lookup, Class<?> owner, String name,
            Class<?> type, ThreadState t, int site)
            throws NoSuchFieldException, IllegalAccessException {
        VarHandle handle = lookup.findVarHandle(owner, name, type);
        Handles.made(handle, owner, name, false);
        return handle;
    }

    public static VarHandle findStaticVarHandle(MethodHandles.Lookup lookup, Class<?> owner,
            String name, Class<?> type, ThreadState t, int site)
            throws NoSuchFieldException, IllegalAccessException {
        VarHandle handle = lookup.findStaticVarHandle(owner, name, type);
        Handles.made(handle, owner, name, true);
        return handle;
    }

    private HandleMakers() {}
}
