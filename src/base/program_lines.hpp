#pragma once
#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// A program whose output is read while it runs. Killed and reaped on destruction; it also dies with its
/// parent.
class ProgramLines {
 public:
  /// Throws Error when the program cannot be started.
  explicit ProgramLines(const std::vector<std::string>& command);
  ~ProgramLines();
  ProgramLines(const ProgramLines&) = delete;
  ProgramLines& operator=(const ProgramLines&) = delete;

  /// The whole lines, of stdout and stderr, that came in since the last call; does not wait.
  std::vector<std::string> read();
  /// "exit code 3", "killed by signal 9 (Killed)" when it has ended and all its lines were read.
  const std::optional<std::string>& how_it_ended() const { return how_; }

 private:
  int pipe_ = -1;
  pid_t pid_ = -1;
  std::string half_;  ///< a line that has not ended yet
  std::optional<std::string> how_;
};

/// The end of a program that says JSON objects, a line each.
struct ObjectsEnd {
  std::string how;    ///< "exit code 3"
  std::string other;  ///< the last line that was no such object: mostly why it ended
};

/// Runs it to its end. `take` gets its objects soon after it has said them; what it throws ends the program.
/// Throws Error when it cannot be started.
ObjectsEnd run_for_objects(const std::vector<std::string>& command,
                           const std::function<void(const nlohmann::json&)>& take);

}  // namespace kjoule
