package p17;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A CUDA graph on the CPU, over one pair of static buffers.
 *
 * <p>A CUDA graph remembers kernels and the addresses they read and write. So this one remembers a
 * function and the memory that it works on: a replay takes no arguments, new input gets in by being
 * written to the memory behind {@code staticIn}, and the output is found in the memory behind
 * {@code staticOut}.
 *
 * <pre>{@code
 * Matrix staticIn = Matrix.zeros(4, 1, DType.FLOAT32);
 * Matrix staticOut = Matrix.zeros(4, 1, DType.FLOAT32);
 * CpuGraph graph = new CpuGraph(fn, staticIn.rowRange(0, 2), staticOut.rowRange(0, 2));
 * graph.capture();
 * staticIn.rowRange(0, 2).fill(5);
 * graph.replay(); // the first two rows of staticOut are now fn(5)
 * }</pre>
 */
public final class CpuGraph {
    /**
     * Is told of what a graph does when it begins, and gives what is to be run when it ends. Null
     * where nobody wants to know; a host puts its own here.
     */
    private static BiFunction<String, CpuGraph, Runnable> observer;

    private final Function<Matrix, Matrix> fn;
    private final Matrix staticIn;
    private final Matrix staticOut;
    private boolean captured;

    /**
     * A graph that has not been captured yet.
     *
     * @param fn the computation, [b, hidden] -> [b, hidden]
     * @param staticIn view of the input buffer, [b, hidden]
     * @param staticOut view of the output buffer, of the same shape and dtype
     */
    public CpuGraph(Function<Matrix, Matrix> fn, Matrix staticIn, Matrix staticOut) {
        this.fn = Objects.requireNonNull(fn, "fn");
        this.staticIn = Objects.requireNonNull(staticIn, "staticIn");
        this.staticOut = Objects.requireNonNull(staticOut, "staticOut");
    }

    /**
     * Record {@code fn} over the static views, by one call of it. {@code staticOut} is written by
     * {@link #replay} alone.
     *
     * @throws IllegalStateException if what {@code fn} returns does not fit {@code staticOut}
     */
    public void capture() {
        captured = false;
        Runnable end = begin("capture");
        try {
            compute();
        } finally {
            end.run();
        }
        captured = true;
    }

    /**
     * Run what was recorded: read {@code staticIn}, write {@code staticOut}.
     *
     * @throws IllegalStateException if nothing has been captured yet
     */
    public void replay() {
        Runnable end = begin("replay");
        try {
            if (!captured) {
                throw new IllegalStateException(
                        "replay() before capture(): there is nothing recorded to replay");
            }
            staticOut.copyFrom(compute());
        } finally {
            end.run();
        }
    }

    /** Whether there is something to replay. */
    public boolean captured() {
        return captured;
    }

    /** What the function gives for the input as it is now. */
    private Matrix compute() {
        Matrix out = fn.apply(staticIn);
        String given = out == null ? "null" : out.form();
        if (!given.equals(staticOut.form())) {
            throw new IllegalStateException(
                    "fn gives " + given + ", but staticOut is " + staticOut.form());
        }
        return out;
    }

    private Runnable begin(String what) {
        return observer == null ? CpuGraph::nothing : observer.apply(what, this);
    }

    private static void nothing() {}
}
