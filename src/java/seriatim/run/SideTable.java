package seriatim.run;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Something for each object, by identity, without keeping it alive: for arrays, and objects of
 * classes that have no room for it. Striped; reading takes no lock.
 */
public final class SideTable<V> {
    private static final int STRIPES = 64;

    private static final class Node<V> extends WeakReference<Object> {
        final int hash;
        final V value;
        volatile Node<V> next;

        Node(Object key, int hash, V value, ReferenceQueue<Object> queue, Node<V> next) {
            super(key, queue);
            this.hash = hash;
            this.value = value;
            this.next = next;
        }
    }

    private static final class Stripe<V> {
        final ReferenceQueue<Object> dead = new ReferenceQueue<>();
        @SuppressWarnings("unchecked")
        volatile Node<V>[] buckets = new Node[16];
        int count;

        V find(Object key, int hash) {
            Node<V>[] all = buckets;
            Memory.UNSAFE.loadFence();
            for (Node<V> node = all[hash & all.length - 1]; node != null; node = node.next)
                if (node.hash == hash && node.get() == key)
                    return node.value;
            return null;
        }

        private void remove(Node<V> gone) {
            int i = gone.hash & buckets.length - 1;
            Node<V> before = null;
            for (Node<V> node = buckets[i]; node != null; before = node, node = node.next) {
                if (node != gone)
                    continue;
                if (before == null)
                    buckets[i] = node.next;
                else
                    before.next = node.next;
                count--;
                return;
            }
        }

        @SuppressWarnings("unchecked")
        private void expunge() {
            Reference<?> gone;
            while ((gone = dead.poll()) != null)
                remove((Node<V>) gone);
        }

        @SuppressWarnings("unchecked")
        private void grow() {
            Node<V>[] all = new Node[2 * buckets.length];
            for (Node<V> first : buckets)
                for (Node<V> node = first; node != null; node = node.next) {
                    Object key = node.get();
                    int i = node.hash & all.length - 1;
                    if (key != null)
                        all[i] = new Node<>(key, node.hash, node.value, dead, all[i]);
                    else
                        count--;
                }
            Memory.UNSAFE.storeFence();
            buckets = all;
        }

        synchronized V add(Object key, int hash, V value) {
            expunge();
            V there = find(key, hash);
            if (there != null)
                return there;
            if (++count > buckets.length)
                grow();
            int i = hash & buckets.length - 1;
            Node<V> node = new Node<>(key, hash, value, dead, buckets[i]);
            Memory.UNSAFE.storeFence();
            buckets[i] = node;
            return value;
        }
    }

    @SuppressWarnings("unchecked")
    private final Stripe<V>[] stripes = new Stripe[STRIPES];

    public SideTable() {
        for (int i = 0; i < STRIPES; i++)
            stripes[i] = new Stripe<>();
    }

    private static int hashOf(Object key) {
        int hash = System.identityHashCode(key) * 0x9E3779B1;
        return hash ^ hash >>> 15;
    }

    public V find(Object key) {
        int hash = hashOf(key);
        return stripes[hash >>> 26].find(key, hash);
    }

    /** What is there already wins, and is returned. */
    public V add(Object key, V value) {
        int hash = hashOf(key);
        return stripes[hash >>> 26].add(key, hash, value);
    }
}
