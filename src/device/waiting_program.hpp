#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace kjoule {

/// A process that was started with the variables of `kjoule env` and can be measured. It listens on an
/// abstract socket whose name contains the program's name and the process id.
struct WaitingProgram {
  std::string name;
  pid_t pid = 0;  ///< process id, as the process itself sees it (in its own PID namespace)
  bool operator==(const WaitingProgram&) const = default;
};

/// Returns the name of the socket on which a waiting program listens, in the form of Listener.
std::string socket_name(const WaitingProgram& program);
/// Returns whether the text can be the name of a waiting program: 1 to 48 letters, digits, '.', '_' and '-'.
bool can_name_program(const std::string& text);

/// Returns the waiting programs in a list of the system's sockets (the contents of /proc/net/unix).
std::vector<WaitingProgram> parse_waiting_programs(const std::string& sockets);
/// The waiting program that the user wants to measure, given by its name, its process id, or both.
struct WantedProgram {
  std::string name;  ///< empty if only the process id counts
  pid_t pid = 0;     ///< 0 if only the name counts
  bool is_given() const { return !name.empty() || pid != 0; }
};
/// Returns the programs in `waiting` that match `wanted`. Several may be the ranks of one program. Throws
/// Error with a list of the programs if none matches.
std::vector<WaitingProgram> select_programs(const std::vector<WaitingProgram>& waiting,
                                            const WantedProgram& wanted);
/// Returns the only program in `waiting` that matches `wanted`. Throws Error with a list of the programs if
/// no program or more than one matches.
WaitingProgram select_program(const std::vector<WaitingProgram>& waiting, const WantedProgram& wanted);
/// Returns the programs that wait on this machine (in this network namespace).
std::vector<WaitingProgram> waiting_programs();

}  // namespace kjoule
