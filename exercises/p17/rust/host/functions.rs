//! The functions that runners are given. Each computes in the dtype of its input, rounds after every
//! operation, and returns a new matrix.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use p17::{DType, Function, Matrix};

use crate::record::Record;
use crate::{Arguments, Failure, Value};

type Compute = Box<dyn Fn(&Matrix) -> Matrix>;

/// Make a function that notes each call of it.
pub fn function(name: &str, params: &Arguments, record: &Rc<Record>) -> Result<Function, Failure> {
    let compute: Compute = match name {
        "affine" => affine(params.get(0, "scale")?, params.get(1, "shift")?),
        "linear" => linear(params.get(0, "weights")?, params.get(1, "dtype")?),
        "reciprocal" => Box::new(|x| each(x, |row, col| 1.0 / x.get(row, col))),
        "batch_sum" => Box::new(batch_sum),
        _ => return Err(Failure::protocol(format!("unknown function {:?}", name))),
    };
    let (itself, record) = (Rc::new(RefCell::new(None)), Rc::clone(record));
    let me = Rc::clone(&itself);
    let noted: Function = Rc::new(move |x| {
        let called = me.borrow().as_ref().and_then(Weak::upgrade);
        let called = record.describe(&called.map_or(Value::Null, Value::Function));
        let input = record.describe_matrix(x);
        record.log.borrow_mut().emit("function", [("function", called), ("input", input)]);
        compute(x)
    });
    itself.replace(Some(Rc::downgrade(&noted)));
    Ok(noted)
}

/// `scale * x + shift`, element by element.
fn affine(scale: f64, shift: f64) -> Compute {
    Box::new(move |x| {
        let to = |number| rounded(number, x.dtype());
        each(x, |row, col| to(x.get(row, col) * to(scale)) + to(shift))
    })
}

/// `x @ weights`: every row by itself, its elements together.
fn linear(weights: Vec<Vec<f64>>, dtype: DType) -> Compute {
    Box::new(move |x| {
        assert!(x.dtype() == dtype, "a {} batch, and {} weights", x.dtype(), dtype);
        assert!(x.cols() == weights.len(), "{} columns, and {} weights", x.cols(), weights.len());
        let to = |number| rounded(number, dtype);
        let y = Matrix::zeros(x.rows(), weights.first().map_or(0, Vec::len), dtype);
        fill(&y, |row, col| {
            let products = (0..x.cols()).map(|k| to(x.get(row, k) * to(weights[k][col])));
            products.fold(0.0, |sum, product| to(sum + product))
        });
        y
    })
}

/// `x` plus the sum over the batch: every row depends on all rows of the graph.
fn batch_sum(x: &Matrix) -> Matrix {
    each(x, |row, col| {
        let rows = (0..x.rows()).map(|row| x.get(row, col));
        x.get(row, col) + rows.fold(0.0, |sum, element| rounded(sum + element, x.dtype()))
    })
}

/// A new matrix of the form of another, from what its elements are.
fn each(x: &Matrix, element: impl Fn(usize, usize) -> f64) -> Matrix {
    let y = Matrix::zeros(x.rows(), x.cols(), x.dtype());
    fill(&y, element);
    y
}

fn fill(y: &Matrix, element: impl Fn(usize, usize) -> f64) {
    for row in 0..y.rows() {
        for col in 0..y.cols() {
            y.set(row, col, element(row, col));
        }
    }
}

/// The nearest number that a dtype has. Of two `float32`, a sum, product or quotient that is taken
/// in `f64` and then rounded is the one that `f32` would have given.
fn rounded(number: f64, dtype: DType) -> f64 {
    match dtype {
        DType::Float32 => f64::from(number as f32),
        DType::Float64 => number,
    }
}
