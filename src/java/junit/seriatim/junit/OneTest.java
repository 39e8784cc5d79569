package seriatim.junit;

import java.io.PrintWriter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the test with the unique id that is its argument. Status 1: it failed; 3: there is none. */
public final class OneTest {
    public static void main(String[] arguments) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectUniqueId(arguments[0]))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.err, true));
        if (summary.getTotalFailureCount() > 0)
            System.exit(1);
        if (summary.getTestsFoundCount() == 0) {
            System.err.println("there is no test " + arguments[0]);
            System.exit(3);
        }
        System.exit(0);
    }

    private OneTest() {}
}
