// P17 · CUDA graph bucket runner
//
// 先做什么 / What to do first
//     把三个函数里的 `throw NotImplemented(…)` 换成你的代码，然后运行
//     `./check.sh p17 --file mine/p17_graph_runner.cpp`。
//     Replace the three `throw NotImplemented(…)` by your code, then run
//     `./check.sh p17 --file mine/p17_graph_runner.cpp`.
//
// 任务 / Task
//     启动时，在同一块 static buffer 的前 b 行上为每个 bucket 录一张图；运行时选能装下这批请求的
//     最小 bucket，写入、清零、replay，把结果拷贝出来。
//     At start-up, capture one graph per bucket, each over the first b rows of the same static
//     buffers. At run time, take the smallest bucket that holds the batch: copy in, zero the
//     padding, replay, and hand out a copy.
//
//     `run(x)`, bs = x.rows():
//       1. b = 最小的 ≥ bs 的 bucket / the smallest bucket that is at least bs
//       2. 没有这样的 bucket、这个 bucket 没有图，或 force_eager → eager：直接返回 fn(x)，
//          不碰 static buffer 和 last_bucket
//          no such bucket, no graph for it, or force_eager → eager: return fn(x), and leave the
//          static buffers and last_bucket alone
//       3. static_in 的前 bs 行 ← x，第 bs 到 b-1 行 ← 0，replay，更新 stats，返回
//          static_out 前 bs 行的拷贝
//          rows [0, bs) of static_in ← x, rows [bs, b) ← 0, replay, update stats, return a copy
//          of rows [0, bs) of static_out
//
// 公有成员 / Public members that the checks read
//     buckets     从小到大 / sorted, smallest first
//     static_in   [max bucket, hidden]，dtype 由参数给定 / dtype as passed
//     static_out  同上 / the same
//     graphs      bucket -> CpuGraph
//     stats       {replays = 0, eager = 0, last_bucket = nullopt}
//
// CpuGraph(fn, static_in_view, static_out_view) 有 capture() 和 replay()，都不接受参数。
// CpuGraph(fn, static_in_view, static_out_view) has capture() and replay(); neither takes
// arguments.
//
// Matrix 是句柄，和 tensor 一样：复制一个 Matrix 不会复制数据。
// A Matrix is a handle, as a tensor is: copying a Matrix copies no numbers.
//     Matrix::zeros(rows, cols, dtype)   rows() cols() dtype()   get(i, j)   set(i, j, value)
//     row_range(begin, end)   第 begin 到 end-1 行的视图 / a view of rows [begin, end)
//     clone()                 拷贝 / a copy
//     copy_from(other)        原地写入，形状和 dtype 要相同 / writes in place; same shape and dtype
//     fill(value)             原地填满 / in place, too
//     shares_storage(other)   是否在同一块内存里 / whether both lie in the same memory
//
// 想用自己的 main 试一试 / To try it with a main of your own:
//     g++ -std=c++17 -g -iquote exercises/p17/cpp mine/p17_graph_runner.cpp exercises/p17/cpp/p17/*.cpp

#include <map>
#include <optional>
#include <vector>

#include "p17/cpu_graph.hpp"

using p17::CpuGraph;
using p17::DType;
using p17::Fn;  // std::function<Matrix(const Matrix&)>
using p17::Matrix;
using p17::NotImplemented;

class GraphRunner {
 public:
  struct Stats {
    int replays = 0;
    int eager = 0;
    std::optional<int> last_bucket;
  };

  std::vector<int> buckets;
  Matrix static_in;
  Matrix static_out;
  std::map<int, CpuGraph> graphs;
  Stats stats;

  GraphRunner(Fn fn, std::vector<int> buckets, int hidden, DType dtype = DType::float32) {
    throw NotImplemented(fn, buckets, hidden, dtype);
  }

  // 每个 bucket 恰好录一次，最大的先录。 / Each bucket exactly once, the largest first.
  void capture() { throw NotImplemented(); }

  // x: [bs, hidden] -> [bs, hidden]
  Matrix run(const Matrix& x, bool force_eager = false) { throw NotImplemented(x, force_eager); }
};
