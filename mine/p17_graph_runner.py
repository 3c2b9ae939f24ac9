"""P17 · CUDA graph bucket runner

先做什么 / What to do first
    把三个方法里的 ``raise NotImplementedError`` 换成你的代码，然后运行 ``./check.sh p17``。
    Replace the three ``raise NotImplementedError`` by your code, then run ``./check.sh p17``.

任务 / Task
    启动时，在同一块 static buffer 的前 b 行上为每个 bucket 录一张图；运行时选能装下这批请求的
    最小 bucket，写入、清零、replay，把结果拷贝出来。
    At start-up, capture one graph per bucket, each over the first b rows of the same static
    buffers. At run time, take the smallest bucket that holds the batch: copy in, zero the
    padding, replay, and hand out a copy.

    ``run(x)``, bs = x.shape[0]:
      1. b = 最小的 ≥ bs 的 bucket / the smallest bucket that is at least bs
      2. 没有这样的 bucket、这个 bucket 没有图，或 force_eager → eager：直接返回 fn(x)，
         不碰 static buffer 和 last_bucket
         no such bucket, no graph for it, or force_eager → eager: return fn(x), and leave the
         static buffers and last_bucket alone
      3. static_in[:bs] ← x，static_in[bs:b] ← 0，replay，更新 stats，返回前 bs 行的拷贝
         static_in[:bs] ← x, static_in[bs:b] ← 0, replay, update stats, return a copy of the
         first bs rows

属性 / Attributes that the checks read
    buckets     从小到大 / sorted, smallest first
    static_in   [max bucket, hidden]，dtype 由参数给定 / dtype as passed
    static_out  同上 / the same
    graphs      bucket -> CpuGraph
    stats       {"replays": 0, "eager": 0, "last_bucket": None}

CpuGraph(fn, static_in_view, static_out_view) 有 capture() 和 replay()，都不接受参数。
CpuGraph(fn, static_in_view, static_out_view) has capture() and replay(); neither takes
arguments.
"""

import torch

from exercises.p17.cpu_graph import CpuGraph  # noqa: F401


class GraphRunner:
    def __init__(self, fn, buckets, hidden, dtype=torch.float32):
        raise NotImplementedError

    def capture(self):
        """每个 bucket 恰好录一次，最大的先录。 / Each bucket exactly once, the largest first."""
        raise NotImplementedError

    def run(self, x, force_eager=False):
        """x: [bs, hidden] -> [bs, hidden]"""
        raise NotImplementedError
