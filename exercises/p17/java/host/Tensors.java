package host;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import p17.DType;
import p17.Matrix;

/** Matrices as tensors of the protocol, with the bits that they hold. */
final class Tensors {
    private static final Field MEMORY = Inside.field(Matrix.class, "memory");
    private static final Field OFFSET = Inside.field(Matrix.class, "offset");
    private static final Field ROW_STRIDE = Inside.field(Matrix.class, "rowStride");
    private static final Field COLUMN_STRIDE = Inside.field(Matrix.class, "columnStride");
    private static final Constructor<?> MATRIX = Matrix.class.getDeclaredConstructors()[0];

    static {
        MATRIX.setAccessible(true);
    }

    private Tensors() {}

    static DType dtype(Object name) {
        for (DType dtype : DType.values()) {
            if (dtype.toString().equals(name)) {
                return dtype;
            }
        }
        throw Fault.type("there is no matrix of " + name);
    }

    /** A new matrix, laid out by its strides where it has any. */
    static Matrix decode(Map<String, Object> tensor) {
        DType dtype = dtype(tensor.get("dtype"));
        List<Object> shape = Json.list(tensor.get("shape"));
        if (shape.size() != 2) {
            throw Fault.type("a matrix has two dimensions");
        }
        int rows = Json.integer(shape.get(0));
        int cols = Json.integer(shape.get(1));
        byte[] data = Base64.getDecoder().decode((String) tensor.get("data"));
        Matrix dense = over(data, dtype, rows, cols, cols, 1);
        if (!tensor.containsKey("strides")) {
            return dense;
        }
        List<Object> strides = Json.list(tensor.get("strides"));
        int down = Json.integer(strides.get(0));
        int right = Json.integer(strides.get(1));
        int last = Math.max(0, rows - 1) * down + Math.max(0, cols - 1) * right;
        Matrix laidOut = over(new byte[(last + 1) * size(dtype)], dtype, rows, cols, down, right);
        laidOut.copyFrom(dense);
        return laidOut;
    }

    /** The fields of a tensor as it is now, all but its ref and storage. */
    static Map<String, Object> encode(Matrix matrix) {
        int rowStride = Inside.integer(ROW_STRIDE, matrix);
        int columnStride = Inside.integer(COLUMN_STRIDE, matrix);
        boolean isDense = rowStride == matrix.cols() && columnStride == 1;
        Matrix dense = isDense ? matrix : matrix.copy();
        int begin = Inside.integer(OFFSET, dense) * size(matrix.dtype());
        int length = matrix.rows() * matrix.cols() * size(matrix.dtype());
        byte[] data = Arrays.copyOfRange(memory(dense), begin, begin + length);
        return Json.object("$", "tensor", "dtype", matrix.dtype().toString(),
                "shape", List.of(matrix.rows(), matrix.cols()),
                "strides", List.of(rowStride, columnStride),
                "offset", Inside.integer(OFFSET, matrix),
                "data", Base64.getEncoder().encodeToString(data));
    }

    /** The memory that a matrix lies in, with others perhaps. */
    static byte[] memory(Matrix matrix) {
        return ((ByteBuffer) Inside.get(MEMORY, matrix)).array();
    }

    private static int size(DType dtype) {
        return dtype == DType.FLOAT32 ? Float.BYTES : Double.BYTES;
    }

    private static Matrix over(byte[] data, DType dtype, int rows, int cols, int down, int right) {
        try {
            return (Matrix) MATRIX.newInstance(data, dtype, rows, cols, 0, down, right);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
