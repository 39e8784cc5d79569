package unwatched;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Plays scripts, one after the other. The file has the lines of a script behind one that says
 * `script NAME`; its threads are called NAME.0, NAME.1, ... All of them have ended before the next
 * script begins.
 *
 * <p>Arguments: the file.
 */
public final class Main {
    private static String name;
    private static Method play;

    /** Of the script that is played now. */
    public static Thread newThread(int number) {
        Thread thread = new Thread(() -> run(number), name + "." + number);
        Stage.setThread(number, thread);
        return thread;
    }

    private static void run(int number) {
        try {
            play.invoke(null, number);
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }

    private static void playScript(List<Operation> operations, Method prepare) throws Exception {
        if (operations.isEmpty()) {
            return;
        }
        Stage.renew();
        prepare.invoke(null);
        new Order(operations);
        newThread(0).start();
        Stage.thread(0).join(); // it may start others, and those others still
        Stage.joinAll();
    }

    public static void main(String[] arguments) throws Exception {
        Class<?> player = Class.forName("Player");
        play = player.getDeclaredMethod("play", int.class);
        Method prepare = player.getDeclaredMethod("prepare");
        play.setAccessible(true);
        prepare.setAccessible(true);
        List<Operation> operations = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (line.startsWith("script ")) {
                playScript(operations, prepare);
                operations = new ArrayList<>();
                name = line.substring(7);
            } else {
                operations.add(new Operation(line));
            }
        }
        playScript(operations, prepare);
    }

    private Main() {}
}
