// Lines of SPEC PTDaemon, which MLPerf uses:
//   Time,07-21-2025 16:33:42.123,Watts,120.50,Volts,230.10,Amps,0.550000,PF,0.95,Mark,run_1

#include <algorithm>

#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

class PtDaemon final : public TextFormat {
 public:
  PtDaemon() : TextFormat("ptdaemon", "W") {
    add("timestamp");
    own_columns().values.push_back({.column = add("Watts"), .name = "watts"});
  }

  Line split(std::string_view line, Cells& cells) override {
    split_cells(line, ',', words_);
    if (!words_.empty() && words_.front() == "Time") words_.erase(words_.begin());
    if (words_.size() < 3) return Line::damaged;
    const size_t blank = std::min(words_[0].find(' '), words_[0].size() - 1);
    if (words_[0].empty() || !join_date(words_[0].substr(0, blank), words_[0].substr(blank + 1), time_))
      return Line::damaged;
    if (words_[1] != "Watts") return Line::damaged;  // an error of the meter
    cells.assign({std::string_view(time_), words_[2]});
    return Line::row;
  }

 private:
  std::string time_;
  Cells words_;
};

}  // namespace

std::unique_ptr<TextFormat> ptdaemon(std::string_view line) {
  Cells cells;
  auto format = std::make_unique<PtDaemon>();
  return format->split(line, cells) == TextFormat::Line::row ? std::move(format) : nullptr;
}

}  // namespace kjoule
