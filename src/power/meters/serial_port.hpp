#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// A serial line at 115200 baud, 8 bits, no parity, 1 stop bit, in raw mode, opened exclusively.
class SerialPort {
 public:
  /// Opens the port. Throws Error if there is no such port, if it is in use or not a serial port, or if the
  /// user may not open it.
  explicit SerialPort(const std::string& path);
  ~SerialPort();
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  /// Returns the text received since the last call, which may be empty, without waiting. Returns no value if
  /// the device is gone.
  std::optional<std::string> read() const;
  /// Sends a text. Returns false if the device is gone.
  bool write(std::string_view text) const;

 private:
  int port_ = -1;
};

/// The cause why a port cannot be opened, and its remedy. Both are empty if the port can be opened.
struct PortLack {
  std::string cause{};
  std::string remedy{};
};
/// Finds out without opening a port why it cannot be opened.
PortLack port_lack(const std::string& path);

}  // namespace kjoule
