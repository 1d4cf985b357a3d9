// Lines of turbostat. Each interval has a line of the whole machine, with "-" as package, core and CPU, and
// without --Summary further lines for each CPU, which are not read:
//   Time_Of_Day_Seconds  Core  CPU  Busy%  PkgWatt  RAMWatt
//   1753115622.123456    -     -    12.3   63.01    33.18
//   1753115622.123456    0     0    11.9   63.01    33.18

#include <algorithm>

#include "base/error.hpp"
#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kTurbostatTime = "Time_Of_Day_Seconds";

bool is_place(std::string_view name) {
  return name == "Package" || name == "Node" || name == "Die" || name == "Core" || name == "CPU";
}

class Turbostat final : public TextFormat {
 public:
  Turbostat(const Cells& header, bool has_prefix)
      : TextFormat("turbostat", "W"), header_(header.begin(), header.end()), has_prefix_(has_prefix) {
    add("timestamp");
    for (const std::string_view name : header) {
      if (!name.ends_with("Watt")) continue;
      const size_t column = add(std::string(name));
      own_columns().values.push_back({.column = column, .name = lower(name), .part = true});
    }
    const auto package = std::find_if(own_columns().values.begin(), own_columns().values.end(),
                                      [](const auto& value) { return value.name == "pkgwatt"; });
    (package == own_columns().values.end() ? own_columns().values.front() : *package).part = false;
  }

  Line split(std::string_view line, Cells& cells) override {
    const bool is_timed = !has_prefix_ || take_time(line, time_);
    split_words(line, words_);
    if (words_.size() != header_.size() || std::equal(words_.begin(), words_.end(), header_.begin()))
      return Line::other;  // a line of a CPU that shares its package or core with an earlier one, or a header
    cells.clear();
    if (has_prefix_) cells.push_back(time_);
    for (size_t w = 0; w < words_.size(); ++w) {
      if (is_place(header_[w]) && words_[w] != "-") return Line::other;
      if (header_[w] == kTurbostatTime && !has_prefix_) cells.insert(cells.begin(), words_[w]);
      if (header_[w].ends_with("Watt")) cells.push_back(words_[w]);
    }
    return is_timed ? Line::row : Line::damaged;
  }

 private:
  std::vector<std::string> header_;
  bool has_prefix_;
  std::string time_;
  Cells words_;
};

}  // namespace

std::unique_ptr<TextFormat> turbostat(std::string_view line) {
  std::string time;
  const bool has_prefix = take_time(line, time);
  if (line.find(',') != std::string_view::npos) return nullptr;
  Cells header;
  split_words(line, header);
  const auto has = [&](std::string_view name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  };
  const bool has_power = std::any_of(header.begin(), header.end(), [](std::string_view name) {
    return name == "PkgWatt" || name == "CorWatt" || name == "RAMWatt" || name == "SysWatt";
  });
  if (!has_power && !(has("Avg_MHz") && has("Busy%"))) return nullptr;
  constexpr const char* kRemedy =
      "log powers with times: turbostat --quiet --Summary --show Time_Of_Day_Seconds,PkgWatt,RAMWatt "
      "--interval 1 --out FILE";
  if (!has_power) throw Error("a log of turbostat without powers (PkgWatt)", kRemedy);
  if (!has_prefix && !has(kTurbostatTime)) throw Error("a log of turbostat without times", kRemedy);
  return std::make_unique<Turbostat>(header, has_prefix);
}

}  // namespace kjoule
