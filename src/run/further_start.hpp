#pragma once
#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/process/temporary_folder.hpp"
#include "device/window_search.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The standard input of this process, which every start of a program reads from the same position. Construct
/// this object before the first start.
class RepeatedInput {
 public:
  explicit RepeatedInput(int descriptor);
  /// Returns whether the input can be read only once, because it is a pipe or a socket.
  bool is_gone() const { return gone_; }
  /// Returns a file descriptor for the input of another start: the file at the position before the first
  /// start, or -1 if the other start gets an empty input.
  int again() const;

 private:
  int descriptor_;
  bool gone_ = false;
  off_t position_ = -1;  ///< position before the first start; -1 if the input is no file
};

/// Facts about the first start of a program.
struct FirstStart {
  double seconds = 0;          ///< duration of the first start, s
  size_t other_processes = 0;  ///< number of further processes that used CUDA
  bool input_is_gone = false;  ///< RepeatedInput::is_gone()
};

/// Returns why a program that ended with exit code 0 cannot be started again; empty if it can.
std::string hindrance(const FirstStart& first);

/// A further start of a program, in which phases or windows of its run are measured.
class FurtherStart {
 public:
  /// The program's output is appended to the file `log`. Throws WriteError if it cannot be written.
  FurtherStart(const ExpectedWindows& windows, const RepeatedInput& input, const std::filesystem::path& log);
  /// Returns the options of this start. `first` are the options of the first start.
  SubjectOptions options(SubjectOptions first) const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  TemporaryFolder folder_;
  std::unique_ptr<std::FILE, CloseFile> output_;
  ProgramStreams streams_;
};

}  // namespace kjoule
