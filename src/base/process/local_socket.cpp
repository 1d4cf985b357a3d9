#include "base/process/local_socket.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

namespace {

struct Address {
  sockaddr_un address{};
  socklen_t size = 0;

  /// An abstract address begins with a zero byte, which is written as "@" in names.
  explicit Address(const std::string& name) {
    if (name.size() < 2 || name.front() != '@' || name.size() > sizeof address.sun_path)
      throw Error("the environment variable KJOULE_SOCKET is set to " + name +
                      ", which is not the name of a socket of kjoule",
                  "unset it: kjoule sets it when it starts a program");
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

std::string fresh_name() {
  std::array<uint64_t, 2> random{};
  if (getentropy(random.data(), sizeof random) != 0)
    throw Error(std::string("no random number is available: ") + std::strerror(errno));
  return fmt::format("@kjoule-{}-{:016x}{:016x}", getpid(), random[0], random[1]);
}

/// Returns the process at the other end of a socket if it belongs to this user or to root; otherwise closes
/// the socket. If `root_trusts_all` and this process belongs to root, every process is accepted.
ConnectedProcess if_trusted(int socket, bool root_trusts_all) {
  if (socket < 0) return {};
  ucred who{};
  socklen_t size = sizeof who;
  const bool known = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (known && (who.uid == geteuid() || who.uid == 0 || (root_trusts_all && geteuid() == 0)))
    return {socket, who.pid};
  close(socket);
  return {};
}

}  // namespace

Listener::Listener() : Listener(fresh_name()) {}

Listener::Listener(std::string name)
    : name_(std::move(name)), descriptor_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const Address address(name_);
  if (descriptor_ >= 0 && bind(descriptor_, address.get(), address.size) == 0 &&
      listen(descriptor_, SOMAXCONN) == 0)
    return;
  const std::string why = std::strerror(errno);
  if (descriptor_ >= 0) close(descriptor_);
  throw Error("no socket to listen on could be opened: " + why);
}

Listener::~Listener() {
  close(descriptor_);
}

ConnectedProcess Listener::accept() {
  return if_trusted(accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC), false);
}

int connect_to(const std::string& name) {
  const Address address(name);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  int failed = 0;
  do {
    failed = connect(descriptor, address.get(), address.size);
  } while (failed != 0 && errno == EINTR);
  if (failed == 0) return descriptor;
  close(descriptor);
  return -1;
}

ConnectedProcess connect_to_trusted(const std::string& name) {
  return if_trusted(connect_to(name), true);
}

}  // namespace kjoule
