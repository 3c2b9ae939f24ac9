package host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import p17.DType;
import p17.Matrix;

/** P17 in Java's spelling: {@code static_in} is {@code staticIn}, and {@code stats} has fields. */
final class Bindings {
    private static final List<String> STATS = List.of("replays", "eager", "last_bucket");

    /** A parameter by both its names, a value that it must take, and its default. */
    record Parameter(String name, String spelled, Object sample, Object byDefault) {}

    private final Map<String, Parameter> parameters = new HashMap<>();

    Bindings(EventLog log) {
        Object fn = Functions.make("reciprocal", Map.of(), log);
        Matrix x = Matrix.zeros(0, 0, DType.FLOAT32);
        parameter("fn", "UnaryOperator<Matrix> fn", fn, null);
        parameter("buckets", "int[] buckets", List.of(1L), null);
        parameter("hidden", "int hidden", 1L, null);
        parameter("dtype", "DType dtype", DType.FLOAT32, DType.FLOAT32);
        parameter("x", "Matrix x", x, null);
        parameter("force_eager", "boolean forceEager", true, false);
    }

    private void parameter(String name, String spelled, Object sample, Object byDefault) {
        parameters.put(name, new Parameter(name, spelled, sample, byDefault));
    }

    Parameter parameter(String name) {
        return parameters.get(name);
    }

    /** An attribute of an object. */
    static Object attribute(Object target, String name) throws Throwable {
        Object value = Submission.attribute(target, camel(name));
        return name.equals("stats") && value != null ? stats(value) : value;
    }

    /** The counters by the protocol's names, whether they are a map or fields of an object. */
    private static Object stats(Object value) throws Throwable {
        Map<String, Object> made = Json.object();
        for (String name : STATS) {
            if (value instanceof Map<?, ?> map) {
                String key = map.containsKey(name) ? name : camel(name);
                if (map.containsKey(key)) {
                    made.put(name, map.get(key));
                }
                continue;
            }
            try {
                made.put(name, Submission.attribute(value, camel(name)));
            } catch (NoSuchFieldException missing) {
                // The checks will say so.
            }
        }
        return made;
    }

    /** {@code last_bucket} -> {@code lastBucket}. */
    private static String camel(String name) {
        int at = name.indexOf('_');
        return at < 0 ? name : name.substring(0, at) + Character.toUpperCase(name.charAt(at + 1))
                + camel(name.substring(at + 2));
    }
}
