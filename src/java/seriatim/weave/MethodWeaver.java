package seriatim.weave;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.AdviceAdapter;
import seriatim.run.Parts;
import seriatim.run.Settings;
import seriatim.run.Turns;

/**
 * Changes a method: it enters and leaves, and each access and lock operation is emitted. The state of
 * the thread is in a local variable. In constructors all this begins behind the call of the other
 * constructor: before, there is no object. What we add goes to `mv`, past the adapter, which counts
 * what the constructor itself has on its stack.
 */
final class MethodWeaver extends AdviceAdapter {
    static final String HOOKS = "seriatim/run/Hooks", STATE = "seriatim/run/ThreadState";
    static final String STATE_TYPE = "L" + STATE + ";";

    /** Methods with more accesses would take long to compile if more than need be were compiled into
     * them. */
    private static final int MOST_NEAR = 16, MOST_INSIDE = 200;

    private final ClassWeaver weaver;
    private final String name, type;
    private final int access;
    private final MethodFacts facts;
    private final boolean isConstructor, isStatic, isSynchronized, isFrame;
    private final boolean entersItself, isInitialiser;
    private final boolean isSilent, isOneAccess; // emits nothing; one plain access at most
    private final boolean accessesFirst; // a plain field or an element, and it is short
    private boolean entered;
    private int state; // the local variable
    private final ElementKeepers keepers;
    private int line, label = -1; // the number of the last one
    private final Set<Label> interruptions = new HashSet<>(); // where handlers begin
    private boolean isInterruption; // of the next instruction
    private final Label start = new Label(), end = new Label();

    MethodWeaver(ClassWeaver weaver, MethodVisitor out, int access, String name, String type,
            MethodFacts facts) {
        super(Opcodes.ASM9, out, access, name, type);
        this.weaver = weaver;
        this.name = name;
        this.type = type;
        this.access = access;
        this.facts = facts;
        this.line = facts.firstLine;
        keepers = new ElementKeepers(facts);
        isConstructor = name.equals("<init>");
        isStatic = (access & Opcodes.ACC_STATIC) != 0;
        isSynchronized = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
        isFrame = isBlock();
        entersItself = entersItself(weaver, access);
        isInitialiser = name.equals("<clinit>");
        boolean isSmall = facts.isSmall() && !isSynchronized && !isInitialiser && !isConstructor;
        ClassFacts.Field field = isSmall ? onlyField() : null;
        isSilent = isSmall && field == null;
        isOneAccess = isFrame && isSmall && field != null && !field.isVolatile() && !Turns.ON
                && !Settings.onlyOutermost;
        accessesFirst = isFrame && !isOneAccess && !isSynchronized && !isInitialiser
                && !facts.atomic && !Turns.ON && !Settings.onlyOutermost && isShort()
                && firstIsPlain();
    }

    private boolean isShort() {
        return facts.accesses <= MOST_NEAR;
    }

    private boolean firstIsPlain() {
        if (!facts.accessesFirst || facts.firstField == null)
            return facts.accessesFirst && Settings.arrays;
        String[] field = facts.firstField;
        ClassFacts.Field found = ClassFacts.resolve(weaver.loader, field[0], field[1], field[2]);
        return found != null && !found.isVolatile();
    }

    private ClassFacts.Field onlyField() {
        String[] field = facts.field;
        return field == null ? null
                             : ClassFacts.resolve(weaver.loader, field[0], field[1], field[2]);
    }

    /** Where threads take turns, a synchronized method has a point before its monitor: so it enters
     * that itself. */
    static boolean entersItself(ClassWeaver weaver, int access) {
        return Turns.ON && !weaver.jdk && (access & Opcodes.ACC_SYNCHRONIZED) != 0
                && ((access & Opcodes.ACC_STATIC) == 0 || weaver.version >= Opcodes.V1_5);
    }

    /** Bridges and accessors belong to what they call. */
    private boolean isBlock() {
        boolean helper = (access & Opcodes.ACC_BRIDGE) != 0 || name.startsWith("access$");
        return !helper && (Settings.leavesAreBlocks || facts.calls > 0 || facts.atomic);
    }

