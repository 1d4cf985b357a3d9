#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// A serial line at 115200 baud, 8 bits, no parity, 1 stop bit, raw, for this process alone.
class SerialPort {
 public:
  /// Throws Error: no such port, not permitted, in use, not a serial port.
  explicit SerialPort(const std::string& path);
  ~SerialPort();
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  /// What came in since the last call, which may be nothing; does not wait. No value when the device is gone.
  std::optional<std::string> read() const;
  /// False when the device is gone.
  bool write(std::string_view text) const;

 private:
  int port_ = -1;
};

/// Why that port cannot be opened, by errno: cause and remedy; both empty when it can.
struct PortLack {
  std::string cause{};
  std::string remedy{};
};
PortLack port_lack(const std::string& path);

}  // namespace kjoule
