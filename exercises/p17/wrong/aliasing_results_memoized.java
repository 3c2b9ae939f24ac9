// fails: clone
// The matrix that results are copied into is kept by batch size, to spare the garbage collector.

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import p17.CpuGraph;
import p17.DType;
import p17.Matrix;

class GraphRunner {
    static class Stats {
        int replays;
        int eager;
        Integer lastBucket;
    }

    final int[] buckets;
    Matrix staticIn;
    Matrix staticOut;
    final Map<Integer, CpuGraph> graphs = new HashMap<>();
    final Stats stats = new Stats();
    private final Map<Integer, Matrix> results = new HashMap<>();
    private final UnaryOperator<Matrix> fn;

    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden, DType dtype) {
        this.fn = fn;
        this.buckets = buckets.clone();
        Arrays.sort(this.buckets);
        int maxBs = this.buckets[buckets.length - 1];
        staticIn = Matrix.zeros(maxBs, hidden, dtype);
        staticOut = Matrix.zeros(maxBs, hidden, dtype);
    }

    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden) {
        this(fn, buckets, hidden, DType.FLOAT32);
    }

    void capture() {
        for (int i = buckets.length - 1; i >= 0; i--) {
            int b = buckets[i];
            CpuGraph graph = new CpuGraph(fn, staticIn.rowRange(0, b), staticOut.rowRange(0, b));
            graph.capture();
            graphs.put(b, graph);
        }
    }

    Matrix run(Matrix x, boolean forceEager) {
        int bs = x.rows();
        Integer bucket = null;
        for (int b : buckets) {
            if (b >= bs) {
                bucket = b;
                break;
            }
        }
        if (forceEager || bucket == null || !graphs.containsKey(bucket)) {
            stats.eager++;
            return fn.apply(x);
        }
        staticIn.rowRange(0, bs).copyFrom(x);
        staticIn.rowRange(bs, bucket).fill(0);
        graphs.get(bucket).replay();
        stats.replays++;
        stats.lastBucket = bucket;
        Matrix rows = staticOut.rowRange(0, bs);
        Matrix result = results.computeIfAbsent(bs, n -> rows.copy());
        result.copyFrom(rows);
        return result;
    }

    Matrix run(Matrix x) {
        return run(x, false);
    }
}
