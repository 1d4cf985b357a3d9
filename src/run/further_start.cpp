#include "run/further_start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/files/output_place.hpp"
#include "base/write_error.hpp"

namespace kjoule {

namespace {

constexpr double kLongestRun_s = 60;
constexpr const char* kWindows = "windows.json";

}  // namespace

RepeatedInput::RepeatedInput(int descriptor) : descriptor_(descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return;
  gone_ = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
  if (S_ISREG(status.st_mode)) position_ = lseek(descriptor, 0, SEEK_CUR);
}

int RepeatedInput::again() const {
  if (position_ < 0 || lseek(descriptor_, position_, SEEK_SET) < 0) return -1;
  return descriptor_;
}

std::string hindrance(const FirstStart& first) {
  if (first.input_is_gone) return "the program's standard input is a pipe, which cannot be read again";
  if (first.other_processes > 0)
    return fmt::format(
        "{} of the program's processes used CUDA, but only one can be measured (choose it with --rank N)",
        first.other_processes + 1);
  if (first.seconds > kLongestRun_s)
    return fmt::format("the run took {:.0f} s, and only programs of at most {:.0f} s are started again",
                       first.seconds, kLongestRun_s);
  return {};
}

FurtherStart::FurtherStart(const ExpectedWindows& windows, const RepeatedInput& input,
                           const std::filesystem::path& log)
    : output_(fdopen(OutputPlace(log).open(O_WRONLY | O_APPEND), "a")) {
  if (!output_) throw WriteError(log, errno);
  write_windows(folder_.path() / kWindows, windows);
  streams_ = {input.again(), fileno(output_.get())};
}

SubjectOptions FurtherStart::options(SubjectOptions first) const {
  first.injection.after = InjectionOptions::After::go_on;
  first.injection.windows = folder_.path() / kWindows;
  first.injection.run_log.clear();
  first.streams = streams_;
  return first;
}

}  // namespace kjoule
