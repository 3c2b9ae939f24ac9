//! What the given functions and graphs leave behind: events, of objects told of.

use std::cell::RefCell;

use p17::observer::{Event, Observer};
use p17::{CpuGraph, Matrix};

use crate::json::Json;
use crate::log::Log;
use crate::values::Values;
use crate::Value;

/// Notes what happens while the submission runs. Nobody but the host has it.
pub struct Record {
    pub values: RefCell<Values>,
    pub log: RefCell<Log>,
}

impl Record {
    pub fn describe(&self, value: &Value) -> Json {
        self.values.borrow_mut().describe(value)
    }

    pub fn describe_matrix(&self, matrix: &Matrix) -> Json {
        self.describe(&Value::Matrix(matrix.clone()))
    }
}

impl Observer for Record {
    fn begin(&self, event: Event, graph: &CpuGraph) {
        let told = self.describe(&Value::Graph(graph.clone()));
        let input = self.describe_matrix(graph.static_in());
        match event {
            Event::Capture => {
                let output = self.describe_matrix(graph.static_out());
                let fields = [("graph", told), ("input", input), ("output", output)];
                self.log.borrow_mut().begin("capture", fields);
            }
            Event::Replay => {
                self.log.borrow_mut().begin("replay", [("graph", told), ("input", input)]);
            }
        }
    }

    fn end(&self, event: Event, graph: &CpuGraph) {
        match event {
            Event::Capture => self.log.borrow_mut().end([]),
            Event::Replay => {
                let output = self.describe_matrix(graph.static_out());
                self.log.borrow_mut().end([("output", output)]);
            }
        }
    }
}
