// right: split over types of its own, with Chinese names, a trait and a module

use std::collections::BTreeMap;

use p17::{CpuGraph, DType, Function, Matrix};

use self::桶::选择;

/// 运行器。
pub struct GraphRunner {
    函数: Function,
    pub buckets: Vec<usize>,
    pub static_in: Matrix,
    pub static_out: Matrix,
    pub graphs: BTreeMap<usize, CpuGraph>,
    pub stats: 统计,
}

#[derive(Default)]
pub struct 统计 {
    pub replays: usize,
    pub eager: usize,
    pub last_bucket: Option<usize>,
}

impl 统计 {
    fn 记录(&mut self, bucket: Option<usize>) {
        match bucket {
            Some(_) => {
                self.replays += 1;
                self.last_bucket = bucket;
            }
            None => self.eager += 1,
        }
    }
}

mod 桶 {
    pub trait 选择 {
        /// 能装下 `bs` 行的最小 bucket。
        fn 最小(&self, bs: usize) -> Option<usize>;
    }

    impl 选择 for Vec<usize> {
        fn 最小(&self, bs: usize) -> Option<usize> {
            self.iter().copied().filter(|&b| b >= bs).min()
        }
    }
}

impl GraphRunner {
    pub fn new(函数: Function, buckets: Vec<usize>, hidden: usize, dtype: DType) -> Self {
        let rows = buckets.iter().copied().fold(0, usize::max);
        let mut buckets = buckets;
        buckets.sort();
        let [static_in, static_out] = [(), ()].map(|_| Matrix::zeros(rows, hidden, dtype));
        let (graphs, stats) = (BTreeMap::new(), 统计::default());
        Self { 函数, buckets, static_in, static_out, graphs, stats }
    }

    pub fn capture(&mut self) {
        for &b in self.buckets.iter().rev() {
            let (输入, 输出) = (self.static_in.row_range(..b), self.static_out.row_range(..b));
            let 图 = CpuGraph::new(self.函数.clone(), 输入, 输出);
            图.capture();
            self.graphs.insert(b, 图);
        }
    }

    pub fn run(&mut self, x: &Matrix, force_eager: bool) -> Matrix {
        let bs = x.rows();
        let bucket = self.buckets.最小(bs).filter(|b| !force_eager && self.graphs.contains_key(b));
        self.stats.记录(bucket);
        match bucket {
            None => (self.函数)(x),
            Some(b) => {
                self.static_in.row_range(..bs).copy_from(x);
                self.static_in.row_range(bs..b).fill(0.0);
                self.graphs[&b].replay();
                self.static_out.row_range(..bs).deep_copy()
            }
        }
    }
}
