#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace [[gnu::visibility("hidden")]] host {

/// A JSON value as the grading side sends it, which writes it well; its only numbers are integers.
/// Whoever takes one for what it is not gets a ProtocolError.
class Json {
 public:
  static Json parse(const std::string& text);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_object() const { return std::holds_alternative<Members>(value_); }
  bool boolean() const { return as<bool>(); }
  std::int64_t integer() const { return as<std::int64_t>(); }
  const std::string& string() const { return as<std::string>(); }
  const std::vector<Json>& items() const { return as<std::vector<Json>>(); }

  /// A member of an object; null where there is none of that name.
  const Json& operator[](const std::string& name) const;

 private:
  friend class Parser;
  using Members = std::map<std::string, Json>;

  template <class T>
  const T& as() const;

  std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<Json>, Members> value_;
};

/// A text as JSON; bytes that are no UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

/// An array of things that are JSON already.
std::string array(const std::vector<std::string>& items);

/// An object that is written member by member, of values that are JSON already.
class Object {
 public:
  /// With a tag that says of which kind a value is.
  static Object tagged(std::string_view tag);

  Object& add(std::string_view name, std::string_view json);
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace host
