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

/// This process's input, which a program has read and another start of it reads again. Make it before the
/// first start.
class RepeatedInput {
 public:
  explicit RepeatedInput(int descriptor);
  /// Returns whether what was read is gone: the input is a pipe or a socket.
  bool is_gone() const { return gone_; }
  /// Returns the input of another start: a file at the position that it had at first, or -1 for an empty one.
  int again() const;

 private:
  int descriptor_;
  bool gone_ = false;
  off_t position_ = -1;  ///< -1 if it is no file
};

/// How the first start of a program went.
struct FirstStart {
  double seconds = 0;
  size_t other_processes = 0;  ///< further processes that used CUDA
  bool input_is_gone = false;
};

/// Returns why a program that ended with exit code 0 is not started again; empty if it can be.
std::string hindrance(const FirstStart& first);

/// A further start of a program, in which phases or windows of its run are measured.
class FurtherStart {
 public:
  /// The program's output is appended to the file `log`. Throws Error if that cannot be written.
  FurtherStart(const ExpectedWindows& windows, const RepeatedInput& input, const std::filesystem::path& log);
  /// Returns the options of this start; `first` are those of the first one.
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
