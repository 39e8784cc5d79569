package seriatim.calls;

/** All classes whose methods replace calls. */
public final class Calls {
    public static final Class<?>[] ALL = {
        Monitors.class, Sleeps.class, Locks.class, Conditions.class, StampedLocks.class,
        Semaphores.class, Latches.class, Barriers.class, Phasers.class, Exchangers.class,
        Parking.class, Interrupts.class, Integers.class, Longs.class, Booleans.class,
        References.class, IntegerArrays.class, LongArrays.class, ReferenceArrays.class,
        HandleMakers.class, ElementHandles.class, Copies.class, MapCalls.class, Queues.class,
        ArrayCalls.class, IntegerUpdaters.class, LongUpdaters.class, ReferenceUpdaters.class,
    };

    private Calls() {}
}
