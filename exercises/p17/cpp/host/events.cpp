#include "host/events.hpp"

#include <algorithm>
#include <stdexcept>

#include "p17/watch.hpp"

namespace [[gnu::visibility("hidden")]] host {

constexpr std::size_t most_events = 10000;

std::shared_ptr<Event> EventLog::emit(const std::string& name) {
  if (events_.size() == most_events) {
    ++dropped_;
    throw std::runtime_error("more than 10000 calls of what is given, in one call");
  }
  auto event = std::make_shared<Event>(Event{name, {}});
  event->fields.add("event", quoted(name));
  event->fields.add("within", open_.empty() ? "null" : quoted(open_.back()->name));
  events_.push_back(event);
  return event;
}

std::shared_ptr<Event> EventLog::begin(const std::string& name) {
  auto event = emit(name);
  open_.push_back(event);
  return event;
}

void EventLog::end(const std::shared_ptr<Event>& event) {
  open_.erase(std::remove(open_.begin(), open_.end(), event), open_.end());
}

std::vector<std::string> EventLog::take() {
  std::vector<std::string> told;
  for (const auto& event : std::exchange(events_, {})) told.push_back(event->fields.text());
  if (const long long count = std::exchange(dropped_, 0); count > 0) {
    Object dropped;
    dropped.add("event", quoted("dropped")).add("within", "null");
    told.push_back(dropped.add("count", std::to_string(count)).text());
  }
  return told;
}

Subject& the_subject() {
  static Subject& subject = *new Subject;  // outlives all that a submission leaves behind
  return subject;
}

/// Every function that is given is of this type, so that nothing tells one from another.
struct Noted {
  std::shared_ptr<Function> function;

  p17::Matrix operator()(const p17::Matrix& x) const {
    {
      Subject& subject = the_subject();
      const std::lock_guard lock(subject.mutex);
      const std::string called = subject.values.describe(function);
      const std::string input = subject.values.describe(x);
      subject.log.emit("function")->fields.add("function", called).add("input", input);
    }
    return function->compute(x);
  }
};

p17::Fn noted(std::shared_ptr<Function> function) { return Noted{std::move(function)}; }

}  // namespace host

namespace p17 {

Watch::Watch(Act act, const CpuGraph& graph, const Matrix& static_in, const Matrix& static_out)
    : output_(static_out) {
  host::Subject& subject = host::the_subject();
  const std::lock_guard lock(subject.mutex);
  const std::string told = subject.values.describe(graph);
  const std::string input = subject.values.describe(static_in);
  const auto event = subject.log.begin(act == capture ? "capture" : "replay");
  event_ = event;
  event->fields.add("graph", told).add("input", input);
  if (act == capture) event->fields.add("output", subject.values.describe(static_out));
}

Watch::~Watch() {
  host::Subject& subject = host::the_subject();
  const std::lock_guard lock(subject.mutex);
  const auto event = std::static_pointer_cast<host::Event>(event_);
  subject.log.end(event);
  try {
    // What a replay wrote is told as it is when the replay is over.
    if (event->name == "replay") event->fields.add("output", subject.values.describe(output_));
  } catch (const std::bad_alloc&) {
    // The event stays without it, which the grading side takes for what it is.
  }
}

}  // namespace p17
