import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Threads that move money in a database of H2, each with a connection of its own: Database SIZE, for
 * bench/papers/programs.py. */
public class Database {
    static final String URL = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
    static final int ACCOUNTS = 20;

    static Connection connect() throws SQLException {
        return DriverManager.getConnection(URL);
    }

    static void fill() throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            statement.execute("create table accounts (number int primary key, balance int)");
            for (int i = 0; i < ACCOUNTS; i++) {
                statement.execute("insert into accounts values (" + i + ", 100)");
            }
        }
    }

    static void change(PreparedStatement update, int number, int amount) throws SQLException {
        update.setInt(1, amount);
        update.setInt(2, number);
        update.executeUpdate();
    }

    /** Who takes accounts in ascending order cannot wait in a circle. */
    static void transfer(Connection connection, PreparedStatement update, int from, int to) throws SQLException {
        change(update, Math.min(from, to), from < to ? -1 : 1);
        change(update, Math.max(from, to), from < to ? 1 : -1);
        connection.commit();
    }

    static void work(int thread, int times) {
        try (Connection connection = connect();
                PreparedStatement update =
                        connection.prepareStatement("update accounts set balance = balance + ? where number = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < times; i++) {
                int from = (7 * i + thread) % ACCOUNTS;
                transfer(connection, update, from, (from + 1 + i % (ACCOUNTS - 1)) % ACCOUNTS);
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }

    static int total() throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement();
                ResultSet sum = statement.executeQuery("select sum(balance) from accounts")) {
            sum.next();
            return sum.getInt(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[0]);
        fill();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            threads.add(new Thread(() -> work(number, size)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("h2 has " + total());
    }
}
