#pragma once

#include <functional>
#include <memory>

#include "p17/matrix.hpp"
#include "p17/not_implemented.hpp"

namespace p17 {

/// The computation, [n, hidden] -> [n, hidden], rows in any number.
using Fn = std::function<Matrix(const Matrix&)>;

/// A CUDA graph on the CPU: one computation over one pair of static buffers.
///
/// A CUDA graph remembers kernels and the addresses that they read and write. So this one
/// remembers a function and two views, and a replay takes no arguments: new input gets in by
/// being written to the memory behind `static_in`, and the output is found in the memory behind
/// `static_out`.
///
///     Matrix in = Matrix::zeros(4, 1), out = Matrix::zeros(4, 1);
///     CpuGraph graph(fn, in.row_range(0, 2), out.row_range(0, 2));
///     graph.capture();
///     in.row_range(0, 2).fill(5);
///     graph.replay();   // rows 0 and 1 of out are fn(5) now
///
/// Copies of a `CpuGraph` are the same graph.
class CpuGraph {
 public:
  CpuGraph();  // over nothing
  CpuGraph(Fn fn, Matrix static_in, Matrix static_out);

  /// Records `fn` over the static views: calls it once, and writes nothing to `static_out`.
  /// Throws std::runtime_error if what `fn` returns does not fit `static_out`.
  void capture();

  /// Runs what was recorded: reads `static_in`, writes `static_out`.
  /// Throws std::runtime_error if nothing has been captured yet.
  void replay();

  bool captured() const;

  /// Copies of a graph have one state in common.
  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace p17
