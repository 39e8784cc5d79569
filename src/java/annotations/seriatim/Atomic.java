package seriatim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What this method or constructor does should be one step for all other threads, whatever a
 * specification says. The agent knows the annotation by its simple name, so a program may as well
 * have one of its own.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface Atomic {}
