#include "host/json.hpp"

#include <cstdlib>

#include "host/faults.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// Reads one value after the other from a text.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Json value() {
    Json json;
    switch (peek()) {
      case '{': json.value_ = members(); break;
      case '[': json.value_ = items(); break;
      case '"': json.value_ = string(); break;
      case 't': json.value_ = true; skip("true"); break;
      case 'f': json.value_ = false; skip("false"); break;
      case 'n': skip("null"); break;
      default: json.value_ = integer();
    }
    return json;
  }

 private:
  /// What comes next, blanks aside.
  char peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    if (rest_.empty()) throw ProtocolError("JSON that ends too early");
    return rest_.front();
  }

  void skip(std::string_view word) {
    if (peek() != word.front() || rest_.substr(0, word.size()) != word) {
      throw ProtocolError("no JSON: " + std::string(rest_.substr(0, 20)));
    }
    rest_.remove_prefix(word.size());
  }

  /// Whether there is another part before the bracket that closes, and no comma is missing.
  bool another(char closing, bool first) {
    if (peek() == closing) {
      rest_.remove_prefix(1);
      return false;
    }
    if (!first) skip(",");
    return true;
  }

  Json::Members members() {
    Json::Members found;
    skip("{");
    while (another('}', found.empty())) {
      std::string name = string();
      skip(":");
      found[std::move(name)] = value();
    }
    return found;
  }

  std::vector<Json> items() {
    std::vector<Json> found;
    skip("[");
    while (another(']', found.empty())) found.push_back(value());
    return found;
  }

  std::int64_t integer() {
    const std::size_t length = std::min(rest_.find_first_not_of("-0123456789"), rest_.size());
    if (length == 0) throw ProtocolError("no JSON: " + std::string(rest_.substr(0, 20)));
    const std::string digits(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return std::strtoll(digits.c_str(), nullptr, 10);
  }

  std::string string() {
    std::string text;
    skip("\"");
    while (true) {
      const std::size_t plain = rest_.find_first_of("\"\\");
      if (plain == std::string_view::npos) throw ProtocolError("JSON that ends too early");
      text += rest_.substr(0, plain);
      const char end = rest_[plain];
      rest_.remove_prefix(plain + 1);
      if (end == '"') return text;
      text += escaped();
    }
  }

  /// What stands for itself, or what a letter or a number stands for, behind a backslash.
  std::string escaped() {
    const char letter = rest_.empty() ? 'u' : rest_.front();
    if (letter != 'u') {
      rest_.remove_prefix(1);
      const std::size_t control = std::string_view("bfnrt").find(letter);
      return {control == std::string_view::npos ? letter : "\b\f\n\r\t"[control]};
    }
    unsigned code = unit();
    const bool pair = code >> 10 == 0xD800 >> 10 && rest_.substr(0, 2) == "\\u";
    if (pair) {
      rest_.remove_prefix(1);
      code = 0x10000 + ((code & 0x3FF) << 10) + (unit() & 0x3FF);
    }
    if (code < 0x80) return {static_cast<char>(code)};
    std::string bytes;
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes += static_cast<char>((0xF00 >> more & 0xFF) | code >> 6 * more);
    for (int i = more - 1; i >= 0; --i) bytes += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
    return bytes;
  }

  unsigned unit() {
    if (rest_.size() < 5) throw ProtocolError("JSON that ends too early");
    const std::string digits(rest_.substr(1, 4));
    rest_.remove_prefix(5);
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  std::string_view rest_;
};

Json Json::parse(std::string_view text) { return Parser(text).value(); }

template <class T>
const T& Json::as() const {
  const T* value = std::get_if<T>(&value_);
  if (value == nullptr) throw ProtocolError("a value of another kind was expected");
  return *value;
}

template const bool& Json::as() const;
template const std::int64_t& Json::as() const;
template const std::string& Json::as() const;
template const std::vector<Json>& Json::as() const;

const Json& Json::operator[](const std::string& name) const {
  static const Json& none = *new Json;
  const Members& members = as<Members>();
  const auto found = members.find(name);
  return found == members.end() ? none : found->second;
}

/// How many bytes of the beginning of a text are one character in UTF-8; 0 if they are none.
static std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (text.size() < size) return 0;
  unsigned code = size == 1 ? first : first & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  return too_long || code >> 11 == 0xD800 >> 11 || code > 0x10FFFF ? 0 : size;
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t size = character(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (size == 0) {
      json += "\\ufffd";
    } else if (first < 0x20) {
      json += {'\\', 'u', '0', '0', static_cast<char>('0' + (first >> 4)), "0123456789abcdef"[first & 0xF]};
    } else {
      if (first == '"' || first == '\\') json += '\\';
      json += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return json + '"';
}

std::string array(const std::vector<std::string>& items) {
  std::string json = "[";
  for (const std::string& item : items) {
    if (json.size() > 1) json += ',';
    json += item;
  }
  return json + ']';
}

Object Object::tagged(std::string_view tag) { return Object().add("$", quoted(tag)); }

Object& Object::add(std::string_view name, std::string_view json) {
  text_ += text_.empty() ? '{' : ',';
  text_ += quoted(name);
  text_ += ':';
  text_ += json;
  return *this;
}

}  // namespace host
