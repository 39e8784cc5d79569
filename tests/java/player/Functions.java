/** The blocks of scripts: methods of several kinds. */
final class Functions {
    private interface Callable {
        void f2(int thread);

        default void f3(int thread) {
            Player.play(thread);
        }
    }

    /** A constructor is a block, too; it has a field so that there is something to construct. */
    private static final class Made {
        int field;

        Made(int thread) {
            Player.play(thread);
        }
    }

    static void f0(int thread) {
        Player.play(thread);
    }

    void f1(int thread) {
        Player.play(thread);
    }

    static void call(int function, int thread) {
        switch (function) {
            case 0:
                f0(thread);
                break;
            case 1:
                new Functions().f1(thread);
                break;
            case 2:
                Callable lambda = t -> Player.play(t);
                lambda.f2(thread);
                break;
            case 3:
                new Callable() {
                    @Override
                    public void f2(int t) {}
                }.f3(thread);
                break;
            default:
                new Made(thread);
        }
    }

    private Functions() {}
}
