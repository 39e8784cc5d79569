package com.acme;

public class Account {
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
