package seriatim.calls;

import java.util.Arrays;
import seriatim.run.Hooks;
import seriatim.run.ThreadState;

/** Methods of Arrays that access ranges. */
@Replaces(value = Arrays.class, isStatic = true)
public final class ArrayCalls {
    public static void fill(boolean[] array, boolean value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            boolean[] array, int from, int to, boolean value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static boolean[] copyOf(boolean[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static boolean[] copyOfRange(boolean[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(byte[] array, byte value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            byte[] array, int from, int to, byte value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static byte[] copyOf(byte[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static byte[] copyOfRange(byte[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(char[] array, char value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            char[] array, int from, int to, char value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static char[] copyOf(char[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static char[] copyOfRange(char[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(short[] array, short value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            short[] array, int from, int to, short value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static short[] copyOf(short[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static short[] copyOfRange(short[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(int[] array, int value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            int[] array, int from, int to, int value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static int[] copyOf(int[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static int[] copyOfRange(int[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(long[] array, long value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            long[] array, int from, int to, long value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static long[] copyOf(long[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static long[] copyOfRange(long[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(float[] array, float value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            float[] array, int from, int to, float value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static float[] copyOf(float[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static float[] copyOfRange(float[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(double[] array, double value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            double[] array, int from, int to, double value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static double[] copyOf(double[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static double[] copyOfRange(double[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void fill(Object[] array, Object value, ThreadState t, int site) {
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.fill(array, value);
    }

    public static void fill(
            Object[] array, int from, int to, Object value, ThreadState t, int site) {
        Hooks.writeRange(array, from, to - from, t, site);
        Arrays.fill(array, from, to, value);
    }

    public static Object[] copyOf(Object[] array, int length, ThreadState t, int site) {
        Hooks.readRange(array, 0, length, t, site);
        return Arrays.copyOf(array, length);
    }

    public static Object[] copyOfRange(Object[] array, int from, int to, ThreadState t, int site) {
        Hooks.readRange(array, from, to - from, t, site);
        return Arrays.copyOfRange(array, from, to);
    }

    public static void sort(byte[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(char[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(short[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(int[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(long[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(float[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(double[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    public static void sort(Object[] array, ThreadState t, int site) {
        Hooks.readRange(array, 0, Integer.MAX_VALUE, t, site);
        Hooks.writeRange(array, 0, Integer.MAX_VALUE, t, site);
        Arrays.sort(array);
    }

    private ArrayCalls() {}
}