    private int site() {
        return weaver.siteRow(name, type, line);
    }

    private void call(String hook, String descriptor) {
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, descriptor, false);
    }

    void pushState() {
        mv.visitVarInsn(Opcodes.ALOAD, state);
    }

    void pushStateAndSite() {
        pushState();
        push(site());
    }

    // ---- entering and leaving ----

    @Override
    protected void onMethodEnter() {
        int use = usedInitialiser();
        if (isSilent && use == 0 && !usesOtherClass())
            return;
        state = newLocal(Type.getObjectType(STATE));
        if (isFrame && !isOneAccess) {
            push(weaver.methodRow(name, type, facts));
            call(frameHook("enter"), "(I)" + STATE_TYPE);
        } else {
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, STATE, "get", "()" + STATE_TYPE, false);
        }
        mv.visitVarInsn(Opcodes.ASTORE, state);
        keepers.make(this, mv);
        entered = true;
        if (facts.atomic) {
            pushState();
            push(weaver.javaName() + "." + ClassWeaver.shownName(name));
            call("beginAtomic", "(" + STATE_TYPE + "Ljava/lang/String;)V");
        }
        if (isConstructor && !weaver.jdk && weaver.facts.instanceCount > 0)
            makePart();
        if (entersItself) {
            pushMonitor();
            pushStateAndSite();
            callTurns("entering", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
            pushMonitor();
            mv.visitInsn(Opcodes.MONITORENTER);
        }
        if (isInitialiser)
            beginInitialiser();
        tellUse(use);
        mv.visitLabel(start);
        if (isSynchronized)
            tellMonitor("entered");
    }

    /** Of the class, whose use this method is; 0: none. */
    private int usedInitialiser() {
        boolean isUse = isConstructor || (isStatic && (access & Opcodes.ACC_SYNTHETIC) == 0);
        return isUse && !isInitialiser ? weaver.initialiser() : 0;
    }

    private boolean usesOtherClass() {
        return facts.field != null && !facts.field[0].equals(weaver.facts.name);
    }

    private void callTurns(String hook, String descriptor) {
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, "seriatim/run/Turns", hook, descriptor, false);
    }

    private void countInitialiser(int more) {
        if (!Turns.ON)
            return;
        pushState();
        push(more);
        callTurns("initialising", "(" + STATE_TYPE + "I)V");
    }

    private void beginInitialiser() {
        countInitialiser(1);
        tellUse(ClassFacts.initialiser(weaver.loader, weaver.facts.superName));
        pushState();
        call("beginInitialiser", "(" + STATE_TYPE + ")V");
    }

    private void endInitialiser() {
        countInitialiser(-1);
        boolean hasName = weaver.version >= Opcodes.V1_5;
        pushState();
        push(hasName ? weaver.initialiser() : 0);
        if (hasName)
            push(Type.getObjectType(weaver.facts.name));
        else
            mv.visitInsn(Opcodes.ACONST_NULL);
        push(site());
        call("endInitialiser", "(" + STATE_TYPE + "ILjava/lang/Class;I)V");
    }

    /** 0: there is nothing to come after. */
    private void tellUse(int initialiser) {
        if (initialiser == 0)
            return;
        push(initialiser);
        pushStateAndSite();
        call("used", "(I" + STATE_TYPE + "I)V");
    }

    private void pushMonitor() {
        if (isStatic)
            push(Type.getObjectType(weaver.facts.name));
        else
            loadThis();
    }

    private void makePart() {
        loadThis();
        mv.visitFieldInsn(Opcodes.GETFIELD, weaver.facts.name, weaver.facts.partName(), "[J");
        push(weaver.facts.row());
        push(weaver.facts.instanceCount);
        call("part", "([JII)[J");
        loadThis();
        swap();
        mv.visitFieldInsn(Opcodes.PUTFIELD, weaver.facts.name, weaver.facts.partName(), "[J");
    }

    private void tellMonitor(String hook) {
        if (!isStatic)
            loadThis();
        else if (weaver.version >= Opcodes.V1_5)
            push(Type.getObjectType(weaver.facts.name));
        else
            return;
        pushStateAndSite();
        call(hook, "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
    }

    private String frameHook(String what) {
        return what + (Settings.onlyOutermost ? "Outermost" : accessesFirst ? "Accessing" : "");
    }

    private void leave() {
        if (entersItself) {
            pushMonitor();
            pushStateAndSite();
            callTurns("leaving", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
        }
        if (isSynchronized)
            tellMonitor("exiting");
        if (entersItself) {
            pushMonitor();
            mv.visitInsn(Opcodes.MONITOREXIT);
            pushMonitor();
            pushState();
            callTurns("left", "(Ljava/lang/Object;" + STATE_TYPE + ")V");
        }
        if (isInitialiser)
            endInitialiser();
        if (isFrame && !isOneAccess) {
            pushState();
            call(facts.atomic && !Settings.onlyOutermost ? "leaveAtomic" : frameHook("leave"),
                    "(" + STATE_TYPE + ")V");
        }
    }

    @Override
    protected void onMethodExit(int opcode) {
        if (opcode != Opcodes.ATHROW && entered)
            leave();
    }

    private Object frameType(Type argument) {
        switch (argument.getSort()) {
            case Type.LONG: return Opcodes.LONG;
            case Type.DOUBLE: return Opcodes.DOUBLE;
            case Type.FLOAT: return Opcodes.FLOAT;
            case Type.ARRAY: return argument.getDescriptor();
            case Type.OBJECT: return argument.getInternalName();
            default: return Opcodes.INTEGER;
        }
    }

    /** Whatever is thrown leaves the method, too. */
    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        if (entered && ((isFrame && !isOneAccess) || isSynchronized || isInitialiser)) {
            mv.visitLabel(end);
            mv.visitTryCatchBlock(start, end, end, null);
            if (weaver.version >= Opcodes.V1_6)
                visitHandlerFrame();
            leave();
            mv.visitInsn(Opcodes.ATHROW);
        }
        super.visitMaxs(maxStack, maxLocals);
    }

    private void visitHandlerFrame() {
        Type[] arguments = Type.getArgumentTypes(type);
        Object[] locals = new Object[arguments.length + 2];
        int count = 0;
        if (!isStatic)
            locals[count++] = weaver.facts.name;
        for (Type argument : arguments)
            locals[count++] = frameType(argument);
        locals[count++] = STATE;
        mv.visitFrame(Opcodes.F_NEW, count, locals, 1, new Object[] {"java/lang/Throwable"});
    }

    // ---- handlers of interruptions, and loops that wait ----

    @Override
    public void visitTryCatchBlock(Label from, Label to, Label handler, String caught) {
        if ("java/lang/InterruptedException".equals(caught))
            interruptions.add(handler);
        super.visitTryCatchBlock(from, to, handler, caught);
    }

    @Override
    public void visitLabel(Label at) {
        label++;
        isInterruption |= interruptions.contains(at);
        super.visitLabel(at);
    }

    private void tellInterruption() {
        if (!isInterruption || !entered)
            return;
        isInterruption = false;
        pushStateAndSite();
        call("interrupted", "(" + STATE_TYPE + "I)V");
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        tellInterruption();
        super.visitVarInsn(opcode, variable);
    }

    void tellSpin() {
        if (!facts.isSpinning(label))
            return;
        pushState();
        call("looking", "(" + STATE_TYPE + ")V");
    }

    @Override
    public void visitLineNumber(int number, Label at) {
        line = number;
        super.visitLineNumber(number, at);
    }

    // ---- fields ----

    /** Who has accessed a static field has used its class. */
    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
        accessField(opcode, owner, field, descriptor);
        if (entered && (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC)
                && !owner.equals(weaver.facts.name) && !weaver.jdk)
            tellUse(ClassFacts.initialiserOf(weaver.loader, owner, field, descriptor));
    }

    private void accessField(int opcode, String owner, String field, String descriptor) {
        ClassFacts.Field found =
                entered ? ClassFacts.resolve(weaver.loader, owner, field, descriptor) : null;
        boolean isStaticField = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
        boolean ownInitialiser = found != null && name.equals("<clinit>")
                && isStaticField && found.owner == weaver.facts;
        if (found == null || ownInitialiser) {
            super.visitFieldInsn(opcode, owner, field, descriptor);
            return;
        }
        boolean write = opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC;
        boolean wide = Type.getType(descriptor).getSize() == 2;
        if (found.isVolatile()) {
            volatileAccess(opcode, owner, field, descriptor, found, write, wide);
            return;
        }
        if (isStaticField) {
            push(found.owner.staticNumber());
            emitAccess("Static", "I", found, write);
            super.visitFieldInsn(opcode, owner, field, descriptor);
        } else if (write) {
            underValue(wide, owner, found, () -> emitAccess("", "[J", found, true));
            super.visitFieldInsn(opcode, owner, field, descriptor);
        } else {
            readField(owner, field, descriptor, found, wide);
        }
    }

    /** How much of an access to a field is compiled into the method. */
    private String distance() {
        if (facts.accesses > MOST_INSIDE)
            return "Far";
        return isShort() && facts.calls == 0 ? "Near" : "";
    }

    private void emitAccess(String which, String what, ClassFacts.Field field, boolean write) {
        String hook = (write ? "write" : "read") + which;
        push(Parts.index(field.index));
        pushStateAndSite();
        if (isOneAccess) {
            push(weaver.methodRow(name, type, facts));
            call(hook + "One", "(" + what + "I" + STATE_TYPE + "II)V");
        } else {
            call(which.isEmpty() ? hook + distance() : hook, "(" + what + "I" + STATE_TYPE + "I)V");
        }
    }

    /** The object on the stack becomes its part. */
    private void toPart(String owner, ClassFacts.Field field) {
        if (Settings.isJdk(field.owner.name)) {
            push(field.owner.row());
            push(field.owner.instanceCount);
            call("partOf", "(Ljava/lang/Object;II)[J");
        } else {
            mv.visitFieldInsn(Opcodes.GETFIELD, owner, field.owner.partName(), "[J");
        }
    }

    /** First the field itself: if there is no object, the exception is that of the program. */
    private void readField(String owner, String field, String descriptor, ClassFacts.Field found,
            boolean wide) {
        mv.visitInsn(Opcodes.DUP);
        if (Turns.ON) { // others may write it before it is read
            toPart(owner, found);
            emitAccess("", "[J", found, false);
            super.visitFieldInsn(Opcodes.GETFIELD, owner, field, descriptor);
            return;
        }
        super.visitFieldInsn(Opcodes.GETFIELD, owner, field, descriptor);
        if (wide) {
            mv.visitInsn(Opcodes.DUP2_X1);
            mv.visitInsn(Opcodes.POP2);
        } else {
            mv.visitInsn(Opcodes.SWAP);
        }
        toPart(owner, found);
        emitAccess("", "[J", found, false);
    }

    /** With the object's part on top of the stack; object and value are below it. */
    private void underValue(boolean wide, String owner, ClassFacts.Field found, Runnable emission) {
        if (wide) {
            mv.visitInsn(Opcodes.DUP2_X1);
            mv.visitInsn(Opcodes.POP2);
            mv.visitInsn(Opcodes.DUP);
        } else {
            mv.visitInsn(Opcodes.DUP2);
            mv.visitInsn(Opcodes.POP);
        }
        toPart(owner, found);
        emission.run();
        if (wide) {
            mv.visitInsn(Opcodes.DUP_X2);
            mv.visitInsn(Opcodes.POP);
        }
    }

    private void volatileAccess(int opcode, String owner, String field, String descriptor,
            ClassFacts.Field found, boolean write, boolean wide) {
        Runnable before = () -> {
            push(Parts.index(found.index));
            pushStateAndSite();
            push(write);
            call("beforeVolatile", "([JI" + STATE_TYPE + "IZ)V");
        };
        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
            push(found.owner.staticNumber());
            mv.visitMethodInsn(
                    Opcodes.INVOKESTATIC, "seriatim/run/Parts", "statics", "(I)[J", false);
            before.run();
        } else if (write) {
            underValue(wide, owner, found, before);
        } else {
            mv.visitInsn(Opcodes.DUP);
            toPart(owner, found);
            before.run();
        }
        if (write)
            tellValue(descriptor);
        else
            tellSpin();
        super.visitFieldInsn(opcode, owner, field, descriptor);
        if (!write)
            tellValue(descriptor);
        push(Parts.index(found.index));
        push(write);
        pushStateAndSite();
        call("afterVolatile", "(IZ" + STATE_TYPE + "I)V");
    }

    /** The value is on top of the stack, and stays there. Numbers with a point are not emitted. */
    private void tellValue(String descriptor) {
        char sort = descriptor.charAt(0);
        if (sort == 'F' || sort == 'D') {
            push(0);
            sort = 'I';
        } else {
            mv.visitInsn(sort == 'J' ? Opcodes.DUP2 : Opcodes.DUP);
        }
        String type = sort == 'J' ? "J" : sort == 'L' || sort == '[' ? "Ljava/lang/Object;" : "I";
        pushState();
        call("value", "(" + type + STATE_TYPE + ")V");
    }

    // ---- arrays and monitors ----

    @Override
    public void visitInsn(int opcode) {
        tellInterruption();
        if (!entered) {
            super.visitInsn(opcode);
            return;
        }
        if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD && Settings.arrays) {
            keepers.emit(mv, "readElement", this::pushStateAndSite);
        } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE && Settings.arrays) {
            boolean wide = opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE;
            mv.visitInsn(wide ? Opcodes.DUP2_X2 : Opcodes.DUP_X2);
            mv.visitInsn(wide ? Opcodes.POP2 : Opcodes.POP);
            keepers.emit(mv, "writeElement", this::pushStateAndSite);
            mv.visitInsn(wide ? Opcodes.DUP2_X2 : Opcodes.DUP2_X1);
            mv.visitInsn(Opcodes.POP2);
        } else if (opcode == Opcodes.MONITORENTER) {
            if (Turns.ON)
                tellTop("entering");
            mv.visitInsn(Opcodes.DUP);
            super.visitInsn(opcode);
            pushStateAndSite();
            call("entered", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
            return;
        } else if (opcode == Opcodes.MONITOREXIT) {
            leaveMonitor();
            return;
        }
        super.visitInsn(opcode);
    }

    private void tellTop(String hook) {
        mv.visitInsn(Opcodes.DUP);
        pushStateAndSite();
        callTurns(hook, "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
    }

    private void leaveMonitor() {
        if (Turns.ON) {
            tellTop("leaving");
            mv.visitInsn(Opcodes.DUP);
        }
        mv.visitInsn(Opcodes.DUP);
        pushStateAndSite();
        call("exiting", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
        super.visitInsn(Opcodes.MONITOREXIT);
        if (Turns.ON) {
            pushState();
            callTurns("left", "(Ljava/lang/Object;" + STATE_TYPE + ")V");
        }
    }

    // ---- calls ----

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String method, String descriptor, boolean isInterface) {
        if (!entered) {
            super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
            return;
        }
        Replacements.Call call = Replacements.find(opcode, owner, method, descriptor, weaver.loader);
        boolean guesses = method.equals("tryOptimisticRead") && !facts.validates;
        if (call != null && !guesses) { // what is never validated counts as it is
            tellSpin();
            pushStateAndSite();
            mv.visitMethodInsn(
                    Opcodes.INVOKESTATIC, call.owner, call.name, call.descriptor, false);
            return;
        }
        if (owner.equals("java/lang/invoke/VarHandle") && HandleWeaver.isAccess(method)) {
            new HandleWeaver(this, mv).handleAccess(opcode, owner, method, descriptor);
            return;
        }
        if (owner.equals("java/lang/reflect/Field") && HandleWeaver.isReflection(method, descriptor)) {
            new HandleWeaver(this, mv).reflectiveAccess(opcode, owner, method, descriptor);
            return;
        }
        if (method.equals("newUpdater") && owner.endsWith("FieldUpdater")) {
            new HandleWeaver(this, mv).makeUpdater(opcode, owner, method, descriptor);
            return;
        }
        if (!isConstructor && SynchronizerWeaver.isNumber(weaver, opcode, owner, method, descriptor)) {
            SynchronizerWeaver.access(this, mv, opcode, owner, method, descriptor);
            return;
        }
        if (isList(owner))
            tellSpin();
        if (Turns.ON && opcode != Opcodes.INVOKESTATIC && mayEnterMonitor(owner, method))
            tellPassing(Type.getArgumentTypes(descriptor));
        boolean clones = method.equals("clone") && descriptor.equals("()Ljava/lang/Object;")
                && opcode != Opcodes.INVOKESTATIC;
        if (clones) // which leaves the original below the copy
            mv.visitInsn(Opcodes.DUP);
        if (clones && owner.startsWith("[")) {
            mv.visitInsn(Opcodes.DUP);
            pushStateAndSite();
            call("cloning", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
        }
        if (!owner.startsWith("java/lang/") || owner.equals("java/lang/Thread")) {
            pushStateAndSite();
            mv.visitFieldInsn(Opcodes.PUTFIELD, STATE, "site", "I");
        }
        super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
        if (clones) {
            mv.visitInsn(Opcodes.DUP_X1);
            pushStateAndSite();
            call("cloned", "(Ljava/lang/Object;Ljava/lang/Object;" + STATE_TYPE + "I)V");
        }
    }

    /** Of a class of the JDK whose methods may be synchronized (JdkMonitors). */
    private static boolean mayEnterMonitor(String owner, String method) {
        return (owner.startsWith("java/util/") && owner.indexOf('/', 10) < 0 && !method.equals("<init>"))
                || owner.equals("java/lang/StringBuffer");
    }

    private void tellPassing(Type[] arguments) {
        int[] places = putAway(arguments);
        mv.visitInsn(Opcodes.DUP);
        pushStateAndSite();
        callTurns("passing", "(Ljava/lang/Object;" + STATE_TYPE + "I)V");
        fetch(arguments, places);
    }

    /** Perhaps one that emits what it does itself (CopiedLists). */
    private static boolean isList(String owner) {
        return owner.startsWith("java/util/concurrent/CopyOnWrite") || owner.equals("java/util/List")
                || owner.equals("java/util/Collection") || owner.equals("java/util/Set");
    }

    /** `lock::unlock` is a handle of a method of the JDK: it becomes one of a method that we add. */
    @Override
    public void visitInvokeDynamicInsn(
            String method, String descriptor, Handle bootstrap, Object... arguments) {
        Object[] changed = arguments.clone();
        boolean lambda = bootstrap.getOwner().equals("java/lang/invoke/LambdaMetafactory");
        for (int i = 0; lambda && i < changed.length; i++)
            if (changed[i] instanceof Handle)
                changed[i] = weaver.references.replace((Handle) changed[i], name, type, line);
        super.visitInvokeDynamicInsn(method, descriptor, bootstrap, changed);
    }

    // ---- arguments ----

    /** The arguments of a call go into local variables for a moment. Those are behind all that the
     * method has, or will have soon. */
    int[] putAway(Type[] arguments) {
        final int gap = 32;
        int[] places = new int[arguments.length];
        int at = nextLocal + gap;
        for (int i = 0; i < arguments.length; at += arguments[i++].getSize())
            places[i] = at;
        for (int i = arguments.length; i-- > 0; )
            mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ISTORE), places[i]);
        return places;
    }

    void fetch(Type[] arguments, int[] places) {
        for (int i = 0; i < arguments.length; i++)
            mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ILOAD), places[i]);
    }
}
