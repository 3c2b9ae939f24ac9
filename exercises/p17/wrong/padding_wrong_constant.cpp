// fails: padding
// source: sglang #1779
// Padding rows are filled with ones, so that nothing divides by zero there.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph;
using p17::DType;
using p17::Fn;
using p17::Matrix;

class GraphRunner {
 public:
  GraphRunner(Fn f, std::vector<int> b, int columns, DType dtype = DType::float32)
      : fn(f), buckets(b), hidden(columns) {
    std::sort(buckets.begin(), buckets.end());
    max_bs = buckets.back();
    static_in = Matrix::zeros(max_bs, hidden, dtype);
    static_out = Matrix::zeros(max_bs, hidden, dtype);
  }

  // 最大的先录
  void capture() {
    std::vector<int> order(buckets.rbegin(), buckets.rend());
    for (int b : order) {
      graphs[b] = CpuGraph(fn, static_in.row_range(0, b), static_out.row_range(0, b));
      graphs[b].capture();
    }
  }

  Matrix run(const Matrix& x, bool force_eager = false) {
    int bs = x.rows();
    auto found = graphs.lower_bound(bs);
    if (force_eager || found == graphs.end()) {
      stats.eager += 1;
      return fn(x);
    }
    int b = found->first;
    Matrix input = static_in.row_range(0, bs);
    input.copy_from(x);
    if (b > bs) {
      Matrix padding = static_in.row_range(bs, b);
      padding.fill(1.0);
    }
    found->second.replay();
    stats.replays += 1;
    stats.last_bucket = b;
    Matrix output = static_out.row_range(0, bs);
    return output.clone();
  }

  Fn fn;
  std::vector<int> buckets;
  int hidden, max_bs;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  struct {
    int replays = 0, eager = 0;
    std::optional<int> last_bucket;
  } stats;
};
