//! The program that a submission becomes part of: what the host is told of `GraphRunner`.
//!
//! An error of the compiler's in this file says what the submission lacks.

use std::cell::RefCell;
use std::rc::Rc;

use host::{Arguments, Attribute, Failure, Subject, Value};
use p17::{DType, Function, Matrix};

// What is safe can neither find the host's memory nor write to its pipe.
#[forbid(unsafe_code)]
#[path = "../p17_graph_runner.rs"]
mod p17_graph_runner;

use p17_graph_runner::GraphRunner;

fn main() {
    host::serve("GraphRunner", |arguments| {
        let function: Function = arguments.get(0, "fn")?;
        let buckets: Vec<usize> = arguments.get(1, "buckets")?;
        let hidden: usize = arguments.get(2, "hidden")?;
        let dtype: DType = arguments.get_or(3, "dtype", DType::Float32)?;
        let runner: GraphRunner = GraphRunner::new(function, buckets, hidden, dtype);
        Ok(Rc::new(RefCell::new(runner)))
    })
}

impl Subject for GraphRunner {
    fn call(&mut self, method: &str, arguments: &Arguments) -> Result<Value, Failure> {
        match method {
            "capture" => {
                self.capture();
                Ok(Value::Null)
            }
            "run" => {
                let x: Matrix = arguments.get(0, "x")?;
                let force_eager: bool = arguments.get_or(1, "force_eager", false)?;
                let result: Matrix = self.run(&x, force_eager);
                Ok(Value::Matrix(result))
            }
            _ => Err(Failure::no_such(method)),
        }
    }

    fn get(&self, name: &str) -> Result<Value, Failure> {
        Ok(match name {
            "buckets" => Attribute::value(&self.buckets),
            "static_in" => Attribute::value(&self.static_in),
            "static_out" => Attribute::value(&self.static_out),
            "graphs" => Attribute::value(&self.graphs),
            "stats" => Value::map([
                ("replays", Attribute::value(&self.stats.replays)),
                ("eager", Attribute::value(&self.stats.eager)),
                ("last_bucket", Attribute::value(&self.stats.last_bucket)),
            ]),
            _ => return Err(Failure::no_such(name)),
        })
    }
}
