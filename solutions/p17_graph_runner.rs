//! P17, reference solution: a CUDA graph bucket runner.

use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

/// Runs a function by replaying the smallest captured bucket that fits the batch.
pub struct GraphRunner {
    function: Function,
    pub buckets: Vec<usize>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: BTreeMap<usize, CpuGraph>,
    pub stats: Stats,
}

/// What runs there have been.
#[derive(Default)]
pub struct Stats {
    pub replays: usize,
    pub eager: usize,
    pub last_bucket: Option<usize>,
}

impl GraphRunner {
    /// A runner that has captured nothing yet.
    ///
    /// # Arguments
    /// * `function` - the computation, `[n, hidden] -> [n, hidden]`, rows in any number.
    /// * `buckets` - batch sizes to capture, in any order.
    /// * `hidden` - columns of every batch.
    /// * `dtype` - element type of both static buffers.
    pub fn new(function: Function, mut buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        buckets.sort_unstable();
        let max_bs = buckets[buckets.len() - 1];
        GraphRunner {
            function,
            buckets,
            static_in: Matrix::zeros(max_bs, hidden, dtype),
            static_out: Matrix::zeros(max_bs, hidden, dtype),
            graphs: BTreeMap::new(),
            stats: Stats::default(),
        }
    }

    /// Capture one graph per bucket, largest first, all over the same two buffers.
    pub fn capture(&mut self) {
        for &b in self.buckets.iter().rev() {
            let (input, output) = (self.static_in.row_range(..b), self.static_out.row_range(..b));
            let graph = CpuGraph::new(self.function.clone(), input, output);
            graph.capture();
            self.graphs.insert(b, graph);
        }
    }

    /// `function(x)`, by replay where a bucket fits and by an eager call where none does.
    ///
    /// # Arguments
    /// * `x` - the batch, `[bs, hidden]`; it is not changed.
    /// * `force_eager` - call the function directly, as a request with its own generator needs.
    ///
    /// # Returns
    /// `[bs, hidden]`, sharing memory with no static buffer.
    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        let bs = x.rows();
        let bucket = self.bucket_for(bs).filter(|_| !force_eager);
        match bucket.and_then(|b| self.graphs.get_key_value(&b)) {
            Some((&bucket, graph)) => {
                self.static_in.row_range(..bs).copy_from(x);
                self.static_in.row_range(bs..bucket).fill(0.0); // left by an earlier, larger batch
                graph.replay();
                self.stats.replays += 1;
                self.stats.last_bucket = Some(bucket);
                self.static_out.row_range(..bs).deep_copy() // the next replay overwrites static_out
            }
            None => {
                self.stats.eager += 1;
                (self.function)(x)
            }
        }
    }

    /// The smallest bucket that holds `bs` rows.
    fn bucket_for(&self, bs: usize) -> Option<usize> {
        self.buckets.iter().copied().find(|&b| b >= bs)
    }
}
