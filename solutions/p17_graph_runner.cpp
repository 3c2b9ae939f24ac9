// P17, reference solution: a CUDA graph bucket runner.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph;
using p17::DType;
using p17::Fn;
using p17::Matrix;

/// Runs `fn` by replaying the smallest captured bucket that fits the batch.
class GraphRunner {
 public:
  struct Stats {
    int replays = 0;
    int eager = 0;
    std::optional<int> last_bucket;
  };

  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  Stats stats;

  /// fn: the computation, [n, hidden] -> [n, hidden], rows in any number.
  /// buckets: batch sizes to capture, in any order.
  /// hidden: columns of every batch.
  /// dtype: element type of both static buffers.
  GraphRunner(Fn fn, std::vector<int> buckets, int hidden, DType dtype = DType::float32)
      : buckets(std::move(buckets)), fn_(std::move(fn)) {
    std::sort(this->buckets.begin(), this->buckets.end());
    static_in = Matrix::zeros(this->buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(this->buckets.back(), hidden, dtype);
  }

  /// Captures one graph per bucket, largest first, all over the same two buffers.
  void capture() {
    for (auto b = buckets.rbegin(); b != buckets.rend(); ++b) {
      CpuGraph graph(fn_, static_in.row_range(0, *b), static_out.row_range(0, *b));
      graph.capture();
      graphs[*b] = graph;
    }
  }

  /// `fn(x)`, by replay where a bucket fits and by an eager call where none does.
  ///
  /// x: the batch, [bs, hidden]; it is not changed.
  /// force_eager: calls `fn` directly, as a request with its own generator needs.
  ///
  /// Gives [bs, hidden], sharing memory with no static buffer.
  Matrix run(const Matrix& x, bool force_eager = false) {
    const int bs = x.rows();
    // The smallest bucket that holds bs rows.
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), bs);
    if (force_eager || bucket == buckets.end() || graphs.count(*bucket) == 0) {
      ++stats.eager;
      return fn_(x);
    }
    static_in.row_range(0, bs).copy_from(x);
    static_in.row_range(bs, *bucket).fill(0);  // rows that an earlier, larger batch left behind
    graphs[*bucket].replay();
    ++stats.replays;
    stats.last_bucket = *bucket;
    return static_out.row_range(0, bs).clone();  // the next replay overwrites static_out
  }

 private:
  Fn fn_;
};
