#pragma once

#include <stdexcept>

namespace p17 {

/// Thrown where something is still to be written. What that will need may be named, so that until
/// then no compiler calls it unused.
class NotImplemented : public std::logic_error {
 public:
  template <class... Needed>
  explicit NotImplemented(const Needed&...) : std::logic_error("not implemented") {}
};

}  // namespace p17
