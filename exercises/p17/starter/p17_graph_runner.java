/*
 * P17 · CUDA graph bucket runner
 *
 * 先做什么 / What to do first
 *     把三处 throw new UnsupportedOperationException() 换成你的代码，然后运行 ./check.sh p17。
 *     Replace the three "throw new UnsupportedOperationException()" by your code, then run
 *     ./check.sh p17.
 *
 * 任务 / Task
 *     启动时，在同一块 static buffer 的前 b 行上为每个 bucket 录一张图；运行时选能装下这批请求的
 *     最小 bucket，写入、清零、replay，把结果拷贝出来。
 *     At start-up, capture one graph per bucket, each over the first b rows of the same static
 *     buffers. At run time, take the smallest bucket that holds the batch: copy in, zero the
 *     padding, replay, and hand out a copy.
 *
 *     run(x), bs = x.rows():
 *       1. b = 最小的 ≥ bs 的 bucket / the smallest bucket that is at least bs
 *       2. 没有这样的 bucket、这个 bucket 没有图，或 forceEager → eager：直接返回 fn.apply(x)，
 *          不碰 static buffer 和 lastBucket
 *          no such bucket, no graph for it, or forceEager → eager: return fn.apply(x), and leave
 *          the static buffers and lastBucket alone
 *       3. staticIn 的前 bs 行 ← x，第 bs 到 b - 1 行 ← 0，replay，更新 stats，返回 staticOut 前
 *          bs 行的拷贝
 *          the first bs rows of staticIn ← x, its rows from bs to before b ← 0, replay, update
 *          stats, return a copy of the first bs rows of staticOut
 *
 * 属性 / Fields that the checks read
 *     buckets     从小到大 / sorted, smallest first
 *     staticIn    [max bucket, hidden]，dtype 由参数给定 / dtype as passed
 *     staticOut   同上 / the same
 *     graphs      bucket -> CpuGraph
 *     stats       replays 0, eager 0, lastBucket null
 *     类型可以改：int[] 也可以是 List<Integer>，等等。
 *     Their types are yours to change: a List<Integer> for an int[], say.
 *
 * CpuGraph
 *     new CpuGraph(fn, staticInView, staticOutView) 有 capture() 和 replay()，都不接受参数。
 *     new CpuGraph(fn, staticInView, staticOutView) has capture() and replay(); neither takes
 *     arguments.
 *
 * Matrix
 *     Matrix.zeros(rows, cols, dtype)   新的内存，全为零 / new memory, all zero
 *     rows()  cols()  dtype()  get(row, col)  set(row, col, value)
 *     rowRange(begin, end)              view：第 begin 到 end - 1 行，同一块内存
 *                                       a view: rows from begin to before end, the same memory
 *     copy()                            拷贝，新的内存 / a copy, in new memory
 *     copyFrom(other)  fill(value)      原地写入 / write in place
 *     sharesStorage(other)              是否同一块内存 / whether it is the same memory
 */

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

    int[] buckets;
    Matrix staticIn;
    Matrix staticOut;
    Map<Integer, CpuGraph> graphs = new HashMap<>();
    Stats stats = new Stats();

    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden, DType dtype) {
        throw new UnsupportedOperationException();
    }

    GraphRunner(UnaryOperator<Matrix> fn, int[] buckets, int hidden) {
        this(fn, buckets, hidden, DType.FLOAT32);
    }

    /** 每个 bucket 恰好录一次，最大的先录。 / Each bucket exactly once, the largest first. */
    void capture() {
        throw new UnsupportedOperationException();
    }

    /** x: [bs, hidden] -> [bs, hidden] */
    Matrix run(Matrix x, boolean forceEager) {
        throw new UnsupportedOperationException();
    }

    Matrix run(Matrix x) {
        return run(x, false);
    }
}
