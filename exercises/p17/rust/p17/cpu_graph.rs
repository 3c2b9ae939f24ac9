//! A CUDA graph on the CPU: a function bound to two static buffers.

use std::cell::Cell;
use std::rc::Rc;

use crate::matrix::Matrix;
use crate::observer::{observing, Event};

/// A computation `[n, hidden] -> [n, hidden]`, rows in any number. It changes nothing that it is
/// given, and returns a new matrix.
pub type Function = Rc<dyn Fn(&Matrix) -> Matrix>;

/// One graph over one pair of static buffers. It is a handle, as `Rc` is: a clone of it is the same
/// graph.
///
/// A CUDA graph remembers kernels and the addresses that they read and write. So this one remembers
/// its two views, and a replay takes no arguments: new input gets in by being written to the memory
/// behind `static_in`, and the output is found in the memory behind `static_out`.
#[derive(Clone)]
pub struct CpuGraph(Rc<Graph>);

struct Graph {
    function: Function,
    static_in: Matrix,
    static_out: Matrix,
    captured: Cell<bool>,
}

impl CpuGraph {
    /// A graph of which nothing is captured yet.
    ///
    /// # Arguments
    /// * `function` - the computation.
    /// * `static_in` - view of the input buffer, `[b, hidden]`.
    /// * `static_out` - view of the output buffer, of the same shape and dtype.
    pub fn new(function: Function, static_in: Matrix, static_out: Matrix) -> CpuGraph {
        CpuGraph(Rc::new(Graph { function, static_in, static_out, captured: Cell::new(false) }))
    }

    /// Record the function over the static views. It is called once, and what it returns is not
    /// kept: `static_out` is written by `replay` alone.
    ///
    /// # Panics
    /// What the function returns does not fit `static_out`.
    #[track_caller]
    pub fn capture(&self) {
        self.0.captured.set(false);
        let out = observing(Event::Capture, self, || (self.0.function)(&self.0.static_in));
        if out.form() != self.0.static_out.form() {
            let (out, wanted) = (out.title(), self.0.static_out.title());
            panic!("capture: the function returns a {}, and static_out is a {}", out, wanted);
        }
        self.0.captured.set(true);
    }

    /// Run what was recorded: read `static_in`, write `static_out`.
    ///
    /// # Panics
    /// Nothing has been captured yet.
    #[track_caller]
    pub fn replay(&self) {
        if !self.captured() {
            panic!("replay() before capture(): there is nothing recorded to replay");
        }
        observing(Event::Replay, self, || {
            self.0.static_out.copy_from(&(self.0.function)(&self.0.static_in));
        });
    }

    /// Whether there is something to replay.
    pub fn captured(&self) -> bool {
        self.0.captured.get()
    }

    /// The view that the graph reads.
    pub fn static_in(&self) -> &Matrix {
        &self.0.static_in
    }

    /// The view that the graph writes.
    pub fn static_out(&self) -> &Matrix {
        &self.0.static_out
    }

    /// A number that all handles of this graph have, and no other graph meanwhile.
    pub fn id(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }
}
