// fails: bucket_choice
// last_bucket is 0 before any replay.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "p17/cpu_graph.hpp"

using namespace p17;

class GraphRunner {
 public:
  struct Stats {
    int replays = 0;
    int eager = 0;
    int last_bucket = 0;
  };

  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  Stats stats;

  GraphRunner(Fn fn, std::vector<int> sizes, int hidden, DType dtype = DType::float32)
      : buckets(std::move(sizes)), fn_(std::move(fn)) {
    std::sort(buckets.begin(), buckets.end());
    static_in = Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(buckets.back(), hidden, dtype);
  }

  void capture() {
    for (auto it = buckets.rbegin(); it != buckets.rend(); ++it) {
      CpuGraph graph(fn_, static_in.row_range(0, *it), static_out.row_range(0, *it));
      graph.capture();
      graphs.emplace(*it, graph);
    }
  }

  Matrix run(const Matrix& x, bool force_eager = false) {
    const int bs = x.rows();
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), bs);
    if (force_eager || bucket == buckets.end() || graphs.count(*bucket) == 0) {
      ++stats.eager;
      return fn_(x);
    }
    static_in.row_range(0, bs).copy_from(x);
    static_in.row_range(bs, *bucket).fill(0);
    graphs.at(*bucket).replay();
    ++stats.replays;
    stats.last_bucket = *bucket;
    return static_out.row_range(0, bs).clone();
  }

 private:
  Fn fn_;
};
