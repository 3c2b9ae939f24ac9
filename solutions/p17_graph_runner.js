// P17, reference solution: a CUDA graph bucket runner.

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

/** Runs fn by replaying the smallest captured bucket that fits the batch. */
export class GraphRunner {
  /**
   * @param {(x: Matrix) => Matrix} fn the computation, [n, hidden] -> [n, hidden], for any n
   * @param {number[]} buckets batch sizes to capture, in any order
   * @param {number} hidden columns of every batch
   * @param {string} dtype element type of both static buffers
   */
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.fn = fn;
    this.buckets = [...buckets].sort((a, b) => a - b);
    const maxBs = this.buckets.at(-1);
    this.staticIn = Matrix.zeros(maxBs, hidden, dtype);
    this.staticOut = Matrix.zeros(maxBs, hidden, dtype);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
  }

  /** Capture one graph per bucket, largest first, all over the same two buffers. */
  capture() {
    for (const b of [...this.buckets].reverse()) {
      const graph = new CpuGraph(
        this.fn,
        this.staticIn.rowRange(0, b),
        this.staticOut.rowRange(0, b),
      );
      graph.capture();
      this.graphs.set(b, graph);
    }
  }

  /**
   * fn(x), by replay where a bucket fits and by an eager call where none does.
   *
   * @param {Matrix} x the batch, [bs, hidden]; it is not changed
   * @param {boolean} forceEager call fn directly, as a request with its own generator needs
   * @returns {Matrix} [bs, hidden], sharing memory with no static buffer
   */
  run(x, forceEager = false) {
    const bs = x.rows;
    const bucket = forceEager ? undefined : this.buckets.find((b) => b >= bs);
    if (!this.graphs.has(bucket)) {
      this.stats.eager += 1;
      return this.fn(x);
    }
    this.staticIn.rowRange(0, bs).copyFrom(x);
    this.staticIn.rowRange(bs, bucket).fill(0); // rows that an earlier, larger batch left behind
    this.graphs.get(bucket).replay();
    this.stats.replays += 1;
    this.stats.lastBucket = bucket;
    return this.staticOut.rowRange(0, bs).clone(); // the next replay overwrites staticOut
  }
}
