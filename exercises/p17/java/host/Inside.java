package host;

import java.lang.reflect.Field;

/** Fields that given classes keep to themselves: this module may look at them, and nobody else. */
final class Inside {
    private Inside() {}

    static Field field(Class<?> of, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException renamed) {
            throw new AssertionError(renamed);
        }
    }

    static Object get(Field field, Object target) {
        try {
            return field.get(target);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static int integer(Field field, Object target) {
        return (Integer) get(field, target);
    }

    static void set(Field field, Object target, Object value) {
        try {
            field.set(target, value);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
