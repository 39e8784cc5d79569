package com.acme;

import org.junit.Test;
import unwatched.Schedule;

/** For Gradle both succeed; seriatim must find what the first one shows, and nothing in the second. */
public class AccountTest {
    private final Account account = new Account();

    private static void runBoth(Runnable first, Runnable second) throws InterruptedException {
        Thread other = new Thread(second, "other");
        other.start();
        first.run();
        other.join();
    }

    @Test
    public void losesDeposits() throws InterruptedException {
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
    public void keepsDeposits() throws InterruptedException {
        runBoth(() -> account.depositAtOnce(1), () -> account.depositAtOnce(1));
    }
}
