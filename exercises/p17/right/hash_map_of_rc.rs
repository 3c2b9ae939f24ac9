// right: graphs are in an Rc in a HashMap with the smaller integers, and buckets a boxed slice

use std::collections::HashMap;
use std::rc::Rc;

use p17::{CpuGraph, DType, Function, Matrix};

pub struct GraphRunner {
    function: Function,
    pub buckets: Box<[u32]>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: HashMap<u32, Rc<CpuGraph>>,
    pub stats: Box<Stats>,
}

pub struct Stats {
    pub replays: u64,
    pub eager: u64,
    pub last_bucket: Option<u32>,
}

impl GraphRunner {
    pub fn new(function: Function, buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        let mut buckets: Box<[u32]> = buckets.into_iter().map(|b| b as u32).collect();
        buckets.sort_unstable();
        let largest = buckets.iter().max().map_or(0, |&b| b as usize);
        let [static_in, static_out] = [(); 2].map(|()| Matrix::zeros(largest, hidden, dtype));
        let stats = Box::new(Stats { replays: 0, eager: 0, last_bucket: None });
        let graphs = HashMap::with_capacity(buckets.len());
        Self { function, buckets, static_in, static_out, graphs, stats }
    }

    pub fn capture(&mut self) {
        let Self { function, static_in, static_out, .. } = self;
        let record = |&b: &u32| {
            let rows = ..b as usize;
            let (input, output) = (static_in.row_range(rows), static_out.row_range(rows));
            let graph = Rc::new(CpuGraph::new(Rc::clone(function), input, output));
            graph.capture();
            (b, graph)
        };
        self.graphs = self.buckets.iter().rev().map(record).collect();
    }

    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        let fits = |b: &&u32| **b as usize >= x.rows();
        let found = self.buckets.iter().find(fits).and_then(|b| Some((*b, self.graphs.get(b)?)));
        if let (false, Some((bucket, graph))) = (force_eager, found) {
            graph.static_in().row_range(..x.rows()).copy_from(x);
            graph.static_in().row_range(x.rows()..).fill(0.0);
            graph.replay();
            self.stats.replays += 1;
            self.stats.last_bucket = Some(bucket);
            return graph.static_out().row_range(..x.rows()).deep_copy();
        }
        self.stats.eager += 1;
        (self.function)(x)
    }
}
