#include "host/faults.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <typeinfo>

#include "p17/not_implemented.hpp"

namespace [[gnu::visibility("hidden")]] host {

constexpr std::size_t longest_message = 2000;

static Object& fill(Object& error, const char* kind, const std::string& type, std::string message) {
  if (message.size() > longest_message) message.resize(longest_message);
  error.add("kind", quoted(kind)).add("type", quoted(type)).add("message", quoted(message));
  return error.add("line", "null").add("code", "null");
}

/// The type of the exception being handled, as one writes it.
static std::string type_name() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type->name();
}

Object described_exception(Object error, const char* kind) {
  try {
    throw;
  } catch (const std::bad_alloc& lack) {
    return fill(error, "memory", "std::bad_alloc", lack.what());
  } catch (const ProtocolError& fault) {
    return fill(error, "protocol", "", fault.what());
  } catch (const TypeError& fault) {
    return fill(error, kind, "TypeError", fault.what());
  } catch (const p17::NotImplemented& unfinished) {
    return fill(error, kind, "NotImplementedError", unfinished.what());
  } catch (const std::exception& thrown) {
    const char* what = thrown.what();
    return fill(error, kind, type_name(), what == nullptr ? "" : what);
  } catch (const std::string& text) {
    return fill(error, kind, "std::string", text);
  } catch (const char* text) {
    return fill(error, kind, "const char*", text == nullptr ? "" : text);
  } catch (...) {
    return fill(error, kind, type_name(), "");
  }
}

}  // namespace host
