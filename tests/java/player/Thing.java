/** What scripts access: fields of several types, some of them inherited. */
class Thing extends Base {
    long wide;
    Object reference;
    volatile double volatileWide;
    static int staticNumber;
    static long staticWide;
    static volatile int staticVolatile;

    @Override
    Thing copy() {
        return (Thing) super.copy();
    }
}
