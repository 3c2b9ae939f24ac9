import java.util.Arrays;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import p17.CpuGraph;
import p17.DType;
import p17.Matrix;

/**
 * P17, reference solution: runs {@code fn} by replaying the smallest captured bucket that fits the
 * batch.
 */
class GraphRunner {
    /** Counters of runs, and the bucket of the last replay. */
    static class Stats {
        int replays;
        int eager;
        Integer lastBucket;
    }

    final int[] buckets;
    final Matrix staticIn;
    final Matrix staticOut;
    final TreeMap<Integer, CpuGraph> graphs = new TreeMap<>();
    final Stats stats = new Stats();
    private final UnaryOperator<Matrix> fn;

    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden) {
        this(fn, buckets, hidden, DType.FLOAT32);
    }

    /**
     * A runner with nothing captured yet.
     *
     * @param fn the computation, [n, hidden] -> [n, hidden], rows in any number
     * @param buckets batch sizes to capture, in any order
     * @param hidden columns of every batch
     * @param dtype element type of both static buffers
     */
    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden, DType dtype) {
        this.fn = fn;
        this.buckets = buckets.clone();
        Arrays.sort(this.buckets);
        int maxBs = this.buckets[buckets.length - 1];
        staticIn = Matrix.zeros(maxBs, hidden, dtype);
        staticOut = Matrix.zeros(maxBs, hidden, dtype);
    }

    /** Capture one graph per bucket, largest first, all over the same two buffers. */
    void capture() {
        for (int i = buckets.length - 1; i >= 0; i--) {
            int b = buckets[i];
            CpuGraph graph = new CpuGraph(fn, staticIn.rowRange(0, b), staticOut.rowRange(0, b));
            graph.capture();
            graphs.put(b, graph);
        }
    }

    Matrix run(Matrix x) {
        return run(x, false);
    }

    /**
     * {@code fn(x)}, by replay where a bucket fits and by an eager call where none does.
     *
     * @param x the batch, [bs, hidden]; it is not changed
     * @param forceEager call {@code fn} directly, as a request with its own generator needs
     * @return [bs, hidden], sharing memory with no static buffer
     */
    Matrix run(Matrix x, boolean forceEager) {
        int bs = x.rows();
        Integer bucket = forceEager ? null : bucketFor(bs);
        if (bucket == null || !graphs.containsKey(bucket)) {
            stats.eager++;
            return fn.apply(x);
        }
        staticIn.rowRange(0, bs).copyFrom(x);
        staticIn.rowRange(bs, bucket).fill(0); // rows that an earlier, larger batch left behind
        graphs.get(bucket).replay();
        stats.replays++;
        stats.lastBucket = bucket;
        return staticOut.rowRange(0, bs).copy(); // the next replay overwrites staticOut
    }

    /** The smallest bucket that holds {@code bs} rows, or null. */
    private Integer bucketFor(int bs) {
        for (int b : buckets) {
            if (b >= bs) {
                return b;
            }
        }
        return null;
    }
}
