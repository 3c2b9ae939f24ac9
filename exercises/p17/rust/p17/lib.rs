//! What a submission for P17 is given: matrices, and graphs over them. It needs nothing but the
//! standard library, and may be taken out and used by itself:
//!
//! ```sh
//! rustc --edition 2021 --crate-type rlib --crate-name p17 p17/lib.rs
//! rustc --edition 2021 --extern p17=libp17.rlib mine.rs
//! ```
//!
//! ```
//! use p17::{CpuGraph, DType, Function, Matrix};
//! use std::rc::Rc;
//!
//! let plus_one: Function = Rc::new(|x: &Matrix| {
//!     let y = x.deep_copy();
//!     for row in 0..y.rows() {
//!         for col in 0..y.cols() {
//!             y.set(row, col, y.get(row, col) + 1.0);
//!         }
//!     }
//!     y
//! });
//! let static_in = Matrix::zeros(4, 1, DType::Float32);
//! let static_out = Matrix::zeros(4, 1, DType::Float32);
//! let graph = CpuGraph::new(plus_one, static_in.row_range(..2), static_out.row_range(..2));
//! graph.capture();
//! static_in.row_range(..2).fill(5.0);
//! graph.replay();
//! assert_eq!(format!("{:?}", static_out), "float32 [[6.0], [6.0], [0.0], [0.0]]");
//! ```

mod cpu_graph;
mod matrix;
#[doc(hidden)]
pub mod observer;

pub use cpu_graph::{CpuGraph, Function};
pub use matrix::{DType, Matrix};
