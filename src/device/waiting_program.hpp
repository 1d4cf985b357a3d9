#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace kjoule {

/// A process that was started with the variables of `kjoule env` and waits to be measured. It listens on an
/// abstract socket whose name contains its own name and its process id.
struct WaitingProgram {
  std::string name;
  pid_t pid = 0;  ///< as the process itself sees it
  bool operator==(const WaitingProgram&) const = default;
};

/// Returns the name of the socket on which a waiting program listens, as Listener takes it.
std::string socket_name(const WaitingProgram& program);
/// Returns whether the text can be the name of a waiting program: 1 to 48 letters, digits, '.', '_' and '-'.
bool can_name_program(const std::string& text);

/// Returns the waiting programs that a list of the system's sockets names (/proc/net/unix).
std::vector<WaitingProgram> parse_waiting_programs(const std::string& sockets);
/// Which waiting program is meant: one of this name, or of this process id.
struct WantedProgram {
  std::string name;  ///< empty if only the process id counts
  pid_t pid = 0;     ///< 0 if only the name counts
  bool is_given() const { return !name.empty() || pid != 0; }
};
/// Returns the only one of these programs that is wanted. Throws Error, which lists the others, if there is
/// none, or more than one.
WaitingProgram select_program(const std::vector<WaitingProgram>& waiting, const WantedProgram& wanted);
/// Returns the programs that wait on this machine (in this network namespace).
std::vector<WaitingProgram> waiting_programs();

}  // namespace kjoule
