// right: private fields behind getters; graphs, buckets and stats come as copies

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

export class GraphRunner {
  #fn;
  #buckets;
  #staticIn;
  #staticOut;
  #graphs = new Map();
  #replays = 0;
  #eager = 0;
  #lastBucket = null;

  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.#fn = fn;
    this.#buckets = Object.freeze([...buckets].sort((a, b) => a - b));
    this.#staticIn = Matrix.zeros(this.#buckets.at(-1), hidden, dtype);
    this.#staticOut = Matrix.zeros(this.#buckets.at(-1), hidden, dtype);
  }

  get buckets() {
    return [...this.#buckets];
  }

  get staticIn() {
    return this.#staticIn;
  }

  get staticOut() {
    return this.#staticOut;
  }

  get graphs() {
    return new Map(this.#graphs);
  }

  get stats() {
    return { replays: this.#replays, eager: this.#eager, lastBucket: this.#lastBucket };
  }

  capture() {
    for (let i = this.#buckets.length; i-- > 0; ) {
      const b = this.#buckets[i];
      const graph = new CpuGraph(
        this.#fn,
        this.#staticIn.rowRange(0, b),
        this.#staticOut.rowRange(0, b),
      );
      graph.capture();
      this.#graphs.set(b, graph);
    }
  }

  run(x, forceEager = false) {
    const bucket = this.#buckets.find((b) => x.rows <= b);
    const graph = this.#graphs.get(bucket);
    if (forceEager || graph === undefined) {
      this.#eager += 1;
      return this.#fn(x);
    }
    this.#staticIn.rowRange(0, x.rows).copyFrom(x);
    this.#staticIn.rowRange(x.rows, bucket).fill(0);
    graph.replay();
    this.#replays += 1;
    this.#lastBucket = bucket;
    return this.#staticOut.rowRange(0, x.rows).clone();
  }
}
