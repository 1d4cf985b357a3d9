// Lines of tegrastats, which lists the rails of a Jetson module with their present and mean powers:
//   07-21-2025 16:33:42 RAM 17953/62841MB .. VDD_GPU_SOC 2798mW/2798mW VDD_CPU_CV 799mW/799mW
// Older versions write mW without the unit ("POM_5V_IN 900/943") and no times.

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

/// The rails that supply all others.
constexpr std::array<std::string_view, 3> kTotals{"VDD_IN", "POM_5V_IN", "VIN"};

/// A rail in a line, with its present power in mW as text.
struct Rail {
  std::string_view name, power;
};

/// Removes a power ("2798mW", "2798") from the begin of a text and returns its digits.
std::string_view take_power(std::string_view& text, bool& has_unit) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view power = text.substr(0, digits);
  text.remove_prefix(digits);
  has_unit = text.starts_with("mW");
  if (has_unit) text.remove_prefix(2);
  return power;
}

/// Returns the present power in mW of "2798mW/2750mW", "2798/2750" or "2798mW"; empty for other words.
std::string_view present_power(std::string_view word) {
  bool has_unit = false, mean_has_unit = false;
  const std::string_view present = take_power(word, has_unit);
  if (present.empty() || (word.empty() && has_unit)) return present;
  if (!word.starts_with('/')) return {};
  word.remove_prefix(1);
  const std::string_view mean = take_power(word, mean_has_unit);
  return mean.empty() || !word.empty() || has_unit != mean_has_unit ? std::string_view() : present;
}

bool is_rail_name(std::string_view word) {
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z' &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string_view::npos;
}

void find_rails(std::string_view line, Cells& words, std::vector<Rail>& rails) {
  split_words(line, words);
  rails.clear();
  for (size_t w = 0; w + 1 < words.size(); ++w)
    if (const std::string_view power = present_power(words[w + 1]); !power.empty() && is_rail_name(words[w]))
      rails.push_back({words[w], power});
}

bool is_tegrastats_line(std::string_view line) {
  const auto has = [line](std::string_view part) { return line.find(part) != std::string_view::npos; };
  return has("RAM ") && has("MB") && (has("GR3D") || has("EMC_FREQ") || has("CPU ["));
}

class Tegrastats final : public TextFormat {
 public:
  explicit Tegrastats(const std::vector<Rail>& rails) : TextFormat("tegrastats", "mW") {
    add("timestamp");
    for (const Rail& rail : rails) {
      add(std::string(rail.name));
      parts_.push_back({.column = titles().size() - 1, .name = std::string(rail.name), .part = true});
    }
    own_columns().values.push_back(all());
    if (parts_.size() > 1)
      for (const LogColumns::Value& part : parts_) own_columns().values.push_back(part);
  }

  Line split(std::string_view line, Cells& cells) override {
    if (!is_tegrastats_line(line)) return Line::other;
    if (!take_time(line, time_)) return Line::damaged;
    find_rails(line, words_, rails_);
    cells.assign(titles().size(), {});
    cells.front() = time_;
    for (const Rail& rail : rails_)
      for (size_t c = 1; c < titles().size(); ++c)
        if (titles()[c] == rail.name) cells[c] = rail.power;
    return rails_.empty() ? Line::damaged : Line::row;
  }

 private:
  /// Returns the value of the whole module: the rail that supplies the others, or the sum of all rails.
  LogColumns::Value all() const {
    for (const std::string_view total : kTotals)
      for (const LogColumns::Value& part : parts_)
        if (part.name == total) return {.column = part.column, .name = part.name};
    LogColumns::Value sum{.column = 1, .zero_is_power = true};
    for (const LogColumns::Value& part : parts_) {
      sum.name += (sum.name.empty() ? "" : "+") + part.name;
      if (part.column != 1) sum.added.push_back(part.column);
    }
    return sum;
  }

  std::vector<LogColumns::Value> parts_;
  std::string time_;
  Cells words_;
  std::vector<Rail> rails_;
};

}  // namespace

std::unique_ptr<TextFormat> tegrastats(std::string_view line) {
  if (!is_tegrastats_line(line)) return nullptr;
  std::string time;
  const bool has_time = take_time(line, time);
  Cells words;
  std::vector<Rail> rails;
  find_rails(line, words, rails);
  if (rails.empty())
    throw Error("a log of tegrastats without powers",
                "log the power with a meter, for example at the socket");
  if (!has_time)
    throw Error("a log of tegrastats without times",
                "write a time before each line: tegrastats --interval 100 | ts '%Y-%m-%dT%H:%M:%.S' > FILE");
  return std::make_unique<Tegrastats>(rails);
}

}  // namespace kjoule
