// fails: no_recapture
// Every bucket has buffers of its own, so that no graph can overwrite another's output.
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
      inputs[b] = Matrix::zeros(b, hidden, static_in.dtype());
      outputs[b] = Matrix::zeros(b, hidden, static_in.dtype());
      graphs[b] = CpuGraph(fn, inputs[b], outputs[b]);
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
    Matrix input = inputs[b].row_range(0, bs);
    input.copy_from(x);
    if (b > bs) {
      Matrix padding = inputs[b].row_range(bs, b);
      padding.fill(0.0);
    }
    found->second.replay();
    stats.replays += 1;
    stats.last_bucket = b;
    Matrix output = outputs[b].row_range(0, bs);
    return output.clone();
  }

  Fn fn;
  std::vector<int> buckets;
  int hidden, max_bs;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  std::map<int, Matrix> inputs, outputs;
  struct {
    int replays = 0, eager = 0;
    std::optional<int> last_bucket;
  } stats;
};
