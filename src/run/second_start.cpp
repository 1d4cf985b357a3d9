#include "run/second_start.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr double kLongestRun_s = 60;
/// An iteration is replayed some 30 times.
constexpr double kLongestPart_s = 0.5;

std::vector<std::string> names_of(const Recording& recording) {
  std::vector<std::string> names;
  names.reserve(recording.launches.size());
  for (const Launch& launch : recording.launches) names.push_back(launch.name);
  return names;
}

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
  if (first.input_is_gone) return "its input is a pipe, which cannot be read again";
  if (first.other_processes > 0)
    return fmt::format("{} of its processes used CUDA", first.other_processes + 1);
  if (first.seconds > kLongestRun_s)
    return fmt::format("it took {:.0f} s, more than {:.0f} s", first.seconds, kLongestRun_s);
  if (first.part_s > kLongestPart_s)
    return fmt::format("this takes {:.1f} s of GPU time, and measuring it takes minutes", first.part_s);
  return {};
}

SecondStart::SecondStart(ChosenPart part, const RepeatedInput& input, const std::filesystem::path& log)
    : part_(std::move(part)), output_(std::fopen(log.c_str(), "we")) {
  if (!output_) throw Error(log.string() + ": cannot be written", "choose another folder with --output-dir");
  streams_ = {input.again(), fileno(output_.get())};
}

SubjectOptions SecondStart::options(SubjectOptions first) const {
  const PartFacts& facts = part_.facts;
  const auto before = static_cast<int64_t>(part_.preceding * facts.launches());
  const auto begin = static_cast<int64_t>(facts.first) - before;
  first.injection.iteration_launches = LaunchSpan{begin, begin + static_cast<int64_t>(facts.launches())};
  // The span is the first one of these iterations; those that are skipped are timed.
  first.injection.skip_iterations = static_cast<int64_t>(part_.preceding);
  first.injection.run_log.clear();
  first.streams = streams_;
  return first;
}

void SecondStart::check(const Recording& recording) const {
  const auto other = first_other_launch(part_, names_of(recording));
  if (!other) return;
  throw Error(fmt::format("launch {} is not that of the first start", *other),
              "the program does not repeat itself; fix its random seeds");
}

}  // namespace kjoule
