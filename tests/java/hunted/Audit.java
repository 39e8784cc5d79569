/* A teller moves money between two accounts while an auditor adds them up. Each access is made under
 * the lock of its account. The twin holds one lock over all of it. */
public class Audit {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final Account checking = new Account(), savings = new Account();
    private final Object all = new Object();

    static final class Account {
        private int balance = 100;

        synchronized void add(int amount) {
            balance += amount;
        }

        synchronized int balance() {
            return balance;
        }
    }

    void transfer(int amount) {
        checking.add(-amount);
        savings.add(amount);
    }

    int audit() {
        return checking.balance() + savings.balance();
    }

    void teller() {
        if (FIXED) {
            synchronized (all) {
                transfer(10);
            }
        } else {
            transfer(10);
        }
    }

    int auditor() {
        if (FIXED) {
            synchronized (all) {
                return audit();
            }
        }
        return audit();
    }

    public static void main(String[] arguments) throws InterruptedException {
        Audit bank = new Audit();
        int[] sum = new int[1];
        Thread teller = new Thread(bank::teller, "teller");
        Thread auditor = new Thread(() -> sum[0] = bank.auditor(), "auditor");
        teller.start();
        auditor.start();
        teller.join();
        auditor.join();
        System.out.println(sum[0] == 200 ? "the sum is right" : "money is missing");
        System.exit(sum[0] == 200 ? 0 : 1);
    }
}
