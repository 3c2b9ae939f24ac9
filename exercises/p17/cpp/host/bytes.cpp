#include "host/bytes.hpp"

namespace [[gnu::visibility("hidden")]] host {

static constexpr std::string_view base64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static constexpr std::string_view hex = "0123456789abcdef";

/// Bytes as digits of so many bits each, zeros behind the last.
static std::string spelled(std::string_view bytes, std::string_view digits, int bits) {
  std::string text;
  text.reserve(bytes.size() * 8 / bits + 4);
  unsigned left = 0;
  int held = 0;
  for (const char byte : bytes) {
    left = left << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= bits;) text += digits[(left >> (held -= bits)) % digits.size()];
  }
  if (held > 0) text += digits[(left << (bits - held)) % digits.size()];
  return text;
}

/// The bytes that digits stand for; what does not fill a byte is left out.
static std::string read(std::string_view text, std::string_view digits, int bits) {
  char values[256] = {};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<char>(i);
  }
  std::string bytes;
  unsigned left = 0;
  int held = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    left = left << bits | static_cast<unsigned>(values[static_cast<unsigned char>(digit)]);
    if ((held += bits) >= 8) bytes += static_cast<char>(left >> (held -= 8));
  }
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text = spelled(bytes, base64, 6);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string from_base64(std::string_view text) { return read(text, base64, 6); }
std::string to_hex(std::string_view bytes) { return spelled(bytes, hex, 4); }
std::string from_hex(std::string_view text) { return read(text, hex, 4); }

}  // namespace host
