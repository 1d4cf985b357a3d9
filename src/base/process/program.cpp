#include "base/process/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/process/descendants.hpp"
#include "base/process/interruption.hpp"

namespace kjoule {

namespace {

constexpr auto kPatienceWithProgram = std::chrono::milliseconds(2000);
constexpr size_t kLongestName = 60;

std::string name_of(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  // The program's folder is omitted, because it could fill the whole name.
  std::vector<std::string> words = command;
  words.front() = std::filesystem::path(words.front()).filename();
  std::string name = fmt::format("{}", fmt::join(words, " "));
  for (char& c : name)
    if (c == '\n' || c == '\t') c = ' ';
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName - 2) + "..";
}

void interrupt_with_program(int signal, bool from_terminal) {
  interrupt(signal, from_terminal, kPatienceWithProgram);
}

}  // namespace

Program::Program(std::vector<std::string> command, const Environment& more, ProgramStreams streams)
    : name_(name_of(command)), signals_(interrupt_with_program) {
  adopt_orphans();
  pid_ = start_program(
      std::move(command),
      {.output = streams.output, .input = streams.input, .death_signal = SIGTERM, .environment = more});
  end_event_ = open_end_event(pid_);
  if (end_event_ >= 0) return;
  const std::string why = std::strerror(errno);
  end(std::chrono::milliseconds(0));
  throw Error("the program cannot be watched, because no pidfd could be opened: " + why,
              "kjoule needs Linux 5.3 or later");
}

Program::~Program() {
  end(std::chrono::milliseconds(0));
  if (end_event_ >= 0) close(end_event_);
}

void Program::reap(int options) {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, options) == pid_) status_ = status;
}

std::optional<std::string> Program::how_it_ended(std::chrono::milliseconds patience) {
  pollfd waited{end_event_, POLLIN, 0};
  if (!status_ && poll(&waited, 1, static_cast<int>(patience.count())) > 0) reap(0);
  if (!status_) return {};
  return describe_end(*status_);
}

std::optional<int> Program::exit_code() {
  reap(WNOHANG);
  return status_ ? std::optional(exit_code_of(*status_)) : std::nullopt;
}

void Program::end(std::chrono::milliseconds patience) {
  if (over_) return;
  over_ = true;
  end_descendants(patience);
  reap(WNOHANG);
  // The loop reaps orphans that this process adopted.
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

int Program::run_to_end() {
  signals_.replace([this](int signal, bool from_terminal) {
    if (!from_terminal) kill(pid_, signal);
  });
  if (!status_) status_ = wait_for(pid_);
  signals_.replace(interrupt_with_program);
  over_ = true;
  return exit_code_of(*status_);
}

}  // namespace kjoule
