// Answers the protocol for one submission, which is linked to it.
#include <cstdio>
#include <exception>
#include <ostream>

#include "host/bytes.hpp"
#include "host/events.hpp"
#include "host/faults.hpp"
#include "host/functions.hpp"
#include "host/wire.hpp"

// Whether a submission uses std::cout is not known here: where it does not, there is none.
#pragma weak _ZSt4cout
#pragma weak _ZNSo5flushEv
namespace std {
extern ostream cout;
}

namespace [[gnu::visibility("hidden")]] host {

using p17::Matrix;
using submission::Runner;
using Held = std::shared_ptr<Runner>;
using Given = std::shared_ptr<Function>;

/// Kept to be given back when a submission has taken all the rest.
constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

/// The submission's code runs for as long as there is one of these.
class Outside {
 public:
  explicit Outside(std::mutex& mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Outside() { mutex_.lock(); }

 private:
  std::mutex& mutex_;
};

/// A submission's first code are the initializers of its globals, which run before `main`. So that
/// they run in answer to `load`, the host begins before them.
class Host {
 public:
  /// Answers requests until one is `load`.
  void serve_until_load();

  /// Answers `load`: the initializers have run. Then all other requests.
  void serve();

  /// Answers `load`: an initializer has thrown what is being handled.
  void refuse();

 private:
  void answer(const Json& request);
  void reply(const Json& request, Object said);
  std::string done(const Json& request);
  std::string made(const Json& request);
  std::string called(const Json& request);
  std::string after(const Json& request);
  std::string attribute(const Runner& runner, const std::string& name);

