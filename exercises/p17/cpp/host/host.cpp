#include "host/host.hpp"

#include <cstdio>
#include <exception>
#include <ostream>

#include "host/bytes.hpp"
#include "host/faults.hpp"
#include "host/functions.hpp"

// Whether a submission uses std::cout is not known here: where it does not, there is none.
#pragma weak _ZSt4cout
#pragma weak _ZNSo5flushEv
namespace std {
extern ostream cout;
}

namespace [[gnu::visibility("hidden")]] host {

/// Kept to be given back when a submission has taken all the rest.
constexpr std::size_t reserve_bytes = std::size_t{4} << 20;

/// The submission's code runs for as long as there is one of these.
class Outside {
 public:
  explicit Outside(std::unique_lock<std::mutex>& lock) : lock_(lock) { lock_.unlock(); }
  ~Outside() { lock_.lock(); }

 private:
  std::unique_lock<std::mutex>& lock_;
};

static std::string map(const std::vector<std::pair<std::string, std::string>>& items) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : items) pairs.push_back(array({key, value}));
  return Object::tagged("map").add("items", array(pairs)).text();
}

static std::string hello() {
  return map({{quoted("protocol"), "1"},
              {quoted("language"), quoted("cpp")},
              {quoted("runtime"), quoted(__VERSION__)}});
}


void Host::serve_until_load() {
  reserve_.resize(reserve_bytes);
  while (true) {
    const Json request = Json::parse(wire_.receive());
    if (request["op"].string() == "load") {
      load_ = request;
      return lock_.unlock();
    }
    answer(request);
  }
}

void Host::serve() {
  lock_.lock();
  answer(load_);
  while (true) answer(Json::parse(wire_.receive()));
}

void Host::refuse() {
  lock_.lock();
  Object said;
  reply(load_, said.add("error", described_exception({}, "import").text()));
}

void Host::answer(const Json& request) {
  Object said;
  try {
    try {
      said.add("value", done(request));
    } catch (...) {
      said.add("error", described_exception().text());
    }
    if (request["op"].string() == "call" && watched_.count(request["ref"].integer()) != 0) {
      said.add("after", after(request));
    }
    return reply(request, said);
  } catch (const std::bad_alloc&) {
    std::string().swap(reserve_);
    said = {};
    said.add("error", described_exception().text());
  }
  reply(request, said);
}

void Host::reply(const Json& request, Object said) {
  std::ostream* const out = load_.is_null() ? nullptr : &std::cout;
  if (out != nullptr) out->flush();
  std::fflush(nullptr);
  said.add("id", std::to_string(request["id"].integer()));
  wire_.send(said.add("events", array(subject_.log.take())).text());
}

std::string Host::done(const Json& request) {
  const std::string& op = request["op"].string();
  Values& values = subject_.values;
  if (op == "hello") return hello();
  if (op == "function") {
    const auto compute = made_function(request["name"].string(), request["params"]);
    return values.describe(std::make_shared<Function>(Function{compute}));
  }
  if (op == "tensor") return values.describe(decoded(request["value"]));
  if (op == "new") return made(request);
  if (op == "call") return called(request);
  if (op == "get") {
    const auto runner = values.get<std::shared_ptr<submission::Runner>>(request["ref"]);
    return attribute(*runner, request["name"].string());
  }
  if (op == "read") return values.describe(Thing(values[request["ref"]]));
  if (op == "shares_storage") {
    const auto& a = values.get<p17::Matrix>(request["a"]);
    return a.shares_storage(values.get<p17::Matrix>(request["b"])) ? "true" : "false";
  }
  if (op == "seal") {
    wire_.seal(from_hex(request["key"].string()));
  } else if (op == "write") {
    p17::Matrix(values.get<p17::Matrix>(request["ref"])).copy_from(decoded(request["value"]));
  } else if (op == "load" || op == "forget") {
    forget();
  } else {
    throw ProtocolError("no operation " + op);
  }
  return "null";
}

