#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "host/json.hpp"
#include "host/runner.hpp"
#include "p17/cpu_graph.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// A function that the exercise gives, without what notes its calls.
struct Function {
  p17::Fn compute;
};

using Thing = std::variant<p17::Matrix, p17::CpuGraph, std::shared_ptr<Function>,
                           std::shared_ptr<submission::Runner>>;

/// The objects that the grading side has been told of, each under a number, its ref. They are
/// held, so that no memory of theirs is handed out again.
class Values {
 public:
  /// Throws ProtocolError.
  const Thing& operator[](const Json& ref) const;

  /// Throws ProtocolError: it is of another type.
  template <class T>
  const T& get(const Json& ref) const {
    const T* found = std::get_if<T>(&(*this)[ref]);
    if (found == nullptr) wrong_type();
    return *found;
  }

  /// A tensor that is given, or told of by its ref.
  p17::Matrix matrix(const Json& value) const;

  std::string describe(const Thing& thing);

  /// Begins anew. Gives back all that there was, to be let go of.
  std::vector<Thing> forget();

 private:
  [[noreturn]] static void wrong_type();
  std::string ref(const Thing& thing);

  std::vector<Thing> held_;
  std::map<const void*, std::size_t> refs_;
};

/// The elements of a tensor value, laid out by its `strides` where it has any.
/// Throws ProtocolError, TypeError.
p17::Matrix decoded(const Json& value);

/// Throws TypeError: there is none of that name.
p17::DType dtype_of(const Json& value);

/// An integer or a float.
double number(const Json& value);

}  // namespace host
