package seriatim.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The number of this process. ProcessHandle knows it, too, but brings executors along: classes that are
 * loaded while another one is being changed never come to the agent, so those would not be watched.
 */
public final class ProcessId {
    public static int get() {
        try {
            return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/self")).toString());
        } catch (IOException | RuntimeException e) {
            return (int) ProcessHandle.current().pid();
        }
    }

    private ProcessId() {}
}
