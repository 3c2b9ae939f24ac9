// fails: parity
// The batch is copied as if its rows lay one after another.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph;
using p17::DType;
using p17::Matrix;

struct GraphRunner {
  struct Stats {
    std::size_t replays = 0, eager = 0;
    std::optional<std::size_t> last_bucket = std::nullopt;
  };

  GraphRunner(p17::Fn fn, const std::vector<int>& buckets, int hidden,
              DType dtype = DType::float32);
  void capture();
  Matrix run(const Matrix& x, bool force_eager = false);

  p17::Fn fn;
  std::vector<int> buckets;
  Matrix static_in, static_out;
  std::unordered_map<int, std::unique_ptr<CpuGraph>> graphs;
  Stats stats;

 private:
  int bucket_for(int bs) const;
  void load(const Matrix& x, int bucket);
};

GraphRunner::GraphRunner(p17::Fn fn, const std::vector<int>& buckets, int hidden, DType dtype)
    : fn(fn),
      buckets(buckets),
      static_in(Matrix::zeros(*std::max_element(buckets.begin(), buckets.end()), hidden, dtype)),
      static_out(static_in.clone()) {
  std::sort(this->buckets.begin(), this->buckets.end());
}

void GraphRunner::capture() {
  for (std::size_t i = buckets.size(); i-- > 0;) {
    const int b = buckets[i];
    auto graph =
        std::make_unique<CpuGraph>(fn, static_in.row_range(0, b), static_out.row_range(0, b));
    graph->capture();
    graphs[b] = std::move(graph);
  }
}

// The smallest bucket that holds bs rows; -1 if none does.
int GraphRunner::bucket_for(int bs) const {
  for (const int bucket : buckets) {
    if (bucket >= bs) return bucket;
  }
  return -1;
}

void GraphRunner::load(const Matrix& x, int bucket) {
  const std::size_t size = x.rows() * x.cols() * size_of(x.dtype());
  std::memcpy(static_in.address(), x.address(), size);
  static_in.row_range(x.rows(), bucket).fill(0);
}

Matrix GraphRunner::run(const Matrix& x, bool force_eager) {
  const int bs = x.rows(), bucket = bucket_for(bs);
  const auto graph = graphs.find(bucket);
  if (force_eager || graph == graphs.end()) {
    stats.eager++;
    return fn(x);
  }
  load(x, bucket);
  graph->second->replay();
  stats.replays++;
  stats.last_bucket = bucket;
  return static_out.row_range(0, bs).clone();
}
