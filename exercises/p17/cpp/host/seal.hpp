#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("hidden")]] host {

/// SHA-256, 32 bytes.
std::string sha256(std::string_view message);

/// The HMAC-SHA-256 of a message, 32 bytes.
std::string hmac(std::string_view key, std::string_view message);

}  // namespace host
