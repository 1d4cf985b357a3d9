#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// A serial line at 115200 baud, 8 bits, no parity, 1 stop bit, in raw mode, opened exclusively.
class SerialPort {
 public:
  /// Opens the port. Throws Error if there is no such port, it is in use or not a serial port, or permission
  /// is missing.
  explicit SerialPort(const std::string& path);
  ~SerialPort();
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  /// Returns the text received since the last call, which may be empty. Does not wait. Returns no value if
  /// the device is gone.
  std::optional<std::string> read() const;
  /// Sends a text. Returns false if the device is gone.
  bool write(std::string_view text) const;

 private:
  int port_ = -1;
};

/// Why a port cannot be opened, and the remedy. Both are empty if it can be opened.
struct PortLack {
  std::string cause{};
  std::string remedy{};
};
/// Returns why a port cannot be opened, without opening it.
PortLack port_lack(const std::string& path);

}  // namespace kjoule
