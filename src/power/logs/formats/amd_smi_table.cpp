// Lines of the table that amd-smi monitor writes. With --csv, its log is CSV (log_columns.cpp).
//   TIMESTAMP  GPU  XCP  POWER  PWR_CAP
//   1786038263    0    0  123 W    750 W

#include <algorithm>

#include "base/error.hpp"
#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

class AmdSmiTable final : public TextFormat {
 public:
  AmdSmiTable(Cells header, bool has_prefix) : TextFormat("amd-smi", "W"), has_prefix_(has_prefix) {
    if (has_prefix) header.insert(header.begin(), "TIMESTAMP");
    for (const std::string_view name : header) {
      const size_t column = add(lower(name));
      if (name == "TIMESTAMP") own_columns().time = column;
      if (name == "GPU") own_columns().device = column;
      if (name == "XCP") own_columns().keys.push_back({column, "xcp"});
      if (name != "POWER") continue;
      own_columns().values.push_back({.column = column});
      break;  // later columns are not read: the table leaves some of their cells empty
    }
  }

  Line split(std::string_view line, Cells& cells) override {
    const bool is_timed = !has_prefix_ || take_time(line, time_);
    split_words(line, words_);
    if (words_.empty() || words_.front().find_first_not_of("0123456789.") != std::string_view::npos)
      return Line::other;
    cells.clear();
    if (has_prefix_) cells.push_back(time_);
    for (const std::string_view word : words_)
      if (cells.size() < titles().size()) cells.push_back(word);
    return is_timed && cells.size() == titles().size() ? Line::row : Line::damaged;
  }

 private:
  bool has_prefix_;
  std::string time_;
  Cells words_;
};

}  // namespace

std::unique_ptr<TextFormat> amd_smi_table(std::string_view line) {
  std::string time;
  const bool has_prefix = take_time(line, time);
  if (line.find(',') != std::string_view::npos) return nullptr;
  Cells header;
  split_words(line, header);
  const auto place = [&](std::string_view name) { return std::find(header.begin(), header.end(), name); };
  if (place("GPU") == header.end() || place("POWER") == header.end()) return nullptr;
  if (place("GPU") > place("POWER") || place("GPU") - header.begin() > 1) return nullptr;
  if (!has_prefix && header.front() != "TIMESTAMP")
    throw Error("a log of amd-smi without times",
                "repeat the readings, so that amd-smi writes their times: amd-smi monitor -p -w 1 --csv");
  return std::make_unique<AmdSmiTable>(header, has_prefix);
}

}  // namespace kjoule
