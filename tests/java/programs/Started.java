/* Starting a thread, and joining it. A method that is meant to be one step waits for another thread in between.
 * Where nobody says that it is meant so, it is two steps. Nothing races: the order is seen. */
// EXPECT violated: Started.work
// SPEC atomic function Started.work
// TWIN -Dfixed=true
// EXPECT-FIXED none
// SPEC-FIXED none
public class Started {
    private int data;

    void work() throws Exception {
        data = 1;
        Thread thread = new Thread(this::other, "other");
        thread.start();
        thread.join();
        data++;
    }

    void other() {
        data++;
    }

    public static void main(String[] arguments) throws Exception {
        Started program = new Started();
        program.work();
        if (program.data != 3) {
            throw new IllegalStateException("data is " + program.data);
        }
        System.out.println("ok");
    }
}
