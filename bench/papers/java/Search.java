import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.SimpleAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

/** Threads that add documents to one index of Lucene, and threads that search in it: Search SIZE, for
 * bench/papers/programs.py. */
public class Search {
    static final String[] WORDS = {"order", "lock", "thread", "block", "event", "trace", "cycle", "clock"};

    static Document document(int thread, int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            text.append(WORDS[(number * 5 + i * (thread + 1)) % WORDS.length]).append(' ');
        }
        Document document = new Document();
        document.add(new TextField("text", text.toString(), Field.Store.NO));
        return document;
    }

    static void add(IndexWriter writer, int thread, int times) {
        try {
            for (int i = 0; i < times; i++) {
                writer.addDocument(document(thread, i));
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    static int search(IndexSearcher searcher, int thread, int times) {
        int hits = 0;
        try {
            for (int i = 0; i < times; i++) {
                String word = WORDS[(i + thread) % WORDS.length];
                hits += searcher.search(new TermQuery(new Term("text", word)), 5).totalHits;
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
        return hits;
    }

    static void together(Runnable... tasks) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Runnable task : tasks) {
            threads.add(new Thread(task));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[0]);
        RAMDirectory directory = new RAMDirectory();
        IndexWriter writer =
                new IndexWriter(directory, new IndexWriterConfig(Version.LATEST, new SimpleAnalyzer()));
        together(() -> add(writer, 0, size), () -> add(writer, 1, size));
        writer.close();
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            together(() -> search(searcher, 0, size), () -> search(searcher, 1, size));
            System.out.println("lucene has " + reader.numDocs() + " documents");
        }
    }
}
