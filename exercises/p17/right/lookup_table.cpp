// right: the bucket of every batch size is looked up in a table made at the beginning
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

struct GraphRunner {
  p17::Fn fn;
  std::vector<int> buckets;
  p17::Matrix static_in, static_out;
  std::map<int, p17::CpuGraph> graphs;
  struct {
    long replays = 0, eager = 0;
    std::optional<long> last_bucket;
  } stats;
  std::vector<int> bucket_of;  // batch size -> bucket

  GraphRunner(p17::Fn f, std::vector<int> b, int hidden, p17::DType dtype = p17::DType::float32)
      : fn(f), buckets(b) {
    std::sort(buckets.begin(), buckets.end());
    for (int bucket : buckets) bucket_of.resize(bucket + 1, bucket);
    static_in = p17::Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = static_in.clone();
  }

  void capture() {
    for (int i = static_cast<int>(buckets.size()) - 1; i >= 0; i--) {
      int b = buckets[i];
      p17::CpuGraph graph(fn, static_in.row_range(0, b), static_out.row_range(0, b));
      graph.capture();
      graphs[b] = graph;
    }
  }

  p17::Matrix run(const p17::Matrix& x, bool force_eager = false) {
    std::size_t bs = x.rows();
    if (force_eager || graphs.empty() || bs >= bucket_of.size()) {
      stats.eager++;
      return fn(x);
    }
    int b = bucket_of[bs];
    static_in.row_range(0, x.rows()).copy_from(x);
    static_in.row_range(x.rows(), b).fill(0);
    graphs[b].replay();
    stats.replays++;
    stats.last_bucket = b;
    return static_out.row_range(0, x.rows()).clone();
  }
};
