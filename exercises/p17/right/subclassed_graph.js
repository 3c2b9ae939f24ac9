// right: a subclass of CpuGraph that loads its own input, and a class for stats

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

/** A graph that knows its bucket. */
class BucketGraph extends CpuGraph {
  times = 0;

  get bucket() {
    return this.staticIn.rows;
  }

  replay() {
    this.times += 1;
    super.replay();
  }

  call(x) {
    this.staticIn.rowRange(0, x.rows).copyFrom(x);
    this.staticIn.rowRange(x.rows, this.bucket).fill(0);
    this.replay();
    return this.staticOut.rowRange(0, x.rows).clone();
  }
}

/** What was run, counted. */
class Stats {
  eager = 0;
  #buckets = [];

  get replays() {
    return this.#buckets.length;
  }

  get lastBucket() {
    return this.#buckets.at(-1) ?? null;
  }

  replayed(bucket) {
    this.#buckets.push(bucket);
  }
}

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.fn = fn;
    this.buckets = [...new Set(buckets)].sort((a, b) => a - b);
    this.staticIn = Matrix.zeros(this.buckets.at(-1), hidden, dtype);
    this.staticOut = Matrix.zeros(this.buckets.at(-1), hidden, dtype);
    this.graphs = new Map();
    this.stats = new Stats();
  }

  capture() {
    for (const b of [...this.buckets].sort((a, b) => b - a)) {
      const views = [this.staticIn.rowRange(0, b), this.staticOut.rowRange(0, b)];
      const graph = new BucketGraph(this.fn, ...views);
      graph.capture();
      this.graphs.set(b, graph);
    }
  }

  run(x, forceEager = false) {
    const graph = [...this.graphs.values()].reverse().find(({ bucket }) => bucket >= x.rows);
    if (forceEager || graph === undefined) {
      this.stats.eager += 1;
      return this.fn(x);
    }
    const result = graph.call(x);
    this.stats.replayed(graph.bucket);
    return result;
  }
}
