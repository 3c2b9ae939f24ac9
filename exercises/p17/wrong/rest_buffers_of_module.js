// fails: parity
// The buffers come from a pool of the module by width, so two runners write into one another's.

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

const pool = new Map();

/** A buffer of at least so many rows, made once. */
function pooled(name, rows, hidden, dtype) {
  const key = `${name} ${hidden} ${dtype}`;
  if (!(pool.get(key)?.rows >= rows)) pool.set(key, Matrix.zeros(rows, hidden, dtype));
  return pool.get(key).rowRange(0, rows);
}

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.fn = fn;
    this.buckets = [...buckets].sort((a, b) => a - b);
    const maxBs = this.buckets.at(-1);
    this.staticIn = pooled("in", maxBs, hidden, dtype);
    this.staticOut = pooled("out", maxBs, hidden, dtype);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
  }

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
