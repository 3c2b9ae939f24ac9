//! What went wrong, as the protocol tells it, and panics caught as that.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::json::Json;

/// Why there is no value.
pub struct Failure {
    kind: &'static str,
    class: &'static str,
    message: String,
    line: Option<u32>,
}

impl Failure {
    pub fn exception(class: &'static str, message: impl Into<String>) -> Failure {
        Failure { kind: "exception", class, message: message.into(), line: None }
    }

    /// An attribute or a method that an object does not have.
    pub fn no_such(name: &str) -> Failure {
        Failure::exception("AttributeError", format!("there is no {}", name))
    }

    pub(crate) fn protocol(message: impl Into<String>) -> Failure {
        Failure { kind: "protocol", class: "ProtocolError", message: message.into(), line: None }
    }

    pub(crate) fn fields(&self) -> [(&'static str, Json); 5] {
        [
            ("kind", Json::text(self.kind)),
            ("type", Json::text(self.class)),
            ("message", Json::text(&self.message)),
            ("line", self.line.map_or(Json::Null, |line| Json::Int(line.into()))),
            ("code", Json::Null),
        ]
    }
}

thread_local! {
    /// Where this thread panicked last: file and line.
    static PLACE: RefCell<Option<(String, u32)>> = RefCell::new(None);
}

/// Note where panics happen, beyond what is done about them already.
pub(crate) fn note_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        let place = panicked.location().map(|place| (place.file().to_owned(), place.line()));
        let _ = PLACE.try_with(|last| last.replace(place));
        usual(panicked);
    }));
}

/// Do what a submission may panic in.
///
/// # Arguments
/// * `file` - the submission's, of which lines are told.
pub(crate) fn caught<T>(file: &str, act: impl FnOnce() -> T) -> Result<T, Failure> {
    PLACE.with(|last| last.replace(None));
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        let place = PLACE.with(|last| last.take());
        let line = place.filter(|(name, _)| name.ends_with(file)).map(|(_, line)| line);
        let message = message_of(&*payload);
        std::mem::forget(payload); // it is the submission's, and letting go of it may panic, too
        Failure { line, ..Failure::exception(class_of(&message), message) }
    })
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Panics have no classes, but `todo!()` and `unimplemented!()` have words of their own.
fn class_of(message: &str) -> &'static str {
    let unfinished = ["not yet implemented", "not implemented"];
    match unfinished.iter().any(|words| message.starts_with(words)) {
        true => "NotImplementedError",
        false => "panic",
    }
}
