import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import seriatim.junit.Seriatim;
import unwatched.Schedule;

/** Tests of an account that two threads use: some of them must fail, as test_java_junit.py says. */
class AccountTest {
    static class Account {
        private int balance;

        synchronized int balance() {
            return balance;
        }

        synchronized void setBalance(int amount) {
            balance = amount;
        }

        /** The bug: another thread may come in between. */
        void deposit(int amount, Runnable between) {
            int before = balance();
            between.run();
            setBalance(before + amount);
        }

        synchronized void depositAtOnce(int amount) {
            setBalance(balance() + amount);
        }
    }

    private final Account account = new Account();

    private static void runBoth(Runnable first, Runnable second) throws InterruptedException {
        Thread other = new Thread(second, "other");
        other.start();
        first.run();
        other.join();
    }

    @Test
    @Seriatim(exclude = "unwatched.*")
    void losesDeposits() throws InterruptedException {
        runBoth(
                () -> account.deposit(1, () -> {
                    Schedule.step(1);
                    Schedule.step(4);
                }),
                () -> {
                    Schedule.step(2);
                    account.setBalance(7);
                    Schedule.step(3);
                });
    }

    @Test
    @Seriatim(exclude = "unwatched.*")
    void keepsDeposits() throws InterruptedException {
        runBoth(() -> account.depositAtOnce(1), () -> account.depositAtOnce(1));
        Assertions.assertEquals(2, account.balance());
    }

    @Test
    @Seriatim(spec = {"ignore function AccountTest$*", "ignore function AccountTest.*"},
            exclude = "unwatched.*")
    void isAllowedToLoseThem() throws InterruptedException {
        losesDeposits();
    }

    @Test
    @Seriatim
    void isWrong() {
        Assertions.assertEquals(1, account.balance(), "as expected");
    }

    @RepeatedTest(1)
    @Seriatim(runs = 2)
    void repeats() {
        System.out.println("repeated");
    }

    /** Without the annotation nothing is watched. */
    @Test
    void isNotWatched() {
        Assertions.assertNull(System.getenv("SERIATIM_STREAM"));
    }
}
