#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/json.hpp"
#include "host/values.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// Something that the given library was seen to do.
struct Event {
  std::string name;
  Object fields;
};

/// Keeps events until the next reply carries them away.
class EventLog {
 public:
  /// Notes an event. Throws std::runtime_error: there are too many, so that a loop without end
  /// ends.
  std::shared_ptr<Event> emit(const std::string& name);

  /// Notes an event that lasts: those noted until its end are within it.
  std::shared_ptr<Event> begin(const std::string& name);
  void end(const std::shared_ptr<Event>& event);

  /// The events since the last call of this method.
  std::vector<std::string> take();

 private:
  std::vector<std::shared_ptr<Event>> events_, open_;
  long long dropped_ = 0;
};

/// What is known of the submission.
struct Subject {
  /// Whoever looks at it, or adds to it, holds this. Code of the submission runs without, on
  /// whatever threads it likes.
  std::mutex mutex;
  Values values;
  EventLog log;
};

/// The one that a process has.
Subject& the_subject();

/// The function that a submission gets: it notes its calls, and does as the given one.
p17::Fn noted(std::shared_ptr<Function> function);

}  // namespace host
