// fails: no_recapture
// Every graph is captured twice, the first time to warm up.

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import p17.CpuGraph;
import p17.DType;
import p17.Matrix;

class GraphRunner {
    public final List<Integer> buckets;
    public final Matrix staticIn;
    public final Matrix staticOut;
    public final TreeMap<Integer, CpuGraph> graphs = new TreeMap<>();
    public final Stats stats = new Stats();
    private final UnaryOperator<Matrix> fn;

    static class Stats {
        int replays = 0;
        int eager = 0;
        Integer lastBucket = null;
    }

    GraphRunner(UnaryOperator<Matrix> fn, List<Integer> buckets, int hidden, DType dtype) {
        this.fn = fn;
        this.buckets = new ArrayList<>(buckets);
        Collections.sort(this.buckets);
        this.staticIn = Matrix.zeros(Collections.max(buckets), hidden, dtype);
        this.staticOut = Matrix.zeros(Collections.max(buckets), hidden, dtype);
    }

    public void capture() {
        List<Integer> largestFirst = new ArrayList<>(buckets);
        Collections.reverse(largestFirst);
        for (int b : largestFirst) {
            CpuGraph graph = new CpuGraph(fn, staticIn.rowRange(0, b), staticOut.rowRange(0, b));
            graph.capture();
            graph.capture();
            graphs.put(b, graph);
        }
    }

    public Matrix run(Matrix x, boolean forceEager) {
        int bs = x.rows();
        Map.Entry<Integer, CpuGraph> fitting = graphs.ceilingEntry(bs);
        if (forceEager || fitting == null) {
            stats.eager += 1;
            return fn.apply(x);
        }
        int bucket = fitting.getKey();
        load(x, bucket);
        fitting.getValue().replay();
        stats.replays += 1;
        stats.lastBucket = bucket;
        return result(bs);
    }

    private void load(Matrix x, int bucket) {
        staticIn.rowRange(0, x.rows()).copyFrom(x);
        if (x.rows() < bucket) {
            staticIn.rowRange(x.rows(), bucket).fill(0);
        }
    }

    private Matrix result(int bs) {
        return staticOut.rowRange(0, bs).copy();
    }
}
