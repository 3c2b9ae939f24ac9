//! P17 · CUDA graph bucket runner
//!
//! 先做什么 / What to do first
//!     把三个方法里的 `todo!()` 换成你的代码，然后运行 `./check.sh p17`。
//!     Replace the three `todo!()` by your code, then run `./check.sh p17`.
//!
//! 任务 / Task
//!     启动时，在同一块 static buffer 的前 b 行上为每个 bucket 录一张图；运行时选能装下这批请求的
//!     最小 bucket，写入、清零、replay，把结果拷贝出来。
//!     At start-up, capture one graph per bucket, each over the first b rows of the same static
//!     buffers. At run time, take the smallest bucket that holds the batch: copy in, zero the
//!     padding, replay, and hand out a copy.
//!
//!     `run(x, force_eager)`, bs = x.rows():
//!       1. b = 最小的 ≥ bs 的 bucket / the smallest bucket that is at least bs
//!       2. 没有这样的 bucket、这个 bucket 没有图，或 force_eager → eager：直接返回 function(x)，
//!          不碰 static buffer 和 last_bucket
//!          no such bucket, no graph for it, or force_eager → eager: return function(x), and leave
//!          the static buffers and last_bucket alone
//!       3. static_in 的 0..bs 行 ← x，bs..b 行 ← 0，replay，更新 stats，返回前 bs 行的拷贝
//!          rows 0..bs of static_in ← x, rows bs..b ← 0, replay, update stats, return a copy of
//!          the first bs rows
//!
//! 字段 / Fields that the checks read
//!     buckets     从小到大 / sorted, smallest first
//!     static_in   [max bucket, hidden]，dtype 由参数给定 / dtype as passed
//!     static_out  同上 / the same
//!     graphs      bucket -> CpuGraph
//!     stats       replays 0, eager 0, last_bucket None
//!     可以再加自己的字段，例如 function。 / Add fields of your own, such as function.
//!
//! CpuGraph::new(function, static_in_view, static_out_view) 有 capture() 和 replay()，都不接受参数。
//! CpuGraph::new(function, static_in_view, static_out_view) has capture() and replay(); neither
//! takes arguments.
//!
//! Matrix::zeros(rows, cols, dtype) 有 / has
//!     rows() cols() dtype()
//!     row_range(begin..end)   这些行的 view，不拷贝 / a view of these rows, no copy
//!     deep_copy()             另一块内存上的拷贝 / a copy in memory of its own
//!     clone()                 像 Rc：还是同一块内存 / as Rc: still the same memory
//!     copy_from(&other)       原地覆盖，形状和 dtype 要一致 / in place; same shape and dtype
//!     fill(value) get(row, col) set(row, col, value) shares_storage(&other)
//!
//! 只用标准库，不用 unsafe。 / The standard library only, and no unsafe code.

use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

pub struct GraphRunner {
    pub buckets: Vec<usize>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: BTreeMap<usize, CpuGraph>,
    pub stats: Stats,
}

#[derive(Default)]
pub struct Stats {
    pub replays: usize,
    pub eager: usize,
    pub last_bucket: Option<usize>,
}

#[allow(unused_variables)] // 写完后删掉这一行 / goes with the last todo!()
impl GraphRunner {
    pub fn new(function: Function, buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        todo!()
    }

    /// 每个 bucket 恰好录一次，最大的先录。 / Each bucket exactly once, the largest first.
    pub fn capture(&mut self) {
        todo!()
    }

    /// x: [bs, hidden] -> [bs, hidden]
    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        todo!()
    }
}
