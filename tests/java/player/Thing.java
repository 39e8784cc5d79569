/** What scripts access: fields of several types, some of them inherited. */
class Thing extends Base {
    long wide;
    Object reference;
    volatile double volatileWide;
    static int staticNumber;
    static long staticWide;
    static volatile int staticVolatile;

    void setReference(Object value) {
        reference = value;
    }

    static long staticWide() {
        return staticWide;
    }

    static void setStaticWide(long value) {
        staticWide = value;
    }

    @Override
    Thing copy() {
        return (Thing) super.copy();
    }
}
