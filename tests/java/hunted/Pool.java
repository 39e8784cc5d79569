import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/* Two tasks of a pool count words in a map: each looks, and then puts what is one more. The twin lets
 * the map do it in one step. */
public class Pool {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();
    private final CountDownLatch all = new CountDownLatch(2);

    void count(String word) {
        if (FIXED) {
            counts.merge(word, 1, Integer::sum);
            return;
        }
        Integer before = counts.get(word);
        counts.put(word, before == null ? 1 : before + 1);
    }

    int task() {
        count("word");
        all.countDown();
        return 1;
    }

    public static void main(String[] arguments) throws Exception {
        Pool pool = new Pool();
        ExecutorService workers = Executors.newFixedThreadPool(2);
        Future<Integer> one = workers.submit(pool::task), other = workers.submit(pool::task);
        pool.all.await(1, TimeUnit.HOURS);
        int sum = one.get() + other.get();
        workers.shutdown();
        workers.awaitTermination(1, TimeUnit.HOURS);
        System.out.println(pool.counts.get("word") + " words, " + sum);
    }
}