  std::mutex& mutex_ = the_subject().mutex;
  Values& values_ = the_subject().values;
  Wire wire_;
  Json load_;
  std::map<std::int64_t, std::vector<std::string>> watched_;
  std::string reserve_ = std::string(reserve_bytes, '\0');
};

static std::string map(const std::vector<std::vector<std::string>>& items) {
  std::vector<std::string> pairs;
  for (const auto& pair : items) pairs.push_back(array(pair));
  return Object::tagged("map").add("items", array(pairs)).text();
}

void Host::serve_until_load() {
  const std::lock_guard lock(mutex_);
  while (load_.is_null()) {
    const Json request = Json::parse(wire_.receive());
    if (request["op"].string() == "load") {
      load_ = request;
    } else {
      answer(request);
    }
  }
}

void Host::serve() {
  const std::lock_guard lock(mutex_);
  answer(load_);
  while (true) answer(Json::parse(wire_.receive()));
}

void Host::refuse() {
  const std::lock_guard lock(mutex_);
  reply(load_, Object().add("error", described_exception({}, "import").text()));
}

void Host::answer(const Json& request) {
  try {
    Object said;
    try {
      said.add("value", done(request));
    } catch (...) {
      said.add("error", described_exception().text());
    }
    if (request["op"].string() == "call" && watched_.count(request["ref"].integer()) != 0) {
      said.add("after", after(request));
    }
    reply(request, said);
  } catch (const std::bad_alloc&) {
    std::string().swap(reserve_);
    reply(request, Object().add("error", described_exception().text()));
  }
}

void Host::reply(const Json& request, Object said) {
  // What was printed is to arrive before the reply does. Before `load` there is no stream yet.
  std::ostream* const out = load_.is_null() ? nullptr : &std::cout;
  try {
    if (out != nullptr) out->flush();
  } catch (...) {
    // It is the submission's stream, which may be told to throw.
  }
  std::fflush(nullptr);
  said.add("id", std::to_string(request["id"].integer()));
  wire_.send(said.add("events", array(the_subject().log.take())).text());
}

/// What is asked for: the reply's `value`.
std::string Host::done(const Json& request) {
  const std::string& op = request["op"].string();
  if (op == "hello") {
    return map({{quoted("protocol"), "1"},
                {quoted("language"), quoted("cpp")},
                {quoted("runtime"), quoted(__VERSION__)}});
  }
  if (op == "function") {
    const auto compute = made_function(request["name"].string(), request["params"]);
    return values_.describe(std::make_shared<Function>(Function{compute}));
  }
  if (op == "tensor") return values_.describe(decoded(request["value"]));
  if (op == "new") return made(request);
  if (op == "call") return called(request);
  if (op == "get") return attribute(*values_.get<Held>(request["ref"]), request["name"].string());
  if (op == "read") return values_.describe(Thing(values_[request["ref"]]));
  if (op == "shares_storage") {
    const auto &a = values_.get<Matrix>(request["a"]), &b = values_.get<Matrix>(request["b"]);
    return a.shares_storage(b) ? "true" : "false";
  }
  if (op == "seal") {
    wire_.seal(from_hex(request["key"].string()));
  } else if (op == "write") {
    Matrix(values_.get<Matrix>(request["ref"])).copy_from(decoded(request["value"]));
  } else if (op == "load" || op == "forget") {
    watched_.clear();
    std::vector<Thing> left = values_.forget();
    const Outside outside(mutex_);
    left.clear();  // destructors are the submission's code
  } else {
    throw ProtocolError("no operation " + op);
  }
  return "null";
}

std::string Host::made(const Json& request) {
  const auto& args = request["args"].items();
  if (request["class"].string() != "GraphRunner") throw ProtocolError("no such class");
  std::vector<int> buckets;
  for (const Json& b : args.at(1).items()) buckets.push_back(static_cast<int>(b.integer()));
  std::optional<p17::DType> dtype;
  if (const Json& given = request["kwargs"]["dtype"]; !given.is_null()) dtype = dtype_of(given);
  const Given function = values_.get<Given>(args[0]["ref"]);
  const auto hidden = static_cast<int>(args.at(2).integer());
  Held runner;
  {
    const Outside outside(mutex_);
    runner = submission::new_runner(noted(function), std::move(buckets), hidden, dtype);
  }
  const std::string told = values_.describe(runner);
  auto& watch = watched_[Json::parse(told)["ref"].integer()];
  for (const Json& name : request["watch"].items()) watch.push_back(name.string());
  return told;
}

std::string Host::called(const Json& request) {
  const Thing target = values_[request["ref"]];
  const auto& args = request["args"].items();
  const std::string& method = request["method"].is_null() ? "" : request["method"].string();
  std::optional<Matrix> x;
  if (!args.empty()) x = values_.matrix(args[0]);
  std::optional<bool> forced;
  if (const Json& given = request["kwargs"]["force_eager"]; !given.is_null()) {
    forced = given.boolean();
  }
  const auto* function = std::get_if<Given>(&target);
  const auto* runner = std::get_if<Held>(&target);
  std::optional<Matrix> result;
  {
    const Outside outside(mutex_);
    if (function != nullptr && x) {
      result = noted(*function)(*x);
    } else if (runner != nullptr && method == "run" && x) {
      result = (*runner)->run(*x, forced);
    } else if (runner != nullptr && method == "capture") {
      (*runner)->capture();
    } else {
      throw ProtocolError("no method " + method);
    }
  }
  return result ? values_.describe(*result) : "null";
}

std::string Host::after(const Json& request) {
  Object told;
  for (const std::string& name : watched_[request["ref"].integer()]) {
    try {
      told.add(name, attribute(*values_.get<Held>(request["ref"]), name));
    } catch (...) {
      told.add(name, described_exception(Object::tagged("error")).text());
    }
  }
  return told.text();
}

std::string Host::attribute(const Runner& runner, const std::string& name) {
  const auto read = [&](auto member) {
    const Outside outside(mutex_);
    return (runner.*member)();
  };
  if (name == "static_in") return values_.describe(read(&Runner::static_in));
  if (name == "static_out") return values_.describe(read(&Runner::static_out));
  if (name == "buckets") {
    std::vector<std::string> buckets;
    for (const auto bucket : read(&Runner::buckets)) buckets.push_back(std::to_string(bucket));
    return array(buckets);
  }
  if (name == "graphs") {
    std::vector<std::vector<std::string>> items;
    for (const auto& [bucket, graph] : read(&Runner::graphs)) {
      items.push_back({std::to_string(bucket), graph ? values_.describe(*graph) : "null"});
    }
    return map(items);
  }
  if (name != "stats") throw ProtocolError("no attribute " + name);
  const submission::Stats stats = read(&Runner::stats);
  const auto last = stats.last_bucket;
  return map({{quoted("replays"), std::to_string(stats.replays)},
              {quoted("eager"), std::to_string(stats.eager)},
              {quoted("last_bucket"), last ? std::to_string(*last) : "null"}});
}

static Host& the_host() {
  static Host& host = *new Host;
  return host;
}

static std::terminate_handler usual_terminate;

/// An initializer that throws ends the program by way of this.
[[noreturn]] static void initializer_threw() {
  if (!std::current_exception()) std::abort();
  try {
    throw;
  } catch (...) {
    the_host().refuse();
  }
  std::_Exit(1);
}

static void before_initializers() {
  the_host().serve_until_load();
  usual_terminate = std::set_terminate(initializer_threw);
}

[[gnu::section(".preinit_array"), gnu::used]] static void (*const first)() = before_initializers;

}  // namespace host

/// The linker has the program begin here: a submission may have a `main` of its own.
extern "C" int __wrap_main() {
  std::set_terminate(host::usual_terminate);
  host::the_host().serve();
  return 0;
}
