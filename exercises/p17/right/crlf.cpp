// right: lines end in CR LF, and the map of graphs is ordered largest first
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "p17/cpu_graph.hpp"

using namespace p17;

class GraphRunner
{
public:
    std::set<int> buckets;
    Matrix static_in;
    Matrix static_out;
    std::map<int, std::shared_ptr<CpuGraph>, std::greater<int>> graphs;
    struct Stats { int replays = 0; int eager = 0; std::optional<int> last_bucket; } stats;

    GraphRunner(Fn f, std::vector<int> sizes, int hidden, DType dtype = DType::float32)
        : buckets(sizes.begin(), sizes.end()), fn(f)
    {
        const int max_bs = *buckets.rbegin();
        static_in = Matrix::zeros(max_bs, hidden, dtype);
        static_out = Matrix::zeros(max_bs, hidden, dtype);
        for (int bucket : buckets) graphs[bucket] = nullptr;
    }

    void capture()
    {
        for (auto& [bucket, graph] : graphs)
        {
            graph = std::make_shared<CpuGraph>(
                fn, static_in.row_range(0, bucket), static_out.row_range(0, bucket));
            graph->capture();
        }
    }

    Matrix run(const Matrix& x, bool force_eager = false)
    {
        const int bs = x.rows();
        const auto bucket = buckets.lower_bound(bs);
        const auto graph = bucket == buckets.end() ? nullptr : graphs[*bucket];
        if (force_eager || !graph)
        {
            stats.eager += 1;
            return fn(x);
        }
        static_in.row_range(0, bs).copy_from(x);
        static_in.row_range(bs, *bucket).fill(0);
        graph->replay();
        stats.replays += 1;
        stats.last_bucket = *bucket;
        return static_out.row_range(0, bs).clone();
    }

private:
    Fn fn;
};
