package seriatim.calls;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Which classes' methods those of a class replace, where watched code calls them. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Replaces {
    Class<?>[] value();

    boolean isStatic() default false;
}
