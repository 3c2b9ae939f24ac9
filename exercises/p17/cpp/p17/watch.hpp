#pragma once

#include "p17/cpu_graph.hpp"

namespace p17 {

/// Sees what a graph does, for as long as that takes. By itself it does nothing: what grades links
/// another in its place.
class [[gnu::visibility("hidden")]] Watch {
 public:
  enum Act { capture, replay };

  Watch(Act act, const CpuGraph& graph, const Matrix& static_in, const Matrix& static_out);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Matrix output_;
  std::shared_ptr<void> event_;
};

}  // namespace p17
