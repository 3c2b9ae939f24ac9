package host;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import p17.DType;
import p17.Matrix;

/** Values as the protocol spells them, and the objects told of, each under a number, its ref. */
final class Values {
    private static final int MAX_DEPTH = 4;
    private static final int MAX_ITEMS = 10_000;

    /** How far apart pieces of memory are said to lie: farther than any is long. */
    private static final long APART = 1L << 32;

    private final List<Object> held = new ArrayList<>();
    private final Map<Object, Integer> refs = new IdentityHashMap<>();
    private final Map<byte[], Long> places = new IdentityHashMap<>();
    private long lastPlace;

    /** Begin anew. No piece of memory gets the place of an earlier one. */
    synchronized void forget() {
        held.clear();
        refs.clear();
        places.clear();
    }

    /** The object that has a number. */
    synchronized Object at(Object ref) {
        return held.get(Json.integer(ref));
    }

    /** The number of an object, which is held from then on. */
    synchronized int ref(Object object) {
        return refs.computeIfAbsent(object, it -> {
            held.add(it);
            return held.size() - 1;
        });
    }

    private synchronized long place(byte[] memory) {
        return places.computeIfAbsent(memory, it -> lastPlace += APART);
    }

    /** A value of the protocol as an object: a long, a list and so on, or what a ref stands for. */
    Object build(Object value) {
        if (value instanceof List<?> list) {
            List<Object> made = new ArrayList<>();
            for (Object item : list) {
                made.add(build(item));
            }
            return made;
        }
        if (!(value instanceof Map)) {
            return value;
        }
        Map<String, Object> fields = Json.map(value);
        return switch ((String) fields.get("$")) {
            case "ref" -> at(fields.get("ref"));
            case "float" -> Double.valueOf(((String) fields.get("value"))
                    .replace("nan", "NaN").replace("inf", "Infinity"));
            case "dtype" -> Tensors.dtype(fields.get("name"));
            case "tensor" -> Tensors.decode(fields);
            default -> throw new Fault("kind", "protocol", "message", "no such value");
        };
    }

    /** An object as a value of the protocol. */
    Object describe(Object value) {
        return describe(value, 0);
    }

    private Object describe(Object value, int depth) {
        if (value == null || value instanceof Boolean || value instanceof String) {
            return value;
        }
        if (value instanceof Double || value instanceof Float) {
            String spelled = value.toString().replace("NaN", "nan").replace("Infinity", "inf");
            return Json.object("$", "float", "value", spelled);
        }
        if (value instanceof Number number) {
            return number.longValue();
        }
        if (value instanceof DType) {
            return Json.object("$", "dtype", "name", value.toString());
        }
        if (value instanceof Matrix matrix) {
            Map<String, Object> told = Tensors.encode(matrix);
            byte[] memory = Tensors.memory(matrix);
            told.put("ref", ref(matrix));
            told.put("storage", List.of(place(memory), memory.length));
            return told;
        }
        if (value instanceof OptionalInt number) {
            return number.isPresent() ? number.getAsInt() : null;
        }
        if (value instanceof Optional<?> maybe) {
            return describe(maybe.orElse(null), depth);
        }
        if (value.getClass().isArray() && isSmall(Array.getLength(value), depth)) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                items.add(describe(Array.get(value, i), depth + 1));
            }
            return items;
        }
        if (value instanceof Collection<?> all && isSmall(all.size(), depth)) {
            return describe(all.toArray(), depth);
        }
        if (value instanceof Map<?, ?> map && isSmall(map.size(), depth)) {
            List<Object> items = new ArrayList<>();
            for (Map.Entry<?, ?> item : map.entrySet()) {
                items.add(describe(new Object[] {item.getKey(), item.getValue()}, depth));
            }
            return Json.object("$", "map", "items", items);
        }
        String type = value.getClass().getSimpleName();
        return Json.object("$", "object", "ref", ref(value), "type", type);
    }

    private static boolean isSmall(int size, int depth) {
        return size <= MAX_ITEMS && depth < MAX_DEPTH;
    }
}
