#pragma once

#include <mutex>
#include <string>

#include "host/subject.hpp"
#include "host/wire.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// Answers the protocol for one submission, which is linked to it.
///
/// A submission's first code are the initializers of its globals, which run before `main`. So that
/// they run in answer to `load`, the host begins before them.
class Host {
 public:
  /// Answers requests until one is `load`.
  void serve_until_load();

  /// Answers `load`: the submission's initializers have run. Then all other requests.
  void serve();

  /// Answers `load`: an initializer has thrown what is being handled.
  void refuse();

 private:
  void answer(const Json& request);
  void reply(const Json& request, Object said);

  /// What is asked for: the reply's `value`.
  std::string done(const Json& request);
  std::string made(const Json& request);
  std::string called(const Json& request);
  std::string after(const Json& request);
  std::string attribute(submission::Runner& runner, const std::string& name);
  void forget();

  Subject& subject_ = the_subject();
  std::unique_lock<std::mutex> lock_{subject_.mutex};
  Wire wire_;
  Json load_;
  std::map<std::int64_t, std::vector<std::string>> watched_;
  std::string reserve_;
};

}  // namespace host
