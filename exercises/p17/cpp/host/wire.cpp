#include "host/wire.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "host/bytes.hpp"
#include "host/seal.hpp"

namespace [[gnu::visibility("hidden")]] host {

constexpr int stream = 3;
constexpr int hung_up = 77;

std::string Wire::receive() {
  std::size_t seen = 0, end;
  while ((end = buffer_.find('\n', seen)) == std::string::npos) {
    seen = buffer_.size();
    char chunk[1 << 16];
    const ssize_t size = recv(stream, chunk, sizeof chunk, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) _exit(hung_up);
    buffer_.append(chunk, static_cast<std::size_t>(size));
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

void Wire::send(const std::string& line) {
  std::string sealed = key_.empty() ? "" : to_hex(hmac(key_, line)) + ' ';
  sealed.append(line) += '\n';
  for (std::size_t sent = 0; sent < sealed.size();) {
    const ssize_t size =
        ::send(stream, sealed.data() + sent, sealed.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) _exit(hung_up);
    sent += static_cast<std::size_t>(size);
  }
  key_ = next_key_;
}

}  // namespace host
