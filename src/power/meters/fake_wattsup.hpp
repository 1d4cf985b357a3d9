#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns a WattsUp meter's record of a power in W, at 120 V.
inline std::string wattsup_record(double watts) {
  const int tenths = static_cast<int>(watts * 10 + 0.5);
  return fmt::format("#d,-,18,{},1200,{},0,0,0,0,{},1200,0,0,0,0,100,0,0,600,{};\r\n", tenths,
                     static_cast<int>(watts / 120 * 1000 + 0.5), tenths, tenths);
}

/// A simulated WattsUp meter on a pseudo-terminal, for tests. While it is plugged in, the serial port is at
/// `port`.
class FakeWattsup {
 public:
  explicit FakeWattsup(std::filesystem::path port) : port_(std::move(port)) { plug_in(); }
  ~FakeWattsup() { unplug(); }
  FakeWattsup(const FakeWattsup&) = delete;
  FakeWattsup& operator=(const FakeWattsup&) = delete;

  void plug_in() {
    meter_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    std::array<char, 128> name{};
    if (meter_ < 0 || grantpt(meter_) != 0 || unlockpt(meter_) != 0 ||
        ptsname_r(meter_, name.data(), name.size()) != 0)
      throw std::runtime_error("no pseudo-terminal");
    std::filesystem::create_symlink(name.data(), port_);
  }
  void unplug() {
    if (meter_ < 0) return;
    std::filesystem::remove(port_);
    close(meter_);
    meter_ = -1;
  }
  void send(std::string_view text) const {
    if (write(meter_, text.data(), text.size()) < 0) throw std::runtime_error("nobody listens");
  }
  void measure(double watts) const { send(wattsup_record(watts)); }
  /// Returns the text that the meter received since the last call.
  std::string received() const {
    std::array<char, 256> text{};
    const ssize_t got = read(meter_, text.data(), text.size());
    return got > 0 ? std::string(text.data(), static_cast<size_t>(got)) : "";
  }

 private:
  std::filesystem::path port_;
  int meter_ = -1;
};

}  // namespace kjoule
