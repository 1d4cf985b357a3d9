#include "base/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/process/start.hpp"

namespace kjoule {

namespace {

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kLookForEnd = std::chrono::milliseconds(5);

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> command, const Environment& more) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(fmt::format("no pair of sockets could be opened: {}", std::strerror(errno)),
                "check the limits of this shell (ulimit -a) and repeat the command");
  output_ = memfd_create("output of a child", MFD_CLOEXEC);
  const std::string mark = "{fd}";
  for (std::string& argument : command) {
    const size_t at = argument.find(mark);
    if (at != std::string::npos) argument.replace(at, mark.size(), std::to_string(ends[1]));
  }
  try {
    pid_ = start_program(
        std::move(command),
        {.keep_open = ends[1], .output = output_, .death_signal = SIGKILL, .environment = more});
  } catch (...) {
    for (const int descriptor : {ends[0], ends[1], output_}) close(descriptor);
    throw;
  }
  close(ends[1]);
  socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
  close(socket_);
  close(output_);
  if (!how_.empty()) return;
  kill(pid_, SIGKILL);
  wait_for(pid_);
}

std::string ChildProcess::how_it_ended() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (how_.empty()) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      how_ = describe_end(status);
    } else if (std::chrono::steady_clock::now() > deadline) {
      kill(pid_, SIGKILL);
      how_ =
          describe_end(wait_for(pid_)) + fmt::format(" after it did not end within {} s", kPatience.count());
    } else {
      std::this_thread::sleep_for(kLookForEnd);
    }
  }
  return how_;
}

std::string ChildProcess::last_line() const {
  std::array<char, 4096> part{};
  struct stat file {};
  fstat(output_, &file);
  const off_t from = std::max<off_t>(file.st_size - std::ssize(part), 0);
  const ssize_t got = pread(output_, part.data(), part.size(), from);
  std::string text(part.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  text.resize(text.find_last_not_of('\n') + 1);
  text.erase(0, text.find_last_of('\n') + 1);
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

namespace {

/// Reads until all writers have closed the pipe. Returns false if the deadline is reached before.
bool read_until(int pipe_end, std::chrono::steady_clock::time_point deadline, std::string& text) {
  std::array<char, 4096> part{};
  while (true) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{.fd = pipe_end, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t got = read(pipe_end, part.data(), part.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return true;
    if (got > 0) text.append(part.data(), static_cast<size_t>(got));
  }
}

}  // namespace

int run_program(const std::vector<std::string>& command) {
  return exit_code_of(wait_for(start_program(command, {.death_signal = SIGTERM, .ignores_interrupt = true})));
}

ProgramOutput read_program(const std::vector<std::string>& command, double time_limit_s) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int64_t>(time_limit_s * 1000));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("no pipe could be opened: {}", std::strerror(errno)),
                "check the limits of this shell (ulimit -a) and repeat the command");
  pid_t pid = 0;
  try {
    pid = start_program(command, {.output = ends[1], .death_signal = SIGKILL});
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  ProgramOutput output;
  if (!read_until(ends[0], deadline, output.text)) kill(pid, SIGKILL);
  close(ends[0]);
  output.exit_code = exit_code_of(wait_for(pid));
  return output;
}

std::string executable_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace kjoule
