// The submission, and what the host asks of it. Only this is compiled with each submission.
struct WhereTheFileEnds;
#include "p17_graph_runner.cpp"
struct WhereTheFileEnds;
static_assert(__is_same(WhereTheFileEnds, ::WhereTheFileEnds), "a } is missing in the file");

#include "host/runner.hpp"

namespace submission {

#define HAS(name, ...)                                                    \
  template <class Runner, class = void>                                   \
  constexpr bool name = false;                                            \
  template <class Runner>                                                 \
  constexpr bool name<Runner, std::void_t<decltype(__VA_ARGS__)>> = true;

HAS(has_capture, std::declval<Runner&>().capture())
HAS(has_run, p17::Matrix(std::declval<Runner&>().run(std::declval<const p17::Matrix&>())))
HAS(has_forced, std::declval<Runner&>().run(std::declval<const p17::Matrix&>(), true))
HAS(has_buckets, static_cast<long long>(*std::declval<Runner&>().buckets.begin()))
HAS(has_static_in, p17::Matrix(std::declval<Runner&>().static_in))
HAS(has_static_out, p17::Matrix(std::declval<Runner&>().static_out))
HAS(has_graphs, std::declval<Runner&>().graphs.begin()->second)
HAS(has_stats, std::declval<Runner&>().stats)
HAS(has_replays, static_cast<long long>(std::declval<Runner&>().stats.replays))
HAS(has_eager, static_cast<long long>(std::declval<Runner&>().stats.eager))
HAS(has_number, static_cast<long long>(std::declval<Runner&>().stats.last_bucket))
HAS(has_optional, static_cast<long long>(*std::declval<Runner&>().stats.last_bucket))

using Asked = ::GraphRunner;

template <class... More>
constexpr bool is_made_of = std::is_constructible_v<Asked, p17::Fn, std::vector<int>, int, More...>;

static_assert(is_made_of<>, "GraphRunner needs a public constructor (fn, buckets, hidden)");
static_assert(is_made_of<p17::DType>, "GraphRunner's constructor needs a 4th argument, a DType");
static_assert(has_capture<Asked>, "GraphRunner needs a public method capture()");
static_assert(has_run<Asked>, "GraphRunner needs a public method Matrix run(const Matrix& x)");
static_assert(has_forced<Asked>, "GraphRunner::run needs a 2nd argument, bool force_eager");
static_assert(has_buckets<Asked>, "GraphRunner needs a public member buckets, of integers");
static_assert(has_static_in<Asked>, "GraphRunner needs a public member static_in, a Matrix");
static_assert(has_static_out<Asked>, "GraphRunner needs a public member static_out, a Matrix");
static_assert(has_graphs<Asked>, "GraphRunner needs a public member graphs, a map of graphs");
static_assert(has_stats<Asked>, "GraphRunner needs a public member stats");
static_assert(has_replays<Asked>, "GraphRunner::stats needs a public member replays, a number");
static_assert(has_eager<Asked>, "GraphRunner::stats needs a public member eager, a number");
static_assert(has_optional<Asked> || has_number<Asked>,
              "GraphRunner::stats needs a public member last_bucket, std::optional<int>");

// Graphs may be kept by value or by pointer, and last_bucket as optional or as a number.
template <class Graph>
static std::optional<p17::CpuGraph> graph_or_none(const Graph& graph) {
  if constexpr (std::is_convertible_v<const Graph&, p17::CpuGraph>) {
    return graph;
  } else {
    return graph ? std::optional<p17::CpuGraph>(*graph) : std::nullopt;
  }
}

template <class Number>
static std::optional<long long> number_or_none(const Number& number) {
  if constexpr (std::is_convertible_v<const Number&, long long>) {
    return number;
  } else {
    return number ? std::optional<long long>(*number) : std::nullopt;
  }
}

class Adapter final : public Runner {
 public:
  template <class... Args>
  explicit Adapter(Args&&... args) : runner_(std::forward<Args>(args)...) {}

  void capture() override { runner_.capture(); }

  p17::Matrix run(const p17::Matrix& x, std::optional<bool> force_eager) override {
    return force_eager ? runner_.run(x, *force_eager) : runner_.run(x);
  }

  std::vector<long long> buckets() const override {
    return {runner_.buckets.begin(), runner_.buckets.end()};
  }

  p17::Matrix static_in() const override { return runner_.static_in; }
  p17::Matrix static_out() const override { return runner_.static_out; }

  Graphs graphs() const override {
    Graphs all;
    for (const auto& [bucket, graph] : runner_.graphs) {
      all.emplace_back(bucket, graph_or_none(graph));
    }
    return all;
  }

  Stats stats() const override {
    const auto& stats = runner_.stats;
    return {static_cast<long long>(stats.replays), static_cast<long long>(stats.eager),
            number_or_none(stats.last_bucket)};
  }

 private:
  Asked runner_;
};

std::shared_ptr<Runner> new_runner(p17::Fn fn, std::vector<int> buckets, int hidden,
                                   std::optional<p17::DType> dtype) {
  if (!dtype) return std::make_shared<Adapter>(std::move(fn), std::move(buckets), hidden);
  return std::make_shared<Adapter>(std::move(fn), std::move(buckets), hidden, *dtype);
}

}  // namespace submission
