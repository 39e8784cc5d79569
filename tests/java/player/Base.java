/** What things inherit. */
class Base implements Cloneable {
    int number;
    volatile int volatileNumber;
    private final int none = Integer.parseInt("0");

    // Methods that do nothing but one access, and one that does not even that.

    int number() {
        return number;
    }

    void setNumber(int value) {
        number = value;
    }

    int constant() {
        return none;
    }

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
