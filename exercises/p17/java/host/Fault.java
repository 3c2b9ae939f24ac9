package host;

import java.util.Map;

/** What is answered instead of a value: the {@code error} of a reply. */
final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int MAX_TEXT = 2000;

    final transient Map<String, Object> fields;

    /** Fields in turns: names and values. */
    Fault(Object... fields) {
        super(null, null, false, false);
        this.fields = Json.object(fields);
    }

    /** An exception that is the host's own. */
    static Fault type(String message) {
        return new Fault("kind", "exception", "type", "TypeError", "message", message);
    }

    /**
     * What a submission has thrown.
     *
     * @param kind what to call it, where it is no lack of memory
     * @param file the student's own
     */
    static Fault of(Throwable thrown, String kind, String file) {
        Throwable error = thrown;
        if (error.getClass() == ExceptionInInitializerError.class && error.getCause() != null) {
            error = error.getCause();
        }
        String name = error.getClass().getName();
        String type = name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
        String message = text(error);
        Integer line = null;
        StackTraceElement[] frames = frames(error);
        for (int i = 0; i < frames.length && line == null; i++) {
            boolean its = file.equals(frames[i].getFileName());
            line = its ? (Integer) frames[i].getLineNumber() : null;
            if (its && i == 0 && error instanceof UnsupportedOperationException) {
                type = "NotImplementedError"; // thrown by a library it means something else
            }
        }
        boolean memory = error instanceof OutOfMemoryError && !message.contains("native thread");
        return new Fault("kind", memory ? "memory" : kind, "type", type, "message", message,
                "line", line, "code", null);
    }

    private static StackTraceElement[] frames(Throwable error) {
        try {
            return error.getStackTrace().clone();
        } catch (Throwable itsOwn) {
            return new StackTraceElement[0];
        }
    }

    private static String text(Throwable error) {
        try {
            String text = error.getMessage();
            int more = text == null ? 0 : text.length() - MAX_TEXT;
            return text == null ? ""
                    : more <= 0 ? text : text.substring(0, MAX_TEXT) + "… (+" + more + ")";
        } catch (Throwable itsOwn) {
            return "<its text cannot be shown>";
        }
    }
}
