//! The events since the last reply: what was seen of graphs and functions.

use crate::json::Json;

/// As many fit a reply. More than that is a runaway loop.
const MAX_EVENTS: usize = 10_000;

/// Keeps events until the next reply carries them away.
#[derive(Default)]
pub struct Log {
    events: Vec<Json>,
    /// Those that last: their places and names.
    open: Vec<(usize, &'static str)>,
    dropped: usize,
}

impl Log {
    /// Note an event.
    ///
    /// # Panics
    /// There are too many, so that a loop without end ends.
    pub fn emit<const N: usize>(&mut self, event: &str, fields: [(&str, Json); N]) {
        if self.events.len() == MAX_EVENTS {
            self.dropped += 1;
            panic!("more than {} calls of what is given, in one call", MAX_EVENTS);
        }
        let within = self.open.last().map_or(Json::Null, |(_, name)| Json::text(*name));
        let mut told = Json::map([("event", Json::text(event)), ("within", within)]);
        fields.into_iter().for_each(|(name, value)| told.put(name, value));
        self.events.push(told);
    }

    /// Note an event that lasts: those noted until its end are within it.
    pub fn begin<const N: usize>(&mut self, event: &'static str, fields: [(&str, Json); N]) {
        self.emit(event, fields);
        self.open.push((self.events.len() - 1, event));
    }

    /// The event begun last is over.
    pub fn end<const N: usize>(&mut self, fields: [(&str, Json); N]) {
        if let Some((place, _)) = self.open.pop() {
            let event = &mut self.events[place];
            fields.into_iter().for_each(|(name, value)| event.put(name, value));
        }
    }

    /// The events since the last call of this method.
    pub fn take(&mut self) -> Json {
        let mut events = std::mem::take(&mut self.events);
        self.open.clear();
        if self.dropped > 0 {
            let count = Json::Int(std::mem::take(&mut self.dropped) as i64);
            let dropped =
                [("event", Json::text("dropped")), ("within", Json::Null), ("count", count)];
            events.push(Json::map(dropped));
        }
        Json::List(events)
    }
}
