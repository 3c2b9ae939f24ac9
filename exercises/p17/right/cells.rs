// right: all methods take &self, and what changes is in cells

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

pub struct GraphRunner {
    function: Function,
    pub buckets: Vec<usize>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: RefCell<BTreeMap<usize, CpuGraph>>,
    pub stats: Stats,
}

#[derive(Default)]
pub struct Stats {
    pub replays: Cell<usize>,
    pub eager: Cell<usize>,
    pub last_bucket: Cell<Option<usize>>,
}

impl GraphRunner {
    pub fn new(function: Function, mut buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        buckets.sort();
        let rows = buckets.iter().copied().max().expect("at least one bucket");
        GraphRunner {
            function,
            buckets,
            static_in: Matrix::zeros(rows, hidden, dtype),
            static_out: Matrix::zeros(rows, hidden, dtype),
            graphs: RefCell::default(),
            stats: Stats::default(),
        }
    }

    pub fn capture(&self) {
        for &b in self.buckets.iter().rev() {
            let (input, output) = (self.static_in.row_range(..b), self.static_out.row_range(..b));
            let graph = CpuGraph::new(self.function.clone(), input, output);
            graph.capture();
            self.graphs.borrow_mut().insert(b, graph);
        }
    }

    pub fn run(&self, x: &Matrix, force_eager: bool) -> Matrix {
        let (bs, graphs) = (x.rows(), self.graphs.borrow());
        let bucket = self.buckets.iter().find(|&&b| b >= bs && !force_eager);
        let graph = match bucket.and_then(|b| graphs.get(b)) {
            Some(graph) => graph,
            None => {
                self.stats.eager.set(self.stats.eager.get() + 1);
                return (self.function)(x);
            }
        };
        self.static_in.row_range(..bs).copy_from(x);
        graph.static_in().row_range(bs..).fill(0.0);
        graph.replay();
        self.stats.replays.set(self.stats.replays.get() + 1);
        self.stats.last_bucket.set(bucket.copied());
        self.static_out.row_range(..bs).deep_copy()
    }
}
