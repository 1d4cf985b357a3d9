#pragma once
#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "recording/chosen_part.hpp"
#include "recording/recording.hpp"
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
  double part_s = 0;  ///< GPU time of the launches that would be measured
};

/// Returns why a program that ended with exit code 0 is not started a second time; empty if it can be.
std::string hindrance(const FirstStart& first);

/// The second start of a program, in which a part of its run is measured as one iteration.
class SecondStart {
 public:
  /// `log` is the file for the program's output. Throws Error if it cannot be written.
  SecondStart(ChosenPart part, const RepeatedInput& input, const std::filesystem::path& log);

  const PartFacts& facts() const { return part_.facts; }
  /// Returns the options of the second start; `first` are those of the first one.
  SubjectOptions options(SubjectOptions first) const;
  /// Throws Error if other launches were recorded than those of the part.
  void check(const Recording& recording) const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  ChosenPart part_;
  std::unique_ptr<std::FILE, CloseFile> output_;
  ProgramStreams streams_;
};

}  // namespace kjoule
