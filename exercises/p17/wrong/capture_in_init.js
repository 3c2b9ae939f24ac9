// fails: bucket_choice, no_recapture
// The constructor captures everything, so that the runner is ready, and capture() does nothing.

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.fn = fn;
    this.buckets = [...buckets].sort((a, b) => a - b);
    const maxBs = this.buckets.at(-1);
    this.staticIn = Matrix.zeros(maxBs, hidden, dtype);
    this.staticOut = Matrix.zeros(maxBs, hidden, dtype);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
    this.#captureAll();
  }

  capture() {}

  #captureAll() {
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

  run(x, forceEager = false) {
    const bs = x.rows;
    const bucket = forceEager ? undefined : this.buckets.find((b) => b >= bs);
    if (!this.graphs.has(bucket)) {
      this.stats.eager += 1;
      return this.fn(x);
    }
    this.staticIn.rowRange(0, bs).copyFrom(x);
    this.staticIn.rowRange(bs, bucket).fill(0);
    this.graphs.get(bucket).replay();
    this.stats.replays += 1;
    this.stats.lastBucket = bucket;
    return this.staticOut.rowRange(0, bs).clone();
  }
}