std::string Host::made(const Json& request) {
  const auto& args = request["args"].items();
  if (request["class"].string() != "GraphRunner" || args.size() < 3) {
    throw ProtocolError("no such class");
  }
  auto function = subject_.values.get<std::shared_ptr<Function>>(args[0]["ref"]);
  std::vector<int> buckets;
  for (const Json& bucket : args[1].items()) buckets.push_back(static_cast<int>(bucket.integer()));
  std::optional<p17::DType> dtype;
  const Json& given = args.size() > 3 ? args[3] : request["kwargs"]["dtype"];
  if (!given.is_null()) dtype = dtype_of(given);
  std::shared_ptr<submission::Runner> runner;
  {
    const Outside outside(lock_);
    const auto hidden = static_cast<int>(args[2].integer());
    runner = submission::new_runner(noted(std::move(function)), std::move(buckets), hidden, dtype);
  }
  const std::string told = subject_.values.describe(runner);
  auto& watch = watched_[Json::parse(told)["ref"].integer()];
  for (const Json& name : request["watch"].items()) watch.push_back(name.string());
  return told;
}

std::string Host::called(const Json& request) {
  const Thing target = subject_.values[request["ref"]];
  const auto& args = request["args"].items();
  std::optional<p17::Matrix> result;
  if (const auto* function = std::get_if<std::shared_ptr<Function>>(&target)) {
    const p17::Matrix x = subject_.values.matrix(args.at(0));
    const Outside outside(lock_);
    result = noted(*function)(x);
  } else {
    const auto runner = subject_.values.get<std::shared_ptr<submission::Runner>>(request["ref"]);
    const std::string& method = request["method"].string();
    if (method == "capture") {
      const Outside outside(lock_);
      runner->capture();
    } else if (method == "run") {
      const p17::Matrix x = subject_.values.matrix(args.at(0));
      std::optional<bool> forced;
      const Json& given = args.size() > 1 ? args[1] : request["kwargs"]["force_eager"];
      if (!given.is_null()) forced = given.boolean();
      const Outside outside(lock_);
      result = runner->run(x, forced);
    } else {
      throw ProtocolError("no method " + method);
    }
  }
  return result ? subject_.values.describe(*result) : "null";
}

std::string Host::after(const Json& request) {
  const auto runner = subject_.values.get<std::shared_ptr<submission::Runner>>(request["ref"]);
  Object told;
  for (const std::string& name : watched_[request["ref"].integer()]) {
    try {
      told.add(name, attribute(*runner, name));
    } catch (...) {
      told.add(name, described_exception(Object::tagged("error")).text());
    }
  }
  return told.text();
}

std::string Host::attribute(submission::Runner& runner, const std::string& name) {
  const auto read = [&](auto member) {
    const Outside outside(lock_);
    return (runner.*member)();
  };
  using submission::Runner;
  if (name == "static_in") return subject_.values.describe(read(&Runner::static_in));
  if (name == "static_out") return subject_.values.describe(read(&Runner::static_out));
  if (name == "buckets") {
    std::vector<std::string> buckets;
    for (const long long bucket : read(&Runner::buckets)) buckets.push_back(std::to_string(bucket));
    return array(buckets);
  }
  std::vector<std::pair<std::string, std::string>> items;
  if (name == "graphs") {
    for (const auto& [bucket, graph] : read(&Runner::graphs)) {
      items.emplace_back(std::to_string(bucket), subject_.values.describe(graph));
    }
    return map(items);
  }
  if (name != "stats") throw ProtocolError("no attribute " + name);
  const submission::Stats stats = read(&Runner::stats);
  return map({{quoted("replays"), std::to_string(stats.replays)},
              {quoted("eager"), std::to_string(stats.eager)},
              {quoted("last_bucket"),
               stats.last_bucket ? std::to_string(*stats.last_bucket) : "null"}});
}

void Host::forget() {
  watched_.clear();
  std::vector<Thing> left = subject_.values.forget();
  const Outside outside(lock_);
  left.clear();  // destructors are the submission's code
}

static Host& the_host() {
  static Host& host = *new Host;
  return host;
}

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

static std::terminate_handler usual_terminate;

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
