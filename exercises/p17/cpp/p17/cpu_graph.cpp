#include "p17/cpu_graph.hpp"

#include <stdexcept>
#include <utility>

#include "p17/watch.hpp"

namespace p17 {

[[gnu::weak]] Watch::Watch(Act, const CpuGraph&, const Matrix&, const Matrix&) {}
[[gnu::weak]] Watch::~Watch() = default;

struct CpuGraph::State {
  Fn fn;
  Matrix static_in, static_out;
  bool captured = false;
};

CpuGraph::CpuGraph() : CpuGraph(nullptr, Matrix(), Matrix()) {}

CpuGraph::CpuGraph(Fn fn, Matrix static_in, Matrix static_out)
    : state_(std::make_shared<State>(
          State{std::move(fn), std::move(static_in), std::move(static_out)})) {}

void CpuGraph::capture() {
  const auto state = state_;  // which the function may let go of
  state->captured = false;
  const Watch watch(Watch::capture, *this, state->static_in, state->static_out);
  const Matrix out = state->fn(state->static_in);
  if (out.form() != state->static_out.form()) {
    throw std::runtime_error("fn gives " + out.form() + ", but static_out is " +
                             state->static_out.form());
  }
  state->captured = true;
}

void CpuGraph::replay() {
  const auto state = state_;
  if (!state->captured) {
    throw std::runtime_error("replay() before capture(): there is nothing recorded to replay");
  }
  const Watch watch(Watch::replay, *this, state->static_in, state->static_out);
  state->static_out.copy_from(state->fn(state->static_in));
}

bool CpuGraph::captured() const { return state_->captured; }

}  // namespace p17
