// right: members that never change are const, sizes are unsigned
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

namespace {

std::vector<std::size_t> sorted(const std::vector<int>& sizes) {
  std::vector<std::size_t> result(sizes.begin(), sizes.end());
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

class GraphRunner final {
 public:
  GraphRunner(const p17::Fn& fn, const std::vector<int>& sizes, std::size_t hidden,
              p17::DType dtype = p17::DType::float32)
      : buckets(sorted(sizes)),
        static_in(p17::Matrix::zeros(buckets.back(), hidden, dtype)),
        static_out(p17::Matrix::zeros(buckets.back(), hidden, dtype)),
        fn_(fn) {}

  const std::vector<std::size_t> buckets;
  const p17::Matrix static_in;
  const p17::Matrix static_out;
  std::map<std::size_t, p17::CpuGraph> graphs;

  struct Stats {
    std::size_t replays = 0;
    std::size_t eager = 0;
    std::optional<std::size_t> last_bucket;
  };
  Stats stats;

  void capture() {
    for (auto b = buckets.crbegin(); b != buckets.crend(); ++b) {
      p17::CpuGraph graph{fn_, static_in.row_range(0, *b), static_out.row_range(0, *b)};
      graph.capture();
      graphs.insert_or_assign(*b, graph);
    }
  }

  p17::Matrix run(const p17::Matrix& x, bool force_eager = false) {
    const std::optional<std::size_t> bucket = force_eager ? std::nullopt : bucket_for(x.rows());
    return bucket ? replayed(x, *bucket) : eager(x);
  }

 private:
  std::optional<std::size_t> bucket_for(std::size_t bs) const {
    const auto found = std::lower_bound(buckets.begin(), buckets.end(), bs);
    if (found == buckets.end() || graphs.find(*found) == graphs.end()) return std::nullopt;
    return *found;
  }

  p17::Matrix eager(const p17::Matrix& x) {
    ++stats.eager;
    return fn_(x);
  }

  p17::Matrix replayed(const p17::Matrix& x, std::size_t bucket) {
    static_in.row_range(0, x.rows()).copy_from(x);
    static_in.row_range(x.rows(), bucket).fill(0.0);
    graphs.at(bucket).replay();
    ++stats.replays;
    stats.last_bucket = bucket;
    return static_out.row_range(0, x.rows()).clone();
  }

  const p17::Fn fn_;
};
