#include "host/bytes.hpp"

#include <array>

namespace [[gnu::visibility("hidden")]] host {

static constexpr std::string_view base64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static constexpr std::string_view hex = "0123456789abcdef";

/// Takes bits in groups of one size and gives them in groups of another, the first bits first.
template <class Take>
static void regroup(std::string_view groups, int from, int to, Take take) {
  unsigned bits = 0;
  int held = 0;
  for (const char group : groups) {
    bits = bits << from | static_cast<unsigned char>(group);
    for (held += from; held >= to; held -= to) take(bits >> (held - to) & ((1U << to) - 1));
  }
  if (held > 0 && to < 8) take(bits << (to - held) & ((1U << to) - 1));
}

static std::string spelled(std::string_view bytes, std::string_view digits, int bits) {
  std::string text;
  text.reserve(bytes.size() * 8 / bits + 4);
  regroup(bytes, 8, bits, [&](unsigned digit) { text += digits[digit]; });
  return text;
}

static std::string read(std::string_view text, std::string_view digits, int bits) {
  std::array<char, 256> values{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values[static_cast<unsigned char>(digits[i])] = static_cast<char>(i);
  }
  std::string groups(text.substr(0, text.find('=')));
  for (char& digit : groups) digit = values[static_cast<unsigned char>(digit)];
  std::string bytes;
  bytes.reserve(groups.size());
  regroup(groups, bits, 8, [&](unsigned byte) { bytes += static_cast<char>(byte); });
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
