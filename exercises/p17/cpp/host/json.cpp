#include "host/json.hpp"

#include <cstdlib>

#include "host/faults.hpp"

namespace [[gnu::visibility("hidden")]] host {

/// Reads one value after the other from a text that ends in NUL.
class Parser {
 public:
  explicit Parser(const char* text) : at_(text) {}

  Json value() {
    Json json;
    switch (peek()) {
      case '{':
        json.value_ = Json::Members();
        while (another('}')) {
          std::string name = string();
          peek();  // ':'
          ++at_;
          std::get<Json::Members>(json.value_)[std::move(name)] = value();
        }
        break;
      case '[':
        json.value_ = std::vector<Json>();
        while (another(']')) std::get<std::vector<Json>>(json.value_).push_back(value());
        break;
      case '"': json.value_ = string(); break;
      case 't': json.value_ = true, at_ += 4; break;
      case 'f': json.value_ = false, at_ += 5; break;
      case 'n': at_ += 4; break;
      default:
        char* end = nullptr;
        json.value_ = std::int64_t{std::strtoll(at_, &end, 10)};
        if (end == at_) throw ProtocolError("a request that is no JSON");
        at_ = end;
    }
    return json;
  }

 private:
  /// What comes next, blanks aside.
  char peek() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
    return *at_;
  }

  /// Steps over a bracket or a comma. Whether there is another part then.
  bool another(char closing) {
    if (peek() != closing) ++at_;
    const bool more = peek() != closing;
    at_ += !more;
    return more;
  }

  std::string string() {
    std::string text;
    for (peek(), ++at_; *at_ != '"'; ++at_) {
      if (*at_ == '\0') throw ProtocolError("a request that is no JSON");
      if (*at_ == '\\') {
        text += escaped();
      } else {
        text += *at_;
      }
    }
    ++at_;
    return text;
  }

  /// What is meant by a backslash and what follows, the last of which is next then.
  std::string escaped() {
    const char letter = *++at_;
    const std::size_t control = std::string_view("bfnrt").find(letter);
    if (control != std::string_view::npos) return {"\b\f\n\r\t"[control]};
    if (letter != 'u') return {letter};
    unsigned code = unit();
    if (code >> 10 == 0xD800 >> 10 && at_[1] == '\\') {
      at_ += 2;
      code = 0x10000 + ((code & 0x3FF) << 10) + (unit() & 0x3FF);
    }
    if (code < 0x80) return {static_cast<char>(code)};
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    std::string bytes = {static_cast<char>(0xFF << (7 - more) | code >> 6 * more)};
    for (int i = more - 1; i >= 0; --i) bytes += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
    return bytes;
  }

  unsigned unit() {
    const std::string digits(at_ + 1, 4);
    at_ += 4;
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  const char* at_;
};

Json Json::parse(const std::string& text) { return Parser(text.c_str()).value(); }

template <class T>
const T& Json::as() const {
  if (const T* value = std::get_if<T>(&value_)) return *value;
  throw ProtocolError("a value of another kind was expected");
}

template const bool& Json::as() const;
template const std::int64_t& Json::as() const;
template const std::string& Json::as() const;
template const std::vector<Json>& Json::as() const;

const Json& Json::operator[](const std::string& name) const {
  static const Json& none = *new Json;
  const auto found = as<Members>().find(name);
  return found == as<Members>().end() ? none : found->second;
}

/// How many bytes of the beginning of a text are one character in UTF-8; 0 if they are none.
static std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 0 || text.size() < size) return 0;
  unsigned code = first & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool too_long = code < (size == 2 ? 0x80U : size == 3 ? 0x800U : 0x10000U);
  return too_long || code >> 11 == 0xD800 >> 11 || code > 0x10FFFF || first > 0xF4 ? 0 : size;
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t size = character(text);
    const char first = text.front();
    if (size == 0) {
      json += "\\ufffd";
    } else if (static_cast<unsigned char>(first) < ' ') {
      json += {'\\', 'u', '0', '0', "01"[first >> 4], "0123456789abcdef"[first & 0xF]};
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
  for (const std::string& item : items) (json += json.size() > 1 ? "," : "") += item;
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
