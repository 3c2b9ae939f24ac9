// right: adds methods to built-in classes, imports from node, awaits at the top level, and prints

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { CpuGraph, DType, Matrix } from "#p17/cpu_graph.js";

Array.prototype.last = function () {
  return this[this.length - 1];
};
Number.prototype.fits = function (rows) {
  return this >= rows;
};
globalThis.runners = 0;
Error.stackTraceLimit = 50;

await sleep(1);
console.log("ready after %d ms", Math.round(performance.now()), Matrix.zeros(1, 2));

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    assert.ok(buckets instanceof Array && fn instanceof Function);
    console.error(`runner ${++globalThis.runners}:`, { buckets, hidden, dtype });
    this.fn = fn;
    this.buckets = buckets.slice().sort((a, b) => a - b);
    this.staticIn = Matrix.zeros(this.buckets.last(), hidden, dtype);
    this.staticOut = Matrix.zeros(this.buckets.last(), hidden, dtype);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
  }

  capture() {
    for (const b of this.buckets.slice().reverse()) {
      const [input, output] = [this.staticIn.rowRange(0, b), this.staticOut.rowRange(0, b)];
      const graph = new CpuGraph(this.fn, input, output);
      graph.capture();
      this.graphs.set(b, graph);
    }
    assert.deepEqual([...this.graphs.keys()].reverse(), this.buckets);
  }

  run(x, forceEager = false) {
    const bucket = this.buckets.find((b) => b.fits(x.rows));
    if (forceEager || !this.graphs.has(bucket)) {
      this.stats.eager += 1;
      return this.fn(x);
    }
    assert.throws(() => x.rowRange(0, x.rows + 1), RangeError);
    assert.ok(x.data instanceof (x.dtype === DType.float32 ? Float32Array : Float64Array));
    this.staticIn.rowRange(0, x.rows).copyFrom(x);
    this.staticIn.rowRange(x.rows, bucket).fill(0);
    this.graphs.get(bucket).replay();
    this.stats = { replays: this.stats.replays + 1, eager: this.stats.eager, lastBucket: bucket };
    console.log(this.stats);
    return this.staticOut.rowRange(0, x.rows).clone();
  }
}
