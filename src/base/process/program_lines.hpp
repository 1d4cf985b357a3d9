#pragma once
#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/process/start.hpp"

namespace kjoule {

/// A program whose output is read while it runs. It is killed and reaped on destruction, and killed when this
/// process ends.
class ProgramLines {
 public:
  /// Starts the program with the variables `more` in addition to this process's environment. Throws Error if
  /// it cannot be started.
  explicit ProgramLines(const std::vector<std::string>& command, const Environment& more = {});
  ~ProgramLines();
  ProgramLines(const ProgramLines&) = delete;
  ProgramLines& operator=(const ProgramLines&) = delete;

  /// Returns the complete lines of stdout and stderr since the last call, without waiting.
  std::vector<std::string> read();
  /// Returns how the program ended: "exit code 3", "killed by signal 9 (Killed)"; no value until it has ended
  /// and all its lines were read.
  const std::optional<std::string>& how_it_ended() const { return how_; }

 private:
  int pipe_ = -1;
  pid_t pid_ = -1;
  std::string partial_line_;  ///< the incomplete line at the end of the output
  std::optional<std::string> how_;
};

/// The end of a program that writes JSON objects, one per line.
struct ObjectsEnd {
  std::string how;    ///< how the program ended: "exit code 3"
  std::string other;  ///< the last line that was not an object; usually the cause of a failure
};

/// Runs a program to its end. `take` is called with each JSON object soon after the program wrote it; if
/// `take` throws, the program is killed. Throws Error if the program cannot be started.
ObjectsEnd run_for_objects(const std::vector<std::string>& command,
                           const std::function<void(const nlohmann::json&)>& take);

}  // namespace kjoule
