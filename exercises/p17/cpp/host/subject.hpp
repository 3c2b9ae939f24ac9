#pragma once

#include <mutex>

#include "host/events.hpp"
#include "host/values.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// What is known of the submission.
struct Subject {
  /// Whoever looks at it, or adds to it, holds this. Code of the submission runs without, on
  /// whatever threads it likes.
  std::mutex mutex;
  Values values;
  EventLog log;
};

/// The one that a process has. It outlives all that a submission leaves behind.
inline Subject& the_subject() {
  static Subject& subject = *new Subject;
  return subject;
}

}  // namespace host
