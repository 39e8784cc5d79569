package seriatim.run;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The site file (docs/java-stream.md): rows that name places, methods and classes. */
public final class Sites {
    static final long BASE = 1L << 46, LENGTH = 1L << 32;
    private static FileOutputStream file;
    private static String path;
    private static int count;
    private static final StringBuilder pending = new StringBuilder();
    private static final Map<String, Integer> classRows = new HashMap<>();

    /**
     * Where threads take turns, places have the same addresses in each run, whichever classes are
     * loaded first: those follow from what the row says.
     */
    private static final Set<Integer> taken = new HashSet<>();

    private static volatile int[] numbers = new int[Turns.ON ? 1024 : 0];

    public static long pc(int row) {
        return BASE + 16L * (Turns.ON ? numbers[row] : row) + 8;
    }

    private static int numberOf(String row, int index) {
        int hash = 0;
        for (int i = 0; i < row.length(); i++)
            hash = hash * 0x01000193 ^ row.charAt(i);
        hash = (hash ^ hash >>> 15) * 0x9E3779B1 >>> 4;
        int number = index == 0 ? 0 : hash == 0 ? 1 : hash;
        while (!taken.add(number))
            number = (number + 1 & (1 << 28) - 1) + (number == (1 << 28) - 1 ? 1 : 0);
        return number;
    }

    private static void number(String row, int index) {
        int[] all = numbers;
        if (index == all.length)
            all = java.util.Arrays.copyOf(all, 2 * all.length);
        all[index] = numberOf(row, index);
        numbers = all;
        pending.append('#').append(all[index]).append('\t');
    }

    static synchronized void open(String where) throws IOException {
        Path target;
        if (where == null) {
            String name = "seriatim-java-" + seriatim.agent.ProcessId.get() + ".sites";
            target = Path.of(System.getProperty("java.io.tmpdir"), name);
            Files.deleteIfExists(target);
            Files.createFile(target, PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rw-------")));
        } else {
            target = Path.of(where);
        }
        file = new FileOutputStream(target.toFile(), true);
        path = target.toAbsolutePath().toString();
        add("S\t?\t?\t\t\t0"); // row 0 stands for what is not known
        flush();
    }

    static String path() {
        return path;
    }

    /** A new row. It is in the file after flush(). */
    public static synchronized int add(String row) {
        if (Turns.ON)
            number(row, count);
        pending.append(row).append('\n');
        return count++;
    }

    public static synchronized void flush() {
        if (pending.length() == 0 || file == null)
            return;
        try {
            file.write(pending.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            Stream.giveUp();
        }
        pending.setLength(0);
    }

    /** The row of a class or array type, made when it is first asked for. */
    static synchronized int named(String kind, String name) {
        String key = kind + '\t' + name;
        Integer row = classRows.get(key);
        if (row == null) {
            row = add(key);
            flush();
            classRows.put(key, row);
        }
        return row;
    }

    private Sites() {}
}
