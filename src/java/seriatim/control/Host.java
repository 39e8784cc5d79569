package seriatim.control;

/** What the scheduler asks of the rest of the agent, about the thread that calls. */
public interface Host {
    /** The thread gives the baton away: what it did comes before what others do next. */
    void before();

    /** It has got the baton. */
    void after();

    /** Finds out which block the thread is in: `block` of the runner, and what goes with it. */
    void enterBlock(Runner me);

    /** From where the open methods were called, the innermost first, as places in the code. */
    void callers(long[] callers);

    /** The place in the code of a row of the site file. */
    long place(int row);

    /** Nothing more will be emitted. */
    void ends();
}
