package seriatim.control;

/** Waiting that neither interrupts nor permits of the program end: a few lines of C. */
final class Futex {
    /** Waits while the word at this address is 0; it may return earlier. */
    static native void await(long word);

    static native void wake(long word);

    /** For less than a second. */
    static native void nap(long nanoseconds);

    /** The kernel's id of this thread. */
    static native int threadId();

    private Futex() {}
}
