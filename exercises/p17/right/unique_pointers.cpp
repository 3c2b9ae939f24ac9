// right: graphs are held by std::unique_ptr in an unordered map
#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "p17/cpu_graph.hpp"

using namespace p17;

class GraphRunner {
 public:
  struct Stats {
    int replays{0};
    int eager{0};
    std::optional<int> last_bucket{};
  };

  explicit GraphRunner(Fn fn, std::vector<int> sizes, int hidden, DType dtype = DType::float32)
      : fn_{std::move(fn)} {
    buckets = std::move(sizes);
    std::sort(buckets.begin(), buckets.end());
    static_in = Matrix::zeros(buckets.back(), hidden, dtype);
    static_out = Matrix::zeros(buckets.back(), hidden, dtype);
  }

  GraphRunner(const GraphRunner&) = delete;
  GraphRunner& operator=(const GraphRunner&) = delete;

  void capture() {
    std::for_each(buckets.rbegin(), buckets.rend(), [this](int bucket) {
      auto graph = std::make_unique<CpuGraph>(fn_, static_in.row_range(0, bucket),
                                              static_out.row_range(0, bucket));
      graph->capture();
      graphs.emplace(bucket, std::move(graph));
    });
  }

  [[nodiscard]] Matrix run(const Matrix& x, bool force_eager = false) {
    const int bs = x.rows();
    const auto fits = [bs](int bucket) { return bucket >= bs; };
    const auto bucket = std::find_if(buckets.cbegin(), buckets.cend(), fits);
    const auto graph = bucket == buckets.cend() ? graphs.end() : graphs.find(*bucket);
    if (force_eager || graph == graphs.end()) {
      ++stats.eager;
      return fn_(x);
    }
    static_in.row_range(0, bs).copy_from(x);
    static_in.row_range(bs, *bucket).fill(0);
    graph->second->replay();
    ++stats.replays;
    stats.last_bucket = *bucket;
    return static_out.row_range(0, bs).clone();
  }

  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::unordered_map<int, std::unique_ptr<CpuGraph>> graphs;
  Stats stats;

 private:
  Fn fn_;
};
