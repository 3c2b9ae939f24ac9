// right: all rows past the batch are cleared, more than the graph reads
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph, p17::DType, p17::Fn, p17::Matrix;

class GraphRunner {
 public:
  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  struct Stats {
    int replays = 0, eager = 0;
    std::optional<int> last_bucket;
  } stats;

  GraphRunner(Fn fn, std::vector<int> sizes, int hidden, DType dtype = DType::float32)
      : buckets(sizes), fn_(fn) {
    std::sort(buckets.begin(), buckets.end());
    static_in = Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(buckets.back(), hidden, dtype);
  }

  void capture() {
    for (auto b = buckets.rbegin(); b != buckets.rend(); ++b) {
      graphs[*b] = CpuGraph(fn_, static_in.row_range(0, *b), static_out.row_range(0, *b));
      graphs[*b].capture();
    }
  }

  Matrix run(const Matrix& x, bool force_eager = false) {
    const auto graph = graphs.lower_bound(x.rows());
    if (force_eager || graph == graphs.end()) {
      ++stats.eager;
      return fn_(x);
    }
    static_in.row_range(x.rows(), static_in.rows()).fill(0);
    static_in.row_range(0, x.rows()).copy_from(x);
    graph->second.replay();
    ++stats.replays;
    stats.last_bucket = graph->first;
    return static_out.row_range(0, x.rows()).clone();
  }

 private:
  Fn fn_;
};
