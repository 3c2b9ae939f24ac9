// right: helper classes, one for the buffers and one for the choice, with inheritance
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "p17/cpu_graph.hpp"

namespace runner {

/// Both static buffers, of which every graph has the first rows.
struct Buffers {
  p17::Matrix static_in, static_out;

  Buffers(int rows, int cols, p17::DType dtype)
      : static_in(p17::Matrix::zeros(rows, cols, dtype)),
        static_out(p17::Matrix::zeros(rows, cols, dtype)) {}

  void load(const p17::Matrix& x, int bucket) {
    static_in.row_range(0, x.rows()).copy_from(x);
    static_in.row_range(x.rows(), bucket).fill(0);
  }

  p17::Matrix result(int bs) const { return static_out.clone().row_range(0, bs); }
};

/// The buckets, smallest first.
struct Buckets {
  std::vector<int> buckets;

  explicit Buckets(std::vector<int> sizes) : buckets(std::move(sizes)) {
    std::sort(buckets.begin(), buckets.end());
  }

  int largest() const { return buckets.back(); }
};

struct Stats {
  int replays = 0;
  int eager = 0;
  std::optional<int> last_bucket;
};

}  // namespace runner

class GraphRunner : public runner::Buckets, public runner::Buffers {
 public:
  GraphRunner(p17::Fn fn, std::vector<int> sizes, int hidden,
              p17::DType dtype = p17::DType::float32)
      : Buckets(std::move(sizes)), Buffers(largest(), hidden, dtype), fn_(std::move(fn)) {}

  std::map<int, p17::CpuGraph> graphs;
  runner::Stats stats;

  void capture() {
    for (auto bucket = buckets.rbegin(); bucket != buckets.rend(); ++bucket) {
      const auto [graph, _] = graphs.emplace(
          *bucket, p17::CpuGraph(fn_, static_in.row_range(0, *bucket),
                                 static_out.row_range(0, *bucket)));
      graph->second.capture();
    }
  }

  p17::Matrix run(p17::Matrix x, bool force_eager = false) {
    auto graph = graphs.lower_bound(x.rows());
    if (graph == graphs.end() || force_eager) return ++stats.eager, fn_(x);
    const auto& [bucket, _] = *graph;
    load(x, bucket);
    graph->second.replay();
    ++stats.replays;
    stats.last_bucket = bucket;
    return result(x.rows());
  }

 private:
  p17::Fn fn_;
};
