package host;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import p17.Matrix;

/** Holds a submission and answers requests about it. */
final class Host {
    private static final int RESERVE = 4 << 20;

    private final Values values = new Values();
    private final EventLog log = new EventLog(values);
    private final Bindings bindings = new Bindings(log);
    private final Map<Object, List<Object>> watched = new IdentityHashMap<>();
    private final String version = System.getProperty("java.version");
    private Map<String, Object> interfaces = Map.of();
    private Submission submission;
    private String file = "";
    private Seal seal;

    /** Given back when a submission has taken all the rest. */
    private byte[] reserve = new byte[RESERVE];

    /** The line that answers one. */
    byte[] answer(String line) {
        Map<String, Object> request;
        try {
            request = Json.parse(line);
        } catch (OutOfMemoryError error) {
            reserve = null;
            request = Json.parse(line);
        }
        Seal before = seal;
        String reply;
        try {
            reply = Json.write(reply(request));
        } catch (OutOfMemoryError error) {
            reply = Json.write(Json.object(
                    "id", request.get("id"), "error", fault(error), "events", List.of()));
        }
        String sealed = before == null ? reply : before.of(reply) + " " + reply;
        return (sealed + "\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Whether a frame of a stack is in the student's own file. */
    boolean isOfSubmission(StackTraceElement frame) {
        return file.equals(frame.getFileName());
    }

    private Map<String, Object> reply(Map<String, Object> request) {
        Map<String, Object> reply = Json.object("id", request.get("id"));
        try {
            reply.put("value", values.describe(act(request)));
        } catch (Throwable error) {
            reply.put("error", fault(error));
        }
        if (request.get("op").equals("call")) {
            Object target = values.at(request.get("ref"));
            if (watched.containsKey(target)) {
                reply.put("after", after(target, watched.get(target)));
            }
        }
        try {
            System.out.flush();
            System.err.flush();
        } catch (Throwable itsOwn) {
            // The submission has put a stream of its own there.
        }
        reply.put("events", log.take());
        return reply;
    }

    /** Do what is asked, and give what comes of it. */
    private Object act(Map<String, Object> request) throws Throwable {
        switch ((String) request.get("op")) {
            case "hello":
                return Json.object("protocol", 1, "language", "java", "runtime", version);
            case "seal":
                seal = new Seal((String) request.get("key"));
                return null;
            case "load":
                load(request);
                return null;
            case "forget":
                forget();
                return null;
            case "function":
                Map<String, Object> params = Json.map(request.get("params"));
                params.replaceAll((name, param) -> values.build(param));
                return Functions.make((String) request.get("name"), params, log);
            case "tensor":
                return values.build(request.get("value"));
            case "new":
                Class<?> of = submission.find((String) request.get("class"));
                Object made = invoke(of, null, "__init__", request);
                watched.put(made, Json.list(request.get("watch")));
                return made;
            case "call":
                Object target = values.at(request.get("ref"));
                String method = (String) request.get("method");
                return target instanceof Functions.Given function
                        ? function.apply((Matrix) arguments(request).get(0))
                        : invoke(target.getClass(), target, method, request);
            case "get":
                return Bindings.attribute(
                        values.at(request.get("ref")), (String) request.get("name"));
            case "read":
                return values.at(request.get("ref"));
            case "write":
                Matrix written = (Matrix) values.at(request.get("ref"));
                written.copyFrom((Matrix) values.build(request.get("value")));
                return null;
            case "shares_storage":
                Matrix a = (Matrix) values.at(request.get("a"));
                return a.sharesStorage((Matrix) values.at(request.get("b")));
            default:
                throw new Fault("kind", "protocol", "message", "no such operation");
        }
    }

    private void load(Map<String, Object> request) throws Throwable {
        forget();
        submission = null; // before its memory is needed
        reserve = reserve == null ? new byte[RESERVE] : reserve;
        file = (String) request.get("path");
        submission = new Submission(Base64.getDecoder().decode((String) request.get("source")));
        interfaces = Json.map(request.get("interface"));
        try {
            for (String name : interfaces.keySet()) {
                Class<?> found = submission.find(name);
                for (Map.Entry<String, Object> method : Json.map(interfaces.get(name)).entrySet()) {
                    Submission.expect(found, method.getKey(), parameters(method.getValue()));
                }
            }
        } catch (Fault fault) {
            throw fault;
        } catch (Throwable error) {
            throw Fault.of(error, "import", file);
        }
    }

    private void forget() {
        values.forget();
        watched.clear();
    }

    /** What watched attributes hold; one that cannot be read says why. */
    private Map<String, Object> after(Object target, List<Object> names) {
        Map<String, Object> after = Json.object();
        for (Object name : names) {
            Object held;
            try {
                held = values.describe(Bindings.attribute(target, (String) name));
            } catch (Throwable error) {
                Map<String, Object> why = Json.object("$", "error");
                why.putAll(fault(error));
                held = why;
            }
            after.put((String) name, held);
        }
        return after;
    }

    /** Call a constructor or a method with a request's arguments. */
    private Object invoke(Class<?> of, Object target, String name, Map<String, Object> request)
            throws Throwable {
        List<Object> args = arguments(request);
        int given = args.size();
        Map<String, Object> named = Json.map(request.get("kwargs"));
        Object names = Json.map(interfaces.get(of.getName())).get(name);
        List<Bindings.Parameter> parameters = parameters(names);
        for (Bindings.Parameter parameter : parameters.subList(given, parameters.size())) {
            boolean isNamed = named.containsKey(parameter.name());
            args.add(isNamed ? values.build(named.get(parameter.name())) : parameter.byDefault());
            given = isNamed ? args.size() : given;
        }
        return Submission.call(of, target, name, args, given);
    }

    private List<Object> arguments(Map<String, Object> request) {
        return Json.list(values.build(request.get("args")));
    }

    private List<Bindings.Parameter> parameters(Object names) {
        List<Bindings.Parameter> parameters = new ArrayList<>();
        for (Object name : Json.list(names)) {
            parameters.add(bindings.parameter(((String) name).replace("?", "")));
        }
        return parameters;
    }

    private Map<String, Object> fault(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            reserve = null;
        }
        Fault fault = error instanceof Fault its ? its : Fault.of(error, "exception", file);
        return fault.fields;
    }
}
