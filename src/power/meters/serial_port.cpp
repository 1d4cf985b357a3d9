#include "power/meters/serial_port.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

PortLack lack_of(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
      return {path + ": no such port", "plug the meter in, or name another port with --port"};
    case EACCES:
    case EPERM:
      return {path + ": you have no permission to open it",
              "as root: usermod -aG dialout USER, then log in again"};
    case EBUSY:
      return {path + ": in use by another program", "end that program, or name another port with --port"};
    case ENOTTY:
    case EINVAL:
    case EISDIR:
      return {path + ": not a serial port", "name the meter's port, such as /dev/ttyUSB0, with --port"};
    default:
      return {fmt::format("{}: cannot be opened: {}", path, std::strerror(error)),
              "name another port with --port"};
  }
}

/// Sets raw mode and exclusive access. Returns 0, or the errno of the call that failed.
int make_raw(int port) {
  termios line{};
  if (tcgetattr(port, &line) != 0) return errno;
  cfmakeraw(&line);
  line.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  line.c_cflag |= CLOCAL | CREAD;
  cfsetispeed(&line, B115200);
  cfsetospeed(&line, B115200);
  line.c_cc[VMIN] = 0;
  line.c_cc[VTIME] = 0;
  if (tcsetattr(port, TCSANOW, &line) != 0) return errno;
  return ioctl(port, TIOCEXCL) == 0 ? 0 : errno;
}

}  // namespace

SerialPort::SerialPort(const std::string& path)
    : port_(open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
  const int error = port_ < 0 ? errno : make_raw(port_);
  if (error == 0) return;
  if (port_ >= 0) close(port_);
  const PortLack lack = lack_of(path, error);
  throw Error(lack.cause, lack.remedy);
}

SerialPort::~SerialPort() {
  ioctl(port_, TIOCNXCL);
  close(port_);
}

std::optional<std::string> SerialPort::read() const {
  std::string text;
  std::array<char, 1024> part{};
  while (true) {
    const ssize_t got = ::read(port_, part.data(), part.size());
    if (got > 0) {
      text.append(part.data(), static_cast<size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got == 0 || errno == EAGAIN) {
      // 0 means either that there is nothing to read or that the device is gone. In the second case
      // tcgetattr fails.
      termios line{};
      if (text.empty() && got == 0 && tcgetattr(port_, &line) != 0) return {};
      return text;
    } else {
      if (text.empty()) return {};
      return text;
    }
  }
}

bool SerialPort::write(std::string_view text) const {
  return ::write(port_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

PortLack port_lack(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return lack_of(path, errno);
  if (!S_ISCHR(status.st_mode)) return lack_of(path, ENOTTY);
  if (access(path.c_str(), R_OK | W_OK) != 0) return lack_of(path, errno);
  return {};
}

}  // namespace kjoule
