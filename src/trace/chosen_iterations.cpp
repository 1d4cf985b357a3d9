#include "trace/chosen_iterations.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace kjoule {

RangeIterations::RangeIterations(std::string name, uint64_t skip) : name_(std::move(name)), skip_(skip) {
  if (name_.empty())
    throw Error("--range has an empty name", "give the name of an NVTX range of the program");
}

bool RangeIterations::range_begin(std::string_view name) {
  if (name != name_ || depth_++ > 0) return false;
  ++ranges_;
  first_ = launches_;
  return within();
}

bool RangeIterations::range_end(std::string_view name) {
  if (name != name_ || depth_ == 0 || --depth_ > 0) return false;
  if (ranges_ <= skip_ || launches_ == first_) return false;
  found_ = Period{first_, launches_ - first_};
  return true;
}

namespace {

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

Period parse_launch_numbers(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots != std::string::npos) {
    const auto first = whole_number(std::string_view(text).substr(0, dots));
    const auto last = whole_number(std::string_view(text).substr(dots + 2));
    if (first && last && *first < *last) return {*first, *last - *first};
  }
  throw Error(
      fmt::format("--iterations '{}' is not A..B", text),
      "give the number of an iteration's first launch and of the launch after its last, such as 614..1228");
}

std::string choice_text(const BestGuess& guess) {
  const std::string seen = fmt::format("no iteration was found in {} launches", guess.seen);
  if (guess.length == 0) return seen + ": nothing repeated";
  return fmt::format(
      "{}: what repeated most were {} launches, {} times in a row (launches {} to {}); --iterations {}..{} "
      "takes one of "
      "these, --range NAME takes an NVTX range of the program",
      seen, guess.length, guess.repeats, guess.first, guess.first + guess.launches - 1, guess.first,
      guess.first + guess.length);
}

}  // namespace kjoule
