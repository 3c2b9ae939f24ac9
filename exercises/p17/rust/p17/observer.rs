//! How a grader is told what graphs do. Nothing here is of use to a program that is none.

use std::cell::RefCell;
use std::rc::Rc;

use crate::cpu_graph::CpuGraph;

/// What lasts for a while, and of which both ends are told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Capture,
    Replay,
}

/// Who is told.
pub trait Observer {
    fn begin(&self, event: Event, graph: &CpuGraph);
    /// Also where what has begun ends in a panic.
    fn end(&self, event: Event, graph: &CpuGraph);
}

thread_local! {
    static OBSERVER: RefCell<Option<Rc<dyn Observer>>> = RefCell::new(None);
}

/// Have somebody be told of what graphs do on this thread, from now on.
///
/// # Panics
/// Somebody is told already, and shall not be robbed of it.
pub fn observe(observer: Rc<dyn Observer>) {
    OBSERVER.with(|place| {
        let mut place = place.borrow_mut();
        assert!(place.is_none(), "graphs are observed already");
        *place = Some(observer);
    });
}

/// Do something, its begin and end being told where somebody is there to be told.
pub(crate) fn observing<T>(event: Event, graph: &CpuGraph, act: impl FnOnce() -> T) -> T {
    struct Ending<'a>(Rc<dyn Observer>, Event, &'a CpuGraph);

    impl Drop for Ending<'_> {
        fn drop(&mut self) {
            self.0.end(self.1, self.2);
        }
    }

    let observer = OBSERVER.with(|place| place.borrow().clone());
    let _ending = observer.map(|observer| {
        observer.begin(event, graph);
        Ending(observer, event, graph)
    });
    act()
}
