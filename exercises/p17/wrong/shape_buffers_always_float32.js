// fails: parity
// source: Megatron #6508
// dtype is accepted and forgotten: both buffers are float32.

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.fn = fn;
    this.hidden = hidden;
    this.buckets = buckets.slice().sort((a, b) => a - b);
    this.maxBs = Math.max(...this.buckets);
    this.staticIn = Matrix.zeros(this.maxBs, hidden);
    this.staticOut = Matrix.zeros(this.maxBs, hidden);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
  }

  capture() {
    this.buckets
      .slice()
      .reverse()
      .forEach((b) => {
        const graph = new CpuGraph(this.fn, this.inputRows(b), this.outputRows(b));
        graph.capture();
        this.graphs.set(b, graph);
      });
  }

  inputRows(n) {
    return this.staticIn.rowRange(0, n);
  }

  outputRows(n) {
    return this.staticOut.rowRange(0, n);
  }

  run(x, forceEager = false) {
    const bs = x.rows;
    if (forceEager || bs > this.maxBs || this.graphs.size === 0) {
      this.stats.eager += 1;
      return this.fn(x);
    }
    const bucket = this.buckets.find((b) => b >= bs);
    const { staticIn } = this;
    for (let i = 0; i < bucket; i++) {
      for (let j = 0; j < this.hidden; j++) staticIn.set(i, j, i < bs ? x.get(i, j) : 0);
    }
    this.graphs.get(bucket).replay();
    this.stats.replays += 1;
    this.stats.lastBucket = bucket;
    return this.outputRows(bs).clone();
  }
}
