// right: the batch and the result are copied by address, with strides, and padding by memset
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph;
using p17::DType;
using p17::Matrix;

class GraphRunner {
 public:
  GraphRunner(p17::Fn fn, std::vector<int> b, int hidden, DType dtype = DType::float32)
      : buckets(b), fn_(fn), width_(size_of(dtype)) {
    std::sort(buckets.begin(), buckets.end());
    static_in = Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(buckets.back(), hidden, dtype);
  }

  void capture() {
    for (auto b = buckets.rbegin(); b != buckets.rend(); ++b) {
      auto& graph = graphs[*b];
      graph = CpuGraph(fn_, static_in.row_range(0, *b), static_out.row_range(0, *b));
      graph.capture();
    }
  }

  Matrix run(const Matrix& x, bool force_eager = false) {
    const int bs = x.rows();
    const auto graph = graphs.lower_bound(bs);
    if (force_eager || graph == graphs.end()) {
      stats.eager++;
      return fn_(x);
    }
    copy(x, static_in, bs);
    const std::size_t row = width_ * x.cols();
    std::memset(static_in.address(bs), 0, row * (graph->first - bs));
    graph->second.replay();
    stats.replays++;
    stats.last_bucket = graph->first;
    Matrix result = Matrix::zeros(bs, x.cols(), x.dtype());
    copy(static_out, result, bs);
    return result;
  }

  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  struct {
    unsigned replays = 0, eager = 0;
    std::optional<unsigned> last_bucket;
  } stats;

 private:
  void copy(const Matrix& from, Matrix& to, int rows) const {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < to.cols(); ++j) {
        std::memcpy(to.address(i, j), from.address(i, j), width_);
      }
    }
  }

  p17::Fn fn_;
  std::size_t width_;
};
