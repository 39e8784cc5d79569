package jdk.internal.vm.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The JVM's compilers always put the method into its callers. The JDK has this annotation for its own
 * classes, and the JVM heeds it on all of the boot class path, where the agent is. This stands for it
 * when the agent is compiled for older Java, and does not become part of the jar.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ForceInline {}
