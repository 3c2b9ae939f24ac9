// right: Chinese names and comments, a byte order mark, and lines that end as on Windows

import { CpuGraph as 图, DType, Matrix as 矩阵 } from "#p17/cpu_graph.js";

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    this.函数 = fn;
    this.buckets = [...buckets].sort((甲, 乙) => 甲 - 乙);
    const 最大 = this.buckets.at(-1);
    this.staticIn = 矩阵.zeros(最大, hidden, dtype);
    this.staticOut = 矩阵.zeros(最大, hidden, dtype);
    this.graphs = new Map();
    this.stats = { replays: 0, eager: 0, lastBucket: null };
  }

  // 从大到小录图
  capture() {
    for (const 桶 of [...this.buckets].reverse()) {
      const 视图 = [this.staticIn, this.staticOut].map((缓冲) => 缓冲.rowRange(0, 桶));
      const 新图 = new 图(this.函数, ...视图);
      新图.capture();
      this.graphs.set(桶, 新图);
    }
  }

  run(x, forceEager = false) {
    const 行数 = x.rows;
    const 桶 = forceEager ? undefined : this.buckets.find((b) => b >= 行数);
    if (!this.graphs.has(桶)) {
      this.stats.eager += 1;
      return this.函数(x);
    }
    this.staticIn.rowRange(0, 行数).copyFrom(x);
    this.staticIn.rowRange(行数, 桶).fill(0); // 清掉上一批留下的行
    this.graphs.get(桶).replay();
    this.stats.replays += 1;
    this.stats.lastBucket = 桶;
    return this.staticOut.rowRange(0, 行数).clone();
  }
}
