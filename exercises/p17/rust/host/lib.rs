//! The host of a submission for P17: it answers the grader's protocol on file descriptor 3.
//!
//! What hangs on the submission is in the program, `main.rs`, which says how a `Subject` is made.
//! It finds here what it takes for that and no more: nothing that is exported can note an event.

mod arguments;
mod base64;
mod failure;
mod functions;
mod json;
mod log;
mod record;
mod serve;
mod sha256;
mod value;
mod values;

pub use arguments::{Argument, Arguments};
pub use failure::Failure;
pub use serve::serve;
pub use value::{Attribute, Subject, Value};
