package unwatched;

/** A line of a script: a word and up to five numbers. */
public final class Operation {
    final int thread;
    private final String word;
    private final int[] numbers;

    Operation(String line) {
        String[] words = line.split(" ");
        thread = Integer.parseInt(words[0]);
        word = words[1];
        numbers = new int[words.length - 2];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(words[i + 2]);
        }
    }

    public String word() {
        return word;
    }

    public int number(int i) {
        return numbers[i];
    }

    @Override
    public String toString() {
        return thread + " " + word + " " + java.util.Arrays.toString(numbers);
    }
}
