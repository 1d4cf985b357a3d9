#include "base/process/program_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"
#include "base/process/start.hpp"

namespace kjoule {

namespace {

constexpr auto kPause = std::chrono::milliseconds(5);

}  // namespace

ProgramLines::ProgramLines(const std::vector<std::string>& command, const Environment& more) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(fmt::format("no pipe could be opened: {}", std::strerror(errno)),
                "check the limits of this shell (ulimit -a) and repeat the command");
  try {
    pid_ = start_program(command, {.output = ends[1], .death_signal = SIGKILL, .environment = more});
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

ProgramLines::~ProgramLines() {
  close(pipe_);
  if (how_) return;
  kill(pid_, SIGKILL);
  wait_for(pid_);
}

std::vector<std::string> ProgramLines::read() {
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while (!how_ && ((got = ::read(pipe_, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR)))
    if (got > 0) partial_line_.append(part.data(), static_cast<size_t>(got));
  if (!how_ && got == 0) {
    kill(pid_, SIGKILL);  // it closed its output, so no more lines can follow
    how_ = describe_end(wait_for(pid_));
    if (!partial_line_.empty() && partial_line_.back() != '\n') partial_line_ += '\n';
  }
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t end = 0; (end = partial_line_.find('\n', from)) != std::string::npos; from = end + 1)
    lines.push_back(partial_line_.substr(from, end - from));
  partial_line_.erase(0, from);
  return lines;
}

ObjectsEnd run_for_objects(const std::vector<std::string>& command,
                           const std::function<void(const nlohmann::json&)>& take) {
  ProgramLines program(command);
  ObjectsEnd end;
  for (;;) {
    for (const std::string& line : program.read()) {
      const auto json = parse_json(line, command.front());
      if (json.is_object())
        take(json);
      else if (!line.empty())
        end.other = line;
    }
    if (program.how_it_ended()) break;
    std::this_thread::sleep_for(kPause);
  }
  end.how = *program.how_it_ended();
  return end;
}

}  // namespace kjoule
