package seriatim.calls;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Which classes' methods the public ones of a class replace, where watched code calls them. The build
 * lists them (src/java/build); those of the package `turns` only count where threads take turns. */
@Retention(RetentionPolicy.CLASS)
public @interface Replaces {
    Class<?>[] value();

    boolean isStatic() default false;
}
