/**
 * A teller moves money between two accounts while an auditor adds them up. Every access is made under
 * the lock of its account, and yet a transfer is not one step: the auditor may look while the money is
 * in neither account.
 */
public class Bank {
    static final int OPENING_BALANCE = 1000;

    static final class Account {
        private long balance = OPENING_BALANCE;

        synchronized void withdraw(long amount) {
            balance -= amount;
        }

        synchronized void deposit(long amount) {
            balance += amount;
        }

        synchronized long balance() {
            return balance;
        }
    }

    private final Account checking = new Account();
    private final Account savings = new Account();
    private int wrong;

    void transfer(Account from, Account to, long amount) {
        from.withdraw(amount);
        to.deposit(amount);
    }

    long audit() {
        return checking.balance() + savings.balance();
    }

    void teller() {
        for (int i = 0; i < 2000; i++) {
            transfer(checking, savings, 10);
            transfer(savings, checking, 10);
        }
    }

    void auditor() {
        for (int i = 0; i < 2000; i++) {
            if (audit() != 2 * OPENING_BALANCE) {
                wrong++;
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Bank bank = new Bank();
        Thread teller = new Thread(bank::teller, "teller");
        Thread auditor = new Thread(bank::auditor, "auditor");
        teller.start();
        auditor.start();
        teller.join();
        auditor.join();
        System.out.println((bank.wrong > 0 ? "some" : "no") + " audits found money missing");
    }
}
