package seriatim.calls;

import seriatim.calls.atomic.Accumulating;
import seriatim.calls.atomic.AccumulatingDoubles;
import seriatim.calls.atomic.AdderValues;
import seriatim.calls.atomic.Adding;
import seriatim.calls.atomic.AddingDoubles;
import seriatim.calls.atomic.Booleans;
import seriatim.calls.atomic.MarkableReferences;
import seriatim.calls.atomic.ReferenceArrays;
import seriatim.calls.atomic.ReferenceUpdaters;
import seriatim.calls.atomic.References;
import seriatim.calls.atomic.StampedReferences;
import seriatim.calls.turns.Clocks;
import seriatim.calls.turns.Joins;
import seriatim.calls.turns.Notifications;
import seriatim.calls.turns.Yields;

/** All classes whose methods replace calls. */
public final class Calls {
    public static final Class<?>[] ALL = {
        Monitors.class, Sleeps.class, Locks.class, Conditions.class, StampedLocks.class,
        Semaphores.class, Latches.class, Barriers.class, Phasers.class, Exchangers.class,
        Parking.class, Interrupts.class, Integers.class, Longs.class, Booleans.class,
        References.class, IntegerArrays.class, LongArrays.class, ReferenceArrays.class,
        HandleMakers.class, ElementHandles.class, Copies.class, MapCalls.class, Queues.class,
        Deques.class, DelayQueues.class, ArrayCalls.class, IntegerUpdaters.class,
        LongUpdaters.class, ReferenceUpdaters.class, StampedReferences.class,
        MarkableReferences.class, Adding.class, AddingDoubles.class, Accumulating.class,
        AccumulatingDoubles.class, AdderValues.class, Collections.class, Completions.class,
        SharedSynchronizers.class, SharedLongSynchronizers.class,
    };

    /** More of them, where threads take turns. */
    public static final Class<?>[] IN_TURNS = {
        Notifications.class, Clocks.class, Joins.class, Yields.class,
    };

    private Calls() {}
}
