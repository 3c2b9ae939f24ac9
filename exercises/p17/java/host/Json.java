package host;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON: maps, lists, strings, longs, booleans and null. Read from text that is well-formed, and
 * written as text that is all ASCII.
 */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Map<String, Object> parse(String text) {
        return map(new Json(text).value());
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    /** A map of names and values in turns. */
    static Map<String, Object> object(Object... pairs) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            made.put((String) pairs[i], pairs[i + 1]);
        }
        return made;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    static int integer(Object value) {
        return Math.toIntExact((Long) value);
    }

    private static void write(StringBuilder out, Object value) {
        if (value instanceof String string) {
            quote(out, string);
        } else if (value instanceof List<?> list) {
            out.append('[');
            String separator = "";
            for (Object item : list) {
                write(out.append(separator), item);
                separator = ",";
            }
            out.append(']');
        } else if (value instanceof Map<?, ?> map) {
            out.append('{');
            String separator = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                write(out.append(separator), entry.getKey());
                write(out.append(':'), entry.getValue());
                separator = ",";
            }
            out.append('}');
        } else {
            out.append(value);
        }
    }

    private static void quote(StringBuilder out, String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
                out.append(c);
            } else { // lone surrogates, too
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(Character.forDigit(c >> shift & 15, 16));
                }
            }
        }
        out.append('"');
    }

    private char next() {
        while (text.charAt(at) <= ' ') {
            at++;
        }
        return text.charAt(at);
    }

    /** Whether an array or object ends here, past what separates its items. */
    private boolean over(char end) {
        at += next() == ',' ? 1 : 0;
        boolean over = next() == end;
        at += over ? 1 : 0;
        return over;
    }

    private Object value() {
        return switch (next()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> made = object(new Object[0]);
        at++;
        while (!over('}')) {
            String key = string();
            next();
            at++; // the colon
            made.put(key, value());
        }
        return made;
    }

    private List<Object> array() {
        List<Object> made = new ArrayList<>();
        at++;
        while (!over(']')) {
            made.add(value());
        }
        return made;
    }

    private Object word(String word, Object meaning) {
        at += word.length();
        return meaning;
    }

    private Long number() {
        int begin = at++;
        while (Character.isDigit(text.charAt(at))) {
            at++;
        }
        return Long.valueOf(text.substring(begin, at));
    }

    private String string() {
        int begin = ++at;
        while (text.charAt(at) != '"' && text.charAt(at) != '\\') {
            at++;
        }
        StringBuilder made = new StringBuilder(text.substring(begin, at));
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            made.append(c == '\\' ? escaped() : c);
        }
        at++;
        return made.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        if (c == 'u') {
            at += 4;
            return (char) Integer.parseInt(text, at - 4, at, 16);
        }
        int known = "bfnrt".indexOf(c);
        return known < 0 ? c : "\b\f\n\r\t".charAt(known);
    }
}
