#include "base/process/tcp_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/process/poll_limit.hpp"

namespace kjoule {

namespace {

/// Time for one of the addresses of a machine to answer. A firewall may drop the connections to another one.
constexpr std::chrono::milliseconds kAddressPatience{2000};

/// An address of a port on which this machine listens.
struct ListenedAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int port() const {
    return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                                               : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
  }
};

/// Returns the address of all interfaces, for IPv6 and IPv4.
ListenedAddress address_of_all_interfaces(int port) {
  ListenedAddress address;
  auto& any = reinterpret_cast<sockaddr_in6&>(address.storage);
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(static_cast<uint16_t>(port));
  any.sin6_addr = in6addr_any;
  address.size = sizeof any;
  return address;
}

/// Returns an address for IPv4 only: INADDR_ANY or INADDR_LOOPBACK.
ListenedAddress address_v4(int port, in_addr_t interface) {
  ListenedAddress address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<uint16_t>(port));
  v4.sin_addr.s_addr = htonl(interface);
  address.size = sizeof v4;
  return address;
}

/// Returns a socket that listens at the address, or none and errno.
TcpSocket listen_at(ListenedAddress address) {
  TcpSocket socket(::socket(address.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1, no = 0;
  if (socket.descriptor() < 0) return socket;
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.get()->sa_family == AF_INET6)
    setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(socket.descriptor(), address.get(), address.size) == 0 &&
      listen(socket.descriptor(), SOMAXCONN) == 0)
    return socket;
  const int failure = errno;
  socket = TcpSocket();
  errno = failure;
  return socket;
}

TcpSocket listen_on(int port, TcpListener::Reach reach) {
  if (reach == TcpListener::Reach::this_machine) return listen_at(address_v4(port, INADDR_LOOPBACK));
  TcpSocket socket = listen_at(address_of_all_interfaces(port));
  // A machine may have no IPv6.
  if (socket.descriptor() < 0 && errno != EADDRINUSE) return listen_at(address_v4(port, INADDR_ANY));
  return socket;
}

/// Prepares a connected socket for short messages, which are sent at once.
void send_at_once(const TcpSocket& socket) {
  const int yes = 1;
  setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/// Connects a new socket to one of a machine's addresses.
TcpConnection connect_to_address(const addrinfo& address, std::chrono::milliseconds limit) {
  TcpSocket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.descriptor() < 0) return {TcpSocket(), std::strerror(errno)};
  if (connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return {TcpSocket(), std::strerror(errno)};
    pollfd connected{.fd = socket.descriptor(), .events = POLLOUT, .revents = 0};
    if (poll(&connected, 1, poll_limit(limit)) <= 0) return {TcpSocket(), "no answer"};
  }
  int failure = 0;
  socklen_t size = sizeof failure;
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &failure, &size);
  if (failure != 0) return {TcpSocket(), std::strerror(failure)};
  fcntl(socket.descriptor(), F_SETFL, fcntl(socket.descriptor(), F_GETFL) & ~O_NONBLOCK);
  send_at_once(socket);
  return {std::move(socket), {}};
}

}  // namespace

TcpSocket::~TcpSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

TcpSocket::TcpSocket(TcpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void TcpSocket::limit_waiting(std::chrono::milliseconds limit) const {
  const timeval time{.tv_sec = limit.count() / 1000, .tv_usec = limit.count() % 1000 * 1000};
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
    setsockopt(descriptor_, SOL_SOCKET, direction, &time, sizeof time);
}

TcpListener::TcpListener(int port, Reach reach) : socket_(listen_on(port, reach)), port_(port) {
  if (descriptor() < 0)
    throw Error(fmt::format("port {} cannot be used: {}", port, std::strerror(errno)),
                "choose another one with --port");
  ListenedAddress own;
  own.size = sizeof own.storage;
  if (getsockname(descriptor(), own.get(), &own.size) == 0) port_ = own.port();
}

TcpSocket TcpListener::accept() const {
  TcpSocket socket(accept4(descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.descriptor() >= 0) send_at_once(socket);
  return socket;
}

TcpConnection connect_tcp(const std::string& host, int port, std::chrono::milliseconds limit) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failure != 0) return {TcpSocket(), gai_strerror(failure)};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  TcpConnection connection;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    connection = connect_to_address(*address, std::min(left, kAddressPatience));
    if (connection.socket.descriptor() >= 0) break;
  }
  return connection;
}

}  // namespace kjoule
