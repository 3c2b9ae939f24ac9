package host;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** A submission's classes: defined anew, found by name, called with what the protocol brings. */
final class Submission extends ClassLoader {
    private final Map<String, byte[]> code = new HashMap<>();

    /** A submission of which nothing has been executed yet: a zip of class files. */
    Submission(byte[] zip) throws IOException {
        super(Submission.class.getClassLoader());
        ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip));
        for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
            String name = entry.getName().replace('/', '.');
            code.put(name.substring(0, name.length() - ".class".length()), in.readAllBytes());
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = code.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** A class that must be there. Its static initializers are run. */
    Class<?> find(String name) throws ClassNotFoundException {
        if (!code.containsKey(name)) {
            TreeSet<String> found = new TreeSet<>(code.keySet());
            found.removeIf(one -> one.indexOf('$') >= 0);
            throw missing(name, found);
        }
        return Class.forName(name, true, this);
    }

    /**
     * That a class has a constructor or a method as the exercise calls it. Java knows no defaults:
     * one that leaves out what may be left out is welcome, and not asked for.
     *
     * @param name {@code __init__} for the constructor
     */
    static void expect(Class<?> of, String name, List<Bindings.Parameter> parameters) {
        String full = name.equals("__init__") ? of.getName() : of.getName() + "." + name;
        List<Executable> there = all(of, name);
        if (there.isEmpty()) {
            TreeSet<String> found = new TreeSet<>();
            for (Executable one : all(of, null)) {
                found.add(one.getName());
            }
            throw missing(full, found);
        }
        List<Object> samples = new ArrayList<>();
        StringJoiner wanted = new StringJoiner(", ");
        for (Bindings.Parameter parameter : parameters) {
            samples.add(parameter.sample());
            wanted.add(parameter.spelled());
        }
        if (fitting(there, samples) == null) {
            StringJoiner seen = new StringJoiner(", ", "(", ")");
            for (Class<?> type : there.get(0).getParameterTypes()) {
                seen.add(type.getSimpleName());
            }
            throw new Fault("kind", "signature", "name", full, "wanted", wanted.toString(),
                    "seen", seen.toString(), "message", "", "line", null, "code", null);
        }
    }

    /**
     * Call a constructor or a method.
     *
     * @param target null for the constructor
     * @param name {@code __init__} for the constructor
     * @param args as many as are given, and the defaults of all others
     * @param given how many those are
     */
    static Object call(Class<?> of, Object target, String name, List<Object> args, int given)
            throws Throwable {
        List<Executable> there = all(of, name);
        Executable brief = fitting(there, args.subList(0, given));
        Executable callee = brief != null ? brief : fitting(there, args);
        if (callee == null) {
            throw Fault.type(name + " does not take such arguments");
        }
        Class<?>[] types = callee.getParameterTypes();
        Object[] taken = new Object[types.length];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = converted(args.get(i), types[i]);
        }
        callee.setAccessible(true);
        try {
            return callee instanceof Method method
                    ? method.invoke(target, taken)
                    : ((Constructor<?>) callee).newInstance(taken);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /**
     * An attribute of an object: a field of that name, or else what a method of that name gives.
     *
     * @throws NoSuchFieldException if there is neither
     */
    static Object attribute(Object target, String name) throws Throwable {
        Class<?> of = target.getClass();
        for (Class<?> in = of; in.getClassLoader() instanceof Submission; in = in.getSuperclass()) {
            for (Field field : in.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(target);
                }
            }
        }
        String get = "get" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (String method : List.of(name, get)) {
            if (fitting(all(of, method), List.of()) != null) {
                return call(of, target, method, List.of(), 0);
            }
        }
        throw new NoSuchFieldException(of.getSimpleName() + " has no " + name);
    }

    private static Fault missing(String name, TreeSet<String> found) {
        return new Fault("kind", "missing", "name", name, "found", new ArrayList<Object>(found));
    }

    /** All constructors, or methods of a name, or methods of any; inherited ones last. */
    private static List<Executable> all(Class<?> of, String name) {
        if ("__init__".equals(name)) {
            return List.of(of.getDeclaredConstructors());
        }
        List<Executable> found = new ArrayList<>();
        for (Class<?> in = of; in.getClassLoader() instanceof Submission; in = in.getSuperclass()) {
            for (Method method : in.getDeclaredMethods()) {
                if (!method.isSynthetic() && (name == null || name.equals(method.getName()))) {
                    found.add(method);
                }
            }
        }
        return found;
    }

    private static Executable fitting(List<Executable> there, List<Object> args) {
        for (Executable one : there) {
            Class<?>[] types = one.getParameterTypes();
            boolean fits = types.length == args.size();
            for (int i = 0; fits && i < types.length; i++) {
                fits = converted(args.get(i), types[i]) != null;
            }
            if (fits) {
                return one;
            }
        }
        return null;
    }

    /** A value as a parameter of some type takes it; null if it cannot. */
    private static Object converted(Object value, Class<?> type) {
        if (value instanceof List<?> list) {
            return converted(list, type);
        }
        if (value instanceof Long number && (type == int.class || type == Integer.class)) {
            return number.intValue();
        }
        boolean fits = type == long.class && value instanceof Long
                || type == boolean.class && value instanceof Boolean
                || type.isInstance(value);
        return fits ? value : null;
    }

    /** A list of integers as an array of some kind, or as a list of Integer. */
    private static Object converted(List<?> values, Class<?> type) {
        Class<?> of = type.isArray() ? type.getComponentType() : Integer.class;
        Object array = Array.newInstance(of, values.size());
        List<Object> list = new ArrayList<>();
        for (Object value : values) {
            Object item = converted(value, of);
            if (item == null) {
                return null;
            }
            Array.set(array, list.size(), item);
            list.add(item);
        }
        return type.isArray() ? array : type.isInstance(list) ? list : null;
    }
}
