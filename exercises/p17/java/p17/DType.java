package p17;

/** The type of a matrix's elements. */
public enum DType {
    FLOAT32(Float.BYTES),
    FLOAT64(Double.BYTES);

    /** What one element takes. */
    final int bytes;

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** {@code "float32"} or {@code "float64"}. */
    @Override
    public String toString() {
        return this == FLOAT32 ? "float32" : "float64";
    }
}
