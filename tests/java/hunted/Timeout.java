import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/* An answer is waited for, for ten minutes; if it does not come, the request is withdrawn, in another
 * step. The twin looks and withdraws in one. No clock of the world decides. */
public class Timeout {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private boolean wanted = true, answered;

    synchronized boolean isWanted() {
        return wanted;
    }

    /** True: nobody has answered, and nobody will. */
    synchronized boolean withdraw() {
        wanted = false;
        return !answered;
    }

    synchronized void answered() {
        answered = true;
    }

    synchronized void answerIfWanted() {
        if (wanted) {
            answered();
        }
    }

    void answer() {
        if (FIXED) {
            answerIfWanted();
        } else if (isWanted()) {
            answered();
        }
        answers.add("yes");
    }

    public static void main(String[] arguments) throws InterruptedException {
        Timeout request = new Timeout();
        Thread other = new Thread(request::answer, "other");
        other.start();
        String answer = request.answers.poll(10, TimeUnit.MINUTES);
        boolean withdrawn = answer == null && request.withdraw();
        other.join();
        Thread.sleep(3600_000);
        System.out.println(withdrawn && request.answered ? "both" : "one of them");
    }
}
