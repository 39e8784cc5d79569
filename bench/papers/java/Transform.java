import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Threads that transform documents with Xalan and share one stylesheet: Transform SIZE, for bench/papers/programs.py. */
public class Transform {
    static final String SHEET = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:template match='/'><sum><xsl:for-each select='//item'><xsl:sort select='.'/>"
            + "<xsl:value-of select='.'/></xsl:for-each></sum></xsl:template></xsl:stylesheet>";

    static String document(int thread) {
        StringBuilder text = new StringBuilder("<list>");
        for (int i = 0; i < 10; i++) {
            text.append("<item>").append((i * 7 + thread) % 10).append("</item>");
        }
        return text.append("</list>").toString();
    }

    static void transform(Templates sheet, int thread, int times) {
        try {
            for (int i = 0; i < times; i++) {
                StringWriter result = new StringWriter();
                sheet.newTransformer().transform(new StreamSource(new StringReader(document(thread))),
                        new StreamResult(result));
            }
        } catch (TransformerException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[0]);
        TransformerFactory factory =
                TransformerFactory.newInstance("org.apache.xalan.processor.TransformerFactoryImpl", null);
        Templates sheet = factory.newTemplates(new StreamSource(new StringReader(SHEET)));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            threads.add(new Thread(() -> transform(sheet, number, size)));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("xalan is done");
    }
}
