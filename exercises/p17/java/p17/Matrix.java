package p17;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A matrix of float32 or float64, or a view of some rows of one.
 *
 * <p>As with a tensor of torch's, what is assigned, passed on or returned is the matrix itself; a
 * view shares its memory, and only {@link #copy} makes new memory with the same elements.
 *
 * <pre>{@code
 * Matrix buffer = Matrix.zeros(4, 2, DType.FLOAT32);
 * Matrix first = buffer.rowRange(0, 2); // the first two rows, in the same memory
 * first.fill(5);
 * buffer.get(1, 0); // 5.0
 * buffer.get(2, 0); // 0.0
 * }</pre>
 */
public final class Matrix {
    private final ByteBuffer memory;
    private final DType dtype;
    private final int rows;
    private final int cols;
    private final int offset; // this and the strides in elements, not in bytes
    private final int rowStride;
    private final int columnStride;

    private Matrix(byte[] memory, DType dtype, int rows, int cols,
            int offset, int rowStride, int columnStride) {
        this.memory = ByteBuffer.wrap(memory).order(ByteOrder.LITTLE_ENDIAN);
        this.dtype = dtype;
        this.rows = rows;
        this.cols = cols;
        this.offset = offset;
        this.rowStride = rowStride;
        this.columnStride = columnStride;
    }

    /**
     * A new matrix, all zero, row after row in memory of its own.
     *
     * @throws IllegalArgumentException if there cannot be so many rows or columns
     */
    public static Matrix zeros(int rows, int cols, DType dtype) {
        long bytes = (long) rows * cols * dtype.bytes;
        if (rows < 0 || cols < 0 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("no matrix is [" + rows + ", " + cols + "]");
        }
        return new Matrix(new byte[(int) bytes], dtype, rows, cols, 0, cols, 1);
    }

    public int rows() {
        return rows;
    }

    public int cols() {
        return cols;
    }

    public DType dtype() {
        return dtype;
    }

    public double get(int row, int col) {
        int at = at(row, col);
        return dtype == DType.FLOAT32 ? memory.getFloat(at) : memory.getDouble(at);
    }

    /** Write one element, rounded to the dtype. */
    public void set(int row, int col, double value) {
        int at = at(row, col);
        if (dtype == DType.FLOAT32) {
            memory.putFloat(at, (float) value);
        } else {
            memory.putDouble(at, value);
        }
    }

    /**
     * A view of the rows from {@code begin} to before {@code end}, in the same memory.
     *
     * @throws IndexOutOfBoundsException if there are no such rows
     */
    public Matrix rowRange(int begin, int end) {
        Objects.checkFromToIndex(begin, end, rows);
        int first = offset + begin * rowStride;
        return new Matrix(memory.array(), dtype, end - begin, cols, first, rowStride, columnStride);
    }

    /** A new matrix with the same elements, in memory of its own. */
    public Matrix copy() {
        Matrix made = zeros(rows, cols, dtype);
        made.copyFrom(this);
        return made;
    }

    /**
     * Overwrite every element with that of another matrix, which may lie in the same memory.
     *
     * @throws IllegalArgumentException if the other one is of another shape or dtype
     */
    public void copyFrom(Matrix other) {
        if (!other.form().equals(form())) {
            throw new IllegalArgumentException("copyFrom: " + other.form() + " into " + form());
        }
        Matrix from = sharesStorage(other) && other != this ? other.copy() : other;
        for (int row = 0; row < rows; row++) {
            for (int col = 0; col < cols; col++) {
                // Bits and not numbers, for a NaN may have some to spare.
                if (dtype == DType.FLOAT32) {
                    memory.putInt(at(row, col), from.memory.getInt(from.at(row, col)));
                } else {
                    memory.putLong(at(row, col), from.memory.getLong(from.at(row, col)));
                }
            }
        }
    }

    /** Overwrite every element with one value. */
    public void fill(double value) {
        for (int row = 0; row < rows; row++) {
            for (int col = 0; col < cols; col++) {
                set(row, col, value);
            }
        }
    }

    /** Whether two matrices lie in the same memory, so that one may change with the other. */
    public boolean sharesStorage(Matrix other) {
        return memory.array() == other.memory.array();
    }

    /** Dtype, shape and elements. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(form());
        for (int row = 0; row < rows; row++) {
            text.append(row == 0 ? " [[" : ", [");
            for (int col = 0; col < cols; col++) {
                text.append(col == 0 ? "" : ", ").append(get(row, col));
            }
            text.append(row == rows - 1 ? "]]" : "]");
        }
        return text.toString();
    }

    /** Dtype and shape, in words. */
    String form() {
        return dtype + "[" + rows + ", " + cols + "]";
    }

    /** Where an element begins in memory, in bytes. */
    private int at(int row, int col) {
        Objects.checkIndex(row, rows);
        Objects.checkIndex(col, cols);
        return (offset + row * rowStride + col * columnStride) * dtype.bytes;
    }
}
