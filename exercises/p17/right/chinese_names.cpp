// right: names and output in Chinese
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using 矩阵 = p17::Matrix;
using 图 = p17::CpuGraph;

class GraphRunner {
  p17::Fn 函数;

 public:
  std::vector<int> buckets;
  矩阵 static_in, static_out;
  std::map<int, 图> graphs;
  struct {
    int replays = 0, eager = 0;
    std::optional<int> last_bucket;
  } stats;

  GraphRunner(p17::Fn fn, std::vector<int> 桶, int 列数, p17::DType 类型 = p17::DType::float32)
      : 函数(fn), buckets(桶) {
    std::sort(buckets.begin(), buckets.end());
    static_in = 矩阵::zeros(buckets.back(), 列数, 类型);
    static_out = 矩阵::zeros(buckets.back(), 列数, 类型);
  }

  void capture() {
    for (auto 桶 = buckets.rbegin(); 桶 != buckets.rend(); ++桶) {
      图 新图(函数, static_in.row_range(0, *桶), static_out.row_range(0, *桶));
      新图.capture();
      graphs[*桶] = 新图;
      std::printf("已录制：%d\n", *桶);
    }
  }

  矩阵 run(const 矩阵& 输入, bool force_eager = false) {
    const int 行数 = 输入.rows();
    const auto 选中 = graphs.lower_bound(行数);
    if (force_eager || 选中 == graphs.end()) {
      ++stats.eager;
      return 函数(输入);
    }
    static_in.row_range(0, 行数).copy_from(输入);
    static_in.row_range(行数, 选中->first).fill(0);
    选中->second.replay();
    ++stats.replays;
    stats.last_bucket = 选中->first;
    return static_out.row_range(0, 行数).clone();
  }
};
