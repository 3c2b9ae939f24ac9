#pragma once

#include <string>

#include "host/json.hpp"
#include "p17/cpu_graph.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// Makes a function that the exercise gives: affine, linear, reciprocal or batch_sum.
///
/// Each computes in the dtype of its input, every operation rounded to it, and gives a new matrix.
p17::Fn made_function(const std::string& name, const Json& params);

}  // namespace host
