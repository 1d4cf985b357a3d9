#pragma once
#include <chrono>
#include <string>

namespace kjoule {

/// A TCP socket, which is closed with this object.
class TcpSocket {
 public:
  explicit TcpSocket(int descriptor = -1) : descriptor_(descriptor) {}
  ~TcpSocket();
  TcpSocket(TcpSocket&& other) noexcept;
  TcpSocket& operator=(TcpSocket&& other) noexcept;

  /// Returns -1 if this object has no socket.
  int descriptor() const { return descriptor_; }
  /// Sets the time after which a call of send() or recv() that waits fails.
  void limit_waiting(std::chrono::milliseconds limit) const;

 private:
  int descriptor_;
};

/// A socket that listens on a TCP port.
class TcpListener {
 public:
  /// Which machines can connect.
  enum class Reach { this_machine, all_machines };
  /// Listens on a port; 0: on one that the system chooses. Throws Error if the port is in use or not allowed.
  TcpListener(int port, Reach reach);

  int port() const { return port_; }
  /// Returns a descriptor that is readable when a connection waits for accept().
  int descriptor() const { return socket_.descriptor(); }
  /// Accepts the next connection that waits; the result has no socket if none waits.
  TcpSocket accept() const;

 private:
  TcpSocket socket_;
  int port_;
};

/// The result of connect_tcp(): a socket, or the reason why there is none.
struct TcpConnection {
  TcpSocket socket;
  std::string lack;  ///< "Connection refused"
};
/// Connects to a port of a machine, whose name or address is `host`. Tries each of its addresses for 2 s at
/// most, and all together for up to `limit`, in addition to the time that the system takes to find them.
TcpConnection connect_tcp(const std::string& host, int port, std::chrono::milliseconds limit);

}  // namespace kjoule
