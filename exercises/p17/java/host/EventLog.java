package host;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import p17.CpuGraph;
import p17.Matrix;

/** What graphs and functions were seen to do, until the next reply carries it away. */
final class EventLog implements BiFunction<String, CpuGraph, Runnable> {
    private static final int MAX_EVENTS = 10_000;
    private static final Field STATIC_IN = Inside.field(CpuGraph.class, "staticIn");
    private static final Field STATIC_OUT = Inside.field(CpuGraph.class, "staticOut");

    private final Values values;
    private final List<Object> open = new ArrayList<>();
    private List<Object> events = new ArrayList<>();
    private int dropped;

    /** The log of all graphs that there will be. */
    EventLog(Values values) {
        this.values = values;
        Inside.set(Inside.field(CpuGraph.class, "observer"), null, this);
    }

    /** A function that the exercise gives is called. */
    synchronized void called(Object function, Matrix input) {
        add("function", "function", function, "input", input);
    }

    /** A graph begins to do something; what is given is to be run when it ends. */
    @Override
    public synchronized Runnable apply(String event, CpuGraph graph) {
        Object in = Inside.get(STATIC_IN, graph);
        Object out = Inside.get(STATIC_OUT, graph);
        Map<String, Object> entry = event.equals("capture")
                ? add(event, "graph", graph, "input", in, "output", out)
                : add(event, "graph", graph, "input", in);
        int depth = open.size();
        open.add(event);
        return () -> end(entry, out, depth);
    }

    private synchronized void end(Map<String, Object> entry, Object out, int depth) {
        // Fewer are open where another thread has answered meanwhile.
        open.subList(Math.min(depth, open.size()), open.size()).clear();
        if (!entry.containsKey("output")) {
            entry.put("output", values.describe(out));
        }
    }

    /** The events since the last call of this method. */
    synchronized List<Object> take() {
        List<Object> taken = events;
        if (dropped > 0) {
            taken.add(Json.object("event", "dropped", "within", null, "count", dropped));
        }
        events = new ArrayList<>();
        open.clear();
        dropped = 0;
        return taken;
    }

    private Map<String, Object> add(String event, Object... fields) {
        if (events.size() == MAX_EVENTS) {
            dropped++;
            throw new IllegalStateException(
                    "more than " + MAX_EVENTS + " calls of what is given, in one call");
        }
        Object within = open.isEmpty() ? null : open.get(open.size() - 1);
        Map<String, Object> entry = Json.object("event", event, "within", within);
        for (int i = 0; i < fields.length; i += 2) {
            entry.put((String) fields[i], values.describe(fields[i + 1]));
        }
        events.add(entry);
        return entry;
    }
}
