// right: the class is exported as the default

import { CpuGraph, Matrix } from "#p17/cpu_graph.js";

export default class GraphRunner {
  graphs = new Map();
  stats = { replays: 0, eager: 0, lastBucket: null };
  #fn;

  constructor(fn, buckets, hidden, dtype = "float32") {
    this.#fn = fn;
    this.buckets = Array.from(buckets).sort((a, b) => a - b);
    const shape = [Math.max(...buckets), hidden, dtype];
    [this.staticIn, this.staticOut] = [Matrix.zeros(...shape), Matrix.zeros(...shape)];
  }

  capture() {
    for (let i = this.buckets.length - 1; i >= 0; i--) {
      const rows = this.buckets[i];
      const views = [this.staticIn, this.staticOut].map((buffer) => buffer.rowRange(0, rows));
      const graph = new CpuGraph(this.#fn, ...views);
      graph.capture();
      this.graphs.set(rows, graph);
    }
  }

  run(x, forceEager = false) {
    const graph = forceEager ? undefined : this.graphs.get(this.#bucketFor(x.rows));
    return graph ? this.#replay(graph, x) : this.#eager(x);
  }

  #bucketFor(bs) {
    return this.buckets.find((b) => b >= bs);
  }

  #eager(x) {
    this.stats.eager++;
    return this.#fn(x);
  }

  #replay(graph, x) {
    const [bs, bucket] = [x.rows, this.#bucketFor(x.rows)];
    this.staticIn.rowRange(0, bs).copyFrom(x);
    this.#pad(bs, bucket);
    graph.replay();
    this.stats.replays++;
    this.stats.lastBucket = bucket;
    return this.staticOut.rowRange(0, bs).clone();
  }

  #pad(bs, bucket) {
    for (let i = bs; i < bucket; i++) this.staticIn.rowRange(i, i + 1).fill(0);
  }
}
