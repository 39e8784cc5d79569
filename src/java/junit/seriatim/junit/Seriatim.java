package seriatim.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * This test, or each test of this class, is run in a JVM of its own by `seriatim run`, and fails with
 * the report if a method was not atomic. The test method itself need not be.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@ExtendWith(WatchedTest.class)
public @interface Seriatim {
    /** Classes to watch, such as "com.acme.*"; without any: all but those of the JDK and of tools. */
    String[] include() default {};

    /** Classes not to watch. */
    String[] exclude() default {};

    /** Classes of the JDK to watch, too. */
    String[] jdk() default {};

    /** Lines of a specification, such as "ignore function com.acme.Log.*". */
    String[] spec() default {};

    /** More options for `seriatim run`. */
    String[] options() default {};

    /** The test is run so often, or until it fails. */
    int runs() default 1;
}
