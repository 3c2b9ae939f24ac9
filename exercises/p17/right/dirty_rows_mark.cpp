// right: a mark says how far rows are dirty, and only those are cleared
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using namespace p17;

class GraphRunner {
  Fn fn_;
  int dirty_ = 0;  // rows [dirty_, end) of static_in are zero

 public:
  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::map<int, CpuGraph> graphs;
  struct Stats {
    int replays = 0, eager = 0;
    std::optional<int> last_bucket;
  } stats;

  GraphRunner(Fn fn, std::vector<int> sizes, int hidden, DType dtype = DType::float32)
      : fn_(std::move(fn)), buckets(std::move(sizes)) {
    std::sort(buckets.begin(), buckets.end());
    static_in = Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(buckets.back(), hidden, dtype);
  }

  void capture() {
    for (std::size_t i = buckets.size(); i > 0; --i) {
      const int b = buckets[i - 1];
      auto [place, is_new] =
          graphs.try_emplace(b, fn_, static_in.row_range(0, b), static_out.row_range(0, b));
      if (is_new) place->second.capture();
    }
  }

  Matrix run(const Matrix& x, bool force_eager = false) {
    const int bs = x.rows();
    const auto bucket = std::lower_bound(buckets.begin(), buckets.end(), bs);
    if (force_eager || bucket == buckets.end() || graphs.empty()) {
      ++stats.eager;
      return fn_(x);
    }
    static_in.row_range(0, bs).copy_from(x);
    if (bs < dirty_) static_in.row_range(bs, dirty_).fill(0);
    dirty_ = bs;
    graphs.at(*bucket).replay();
    ++stats.replays;
    stats.last_bucket = *bucket;
    return static_out.row_range(0, bs).clone();
  }
};
