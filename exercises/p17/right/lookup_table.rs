// right: a table from batch size to bucket, made once by new, and a method per kind of run

use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

pub struct GraphRunner {
    function: Function,
    pub buckets: Vec<usize>,
    /// Bucket by batch size.
    table: Vec<usize>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: BTreeMap<usize, CpuGraph>,
    pub stats: Stats,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub replays: usize,
    pub eager: usize,
    pub last_bucket: Option<usize>,
}

impl GraphRunner {
    pub fn new(function: Function, buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        let buckets = {
            let mut sorted = buckets;
            sorted.sort();
            sorted
        };
        let mut table = vec![0];
        for &b in &buckets {
            table.resize(b + 1, b);
        }
        let buffer = || Matrix::zeros(table.len() - 1, hidden, dtype);
        GraphRunner {
            static_in: buffer(),
            static_out: buffer(),
            graphs: BTreeMap::new(),
            stats: Stats::default(),
            function,
            buckets,
            table,
        }
    }

    pub fn capture(&mut self) {
        for &b in self.buckets.iter().rev() {
            self.graphs.entry(b).or_insert_with(|| {
                let views = [&self.static_in, &self.static_out].map(|buffer| buffer.row_range(..b));
                let [input, output] = views;
                let graph = CpuGraph::new(self.function.clone(), input, output);
                graph.capture();
                graph
            });
        }
    }

    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        match self.table.get(x.rows()) {
            Some(&b) if !force_eager && self.graphs.contains_key(&b) => self.replay(x, b),
            _ => self.eager(x),
        }
    }

    fn eager(&mut self, x: &Matrix) -> Matrix {
        self.stats.eager += 1;
        (self.function)(x)
    }

    fn replay(&mut self, x: &Matrix, bucket: usize) -> Matrix {
        let bs = x.rows();
        self.static_in.row_range(0..bs).copy_from(x);
        self.static_in.row_range(bs..bucket).fill(0.0);
        self.graphs[&bucket].replay();
        let result = self.static_out.row_range(0..bs).deep_copy();
        self.stats =
            Stats { replays: self.stats.replays + 1, last_bucket: Some(bucket), ..self.stats };
        result
    }
}
