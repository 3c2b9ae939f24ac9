/*
P17 · CUDA graph bucket runner

先做什么 / What to do first
    把三处 `throw new NotImplemented()` 换成你的代码，然后运行 `./check.sh p17`。
    Replace the three `throw new NotImplemented()` by your code, then run `./check.sh p17`.

任务 / Task
    启动时，在同一块 static buffer 的前 b 行上为每个 bucket 录一张图；运行时选能装下这批请求的
    最小 bucket，写入、清零、replay，把结果拷贝出来。
    At start-up, capture one graph per bucket, each over the first b rows of the same static
    buffers. At run time, take the smallest bucket that holds the batch: copy in, zero the
    padding, replay, and hand out a copy.

    `run(x)`, bs = x.rows:
      1. b = 最小的 ≥ bs 的 bucket / the smallest bucket that is at least bs
      2. 没有这样的 bucket、这个 bucket 没有图，或 forceEager → eager：直接返回 fn(x)，
         不碰 static buffer 和 lastBucket
         no such bucket, no graph for it, or forceEager → eager: return fn(x), and leave the
         static buffers and lastBucket alone
      3. staticIn 的前 bs 行 ← x，第 bs 到 b 行 ← 0，replay，更新 stats，返回前 bs 行的拷贝
         the first bs rows of staticIn ← x, rows bs to b ← 0, replay, update stats, return a copy
         of the first bs rows

属性 / Attributes that the checks read
    buckets    从小到大的数组 / an array, sorted, smallest first
    staticIn   [max bucket, hidden]，dtype 由参数给定 / dtype as passed
    staticOut  同上 / the same
    graphs     Map：bucket -> CpuGraph / a Map: bucket -> CpuGraph
    stats      { replays: 0, eager: 0, lastBucket: null }

new CpuGraph(fn, staticInView, staticOutView) 有 capture() 和 replay()，都不接受参数。
new CpuGraph(fn, staticInView, staticOutView) has capture() and replay(); neither takes arguments.

Matrix.zeros(rows, cols, dtype) 新建一个全 0 矩阵；x.rowRange(begin, end) 是共享内存的 view；
x.copyFrom(y) 和 x.fill(value) 原地写入；x.clone() 拷贝；还有 x.rows、x.cols、x.dtype、
x.get(i, j)、x.set(i, j, value)。
Matrix.zeros(rows, cols, dtype) makes a matrix of zeros; x.rowRange(begin, end) is a view on the
same memory; x.copyFrom(y) and x.fill(value) write in place; x.clone() copies; and there are
x.rows, x.cols, x.dtype, x.get(i, j), x.set(i, j, value).
*/

import { CpuGraph, DType, Matrix, NotImplemented } from "#p17/cpu_graph.js";

export class GraphRunner {
  constructor(fn, buckets, hidden, dtype = DType.float32) {
    throw new NotImplemented();
  }

  /** 每个 bucket 恰好录一次，最大的先录。 / Each bucket exactly once, the largest first. */
  capture() {
    throw new NotImplemented();
  }

  /** x: [bs, hidden] -> [bs, hidden] */
  run(x, forceEager = false) {
    throw new NotImplemented();
  }
}
