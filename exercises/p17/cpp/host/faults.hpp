#pragma once

#include <stdexcept>

#include "host/json.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// A request that cannot be answered.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value of a type that there is not.
class TypeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is said of the exception being handled.
///
/// error: what there is to be added to.
/// kind: what to call it, where it is neither a lack of memory nor a fault of the request.
Object described_exception(Object error = {}, const char* kind = "exception");

}  // namespace host
