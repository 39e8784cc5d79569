/** What things inherit. */
class Base implements Cloneable {
    int number;
    volatile int volatileNumber;

    Base copy() {
        try {
            return (Base) super.clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** What follows happens in a synchronized method. */
    synchronized void hold(int thread) {
        Player.play(thread);
    }
}
