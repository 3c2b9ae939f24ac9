// fails: clone
// family: aliasing
//! The result is copied only where padding rows are cut off; a full bucket is returned as it is.

use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

pub struct GraphRunner {
    function: Function,
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

impl GraphRunner {
    pub fn new(function: Function, mut buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        buckets.sort();
        let rows = *buckets.last().unwrap();
        GraphRunner {
            static_in: Matrix::zeros(rows, hidden, dtype),
            static_out: Matrix::zeros(rows, hidden, dtype),
            graphs: BTreeMap::new(),
            stats: Stats::default(),
            function,
            buckets,
        }
    }

    pub fn capture(&mut self) {
        for &b in self.buckets.iter().rev() {
            let graph = CpuGraph::new(
                self.function.clone(),
                self.static_in.row_range(..b),
                self.static_out.row_range(..b),
            );
            graph.capture();
            self.graphs.insert(b, graph);
        }
    }

    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        let bs = x.rows();
        let fitting = self.buckets.iter().copied().find(|&b| b >= bs);
        let bucket = match fitting {
            Some(b) if !force_eager && self.graphs.contains_key(&b) => b,
            _ => {
                self.stats.eager += 1;
                return (self.function)(x);
            }
        };
        self.static_in.row_range(..bs).copy_from(x);
        self.static_in.row_range(bs..bucket).fill(0.0);
        self.graphs[&bucket].replay();
        self.stats.replays += 1;
        self.stats.last_bucket = Some(bucket);
        let result = self.graphs[&bucket].static_out();
        if bs < bucket {
            result.row_range(..bs).deep_copy()
        } else {
            result.clone()
        }
    }
}
