#include "device/waiting_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// The prefix of the sockets' names: "@kjoule-waits/NAME/PID".
constexpr std::string_view kPrefix = "@kjoule-waits/";
constexpr size_t kLongestName = 48;

/// Parses the name of a socket. Returns a program without a name if it is not the socket of a waiting
/// program.
WaitingProgram parse_socket_name(std::string_view socket) {
  if (!socket.starts_with(kPrefix)) return {};
  socket.remove_prefix(kPrefix.size());
  const size_t slash = socket.find('/');
  if (slash == std::string_view::npos) return {};
  WaitingProgram program{std::string(socket.substr(0, slash)), 0};
  const std::string_view pid = socket.substr(slash + 1);
  const auto [end, failed] = std::from_chars(pid.data(), pid.data() + pid.size(), program.pid);
  const bool is_number = failed == std::errc() && end == pid.data() + pid.size() && program.pid > 0;
  return is_number && can_name_program(program.name) ? program : WaitingProgram{};
}

std::string list_of(const std::vector<WaitingProgram>& programs) {
  std::string text;
  for (const WaitingProgram& program : programs)
    text += fmt::format("{}{} (process {})", text.empty() ? "" : ", ", program.name, program.pid);
  return text;
}

[[noreturn]] void throw_none(const std::vector<WaitingProgram>& waiting, const WantedProgram& wanted) {
  const std::string others = waiting.empty() ? "" : "; programs that can be measured: " + list_of(waiting);
  if (wanted.name.empty())
    throw Error(fmt::format("process {} was not started with kjoule's variables, so it cannot be measured{}",
                            wanted.pid, others),
                "start the program with the variables that kjoule env -- COMMAND prints");
  throw Error(fmt::format("no running program that can be measured has the name {}{}", wanted.name, others),
              "start the program with the variables that kjoule env prints, and wait until it has used CUDA");
}

}  // namespace

std::string socket_name(const WaitingProgram& program) {
  return fmt::format("{}{}/{}", kPrefix, program.name, program.pid);
}

bool can_name_program(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') ||
           one == '.' || one == '_' || one == '-';
  });
}

std::vector<WaitingProgram> parse_waiting_programs(const std::string& sockets) {
  std::vector<WaitingProgram> found;
  std::istringstream lines(sockets);
  for (std::string line; std::getline(lines, line);) {
    const size_t name = line.rfind(' ');
    if (name == std::string::npos) continue;
    const WaitingProgram program = parse_socket_name(std::string_view(line).substr(name + 1));
    // A connected socket has the name of the listening socket that accepted it.
    if (!program.name.empty() && std::ranges::find(found, program) == found.end()) found.push_back(program);
  }
  return found;
}

std::vector<WaitingProgram> select_programs(const std::vector<WaitingProgram>& waiting,
                                            const WantedProgram& wanted) {
  std::vector<WaitingProgram> matching;
  std::ranges::copy_if(waiting, std::back_inserter(matching), [&](const WaitingProgram& program) {
    return (wanted.name.empty() || program.name == wanted.name) &&
           (wanted.pid == 0 || program.pid == wanted.pid);
  });
  if (matching.empty()) throw_none(waiting, wanted);
  return matching;
}

WaitingProgram select_program(const std::vector<WaitingProgram>& waiting, const WantedProgram& wanted) {
  const std::vector<WaitingProgram> matching = select_programs(waiting, wanted);
  if (matching.size() > 1)
    throw Error(fmt::format("several running programs can be measured: {}", list_of(matching)),
                "choose one with --pid N");
  return matching.front();
}

std::vector<WaitingProgram> waiting_programs() {
  std::ifstream sockets("/proc/net/unix");
  return parse_waiting_programs({std::istreambuf_iterator<char>(sockets), {}});
}

}  // namespace kjoule
