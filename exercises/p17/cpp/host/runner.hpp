#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "p17/cpu_graph.hpp"

namespace submission {

struct Stats {
  long long replays, eager;
  std::optional<long long> last_bucket;
};

using Graphs = std::vector<std::pair<long long, std::optional<p17::CpuGraph>>>;

/// A runner of the submission, whatever its members' types are exactly.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void capture() = 0;
  virtual p17::Matrix run(const p17::Matrix& x, std::optional<bool> force_eager) = 0;
  virtual std::vector<long long> buckets() const = 0;
  virtual p17::Matrix static_in() const = 0;
  virtual p17::Matrix static_out() const = 0;
  virtual Graphs graphs() const = 0;
  virtual Stats stats() const = 0;
};

std::shared_ptr<Runner> new_runner(p17::Fn fn, std::vector<int> buckets, int hidden,
                                   std::optional<p17::DType> dtype);

}  // namespace submission
