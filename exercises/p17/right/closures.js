// right: methods are fields that hold closures

import { CpuGraph, Matrix } from "#p17/cpu_graph.js";

const descending = (a, b) => b - a;

export const GraphRunner = class {
  constructor(fn, buckets, hidden, dtype) {
    const largestFirst = [...buckets].sort(descending);
    const [staticIn, staticOut] = [0, 1].map(() => Matrix.zeros(largestFirst[0], hidden, dtype));
    const graphs = new Map();
    const stats = { replays: 0, eager: 0, lastBucket: null };
    Object.assign(this, { staticIn, staticOut, graphs, stats });
    this.buckets = largestFirst.toReversed?.() ?? [...largestFirst].reverse();

    this.capture = () => {
      for (const b of largestFirst) {
        graphs.set(b, new CpuGraph(fn, staticIn.rowRange(0, b), staticOut.rowRange(0, b)));
        graphs.get(b).capture();
      }
    };

    this.run = (x, forceEager) => {
      const { rows } = x;
      const [bucket, graph] = [...graphs].findLast(([b]) => b >= rows) ?? [];
      if (!graph || forceEager) {
        stats.eager++;
        return fn(x);
      }
      staticIn.rowRange(0, rows).copyFrom(x);
      staticIn.rowRange(rows, bucket).fill(0);
      graph.replay();
      stats.replays++;
      stats.lastBucket = bucket;
      return staticOut.rowRange(0, rows).clone();
    };
  }
};
