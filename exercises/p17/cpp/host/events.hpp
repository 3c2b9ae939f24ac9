#pragma once

#include <memory>
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

/// The function that a submission gets: it notes its calls, and does as the given one.
p17::Fn noted(std::shared_ptr<Function> function);

}  // namespace host
