package seriatim.run;

/** The parts of arrays that a thread has used last, by the place in the code that used them, and by
 * their hashes. */
final class ArrayCache {
    static final int SIZE = 64, HASHED = 1024;
    final Object[] keys = new Object[SIZE];
    final long[][] parts = new long[SIZE][];
    final Object[] hashedKeys = new Object[HASHED];
    final long[][] hashedParts = new long[HASHED][];
}
