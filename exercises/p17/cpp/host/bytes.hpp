#pragma once

#include <string>
#include <string_view>

namespace [[gnu::visibility("hidden")]] host {

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view text);

}  // namespace host
