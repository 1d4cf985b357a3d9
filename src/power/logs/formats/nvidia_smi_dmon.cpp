// Lines of nvidia-smi dmon, whose header repeats:
//   #Date       Time        gpu    pwr  gtemp
//   #YYYYMMDD   HH:MM:SS    Idx      W      C
//    20250721   16:33:42      0     75     45
// nvidia-smi pmon has the same form, but no powers.

#include <algorithm>

#include "base/error.hpp"
#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

constexpr const char* kDmonRemedy = "log powers, dates and times: nvidia-smi dmon -s p -o DT";

bool has_word(const Cells& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Sets the names of a header's columns. Returns false for other lines.
bool read_dmon_header(std::string_view line, Cells& words) {
  line = trimmed(line);
  if (!line.starts_with('#')) return false;
  split_words(line.substr(1), words);
  return has_word(words, "gpu") && words.size() > 1;
}

class NvidiaSmiDmon final : public TextFormat {
 public:
  NvidiaSmiDmon(const Cells& header, bool has_prefix)
      : TextFormat("nvidia-smi-dmon", "W"), has_prefix_(has_prefix) {
    add("timestamp");
    for (const std::string_view name : header)
      if (name != "Date" && name != "Time") add(std::string(name));
    has_date_ = header.size() != titles().size() - 1;
    for (size_t c = 1; c < titles().size(); ++c) {
      if (titles()[c] == "gpu") own_columns().device = c;
      if (titles()[c] == "pwr") own_columns().values.push_back({.column = c});
    }
  }

  Line split(std::string_view line, Cells& cells) override {
    const bool is_timed = !has_prefix_ || take_time(line, time_);
    line = trimmed(line);
    if (line.empty()) return Line::other;
    if (line.starts_with('#')) return split_header(line);
    split_words(line, words_);
    const size_t dates = has_date_ ? 2 : 0;
    if (!is_timed || words_.size() < dates + titles().size() - 1) return Line::damaged;
    if (has_date_ && !join_date(words_[0], words_[1], time_)) return Line::damaged;
    cells.assign(words_.begin() + static_cast<std::ptrdiff_t>(dates), words_.end());
    cells.insert(cells.begin(), std::string_view(time_));
    return Line::row;
  }

 private:
  Line split_header(std::string_view line) {
    if (!read_dmon_header(line, words_)) return Line::other;
    std::erase_if(words_, [](std::string_view word) { return word == "Date" || word == "Time"; });
    check_repeated_header(line, words_, 1);
    return Line::other;
  }

  bool has_prefix_, has_date_ = false;
  std::string time_;
  Cells words_;
};

}  // namespace

std::unique_ptr<TextFormat> nvidia_smi_dmon(std::string_view line) {
  std::string time;
  const bool has_prefix = take_time(line, time);
  Cells header;
  if (!read_dmon_header(line, header)) return nullptr;
  if (has_word(header, "pid")) throw Error("a log of nvidia-smi pmon, which has no powers", kDmonRemedy);
  if (!has_word(header, "pwr")) {
    if (!has_word(header, "sm") && !has_word(header, "gtemp") && !has_word(header, "fb")) return nullptr;
    throw Error("a log of nvidia-smi dmon without powers (pwr)", kDmonRemedy);
  }
  if (!has_prefix && !(has_word(header, "Date") && has_word(header, "Time")))
    throw Error("a log of nvidia-smi dmon without dates and times", kDmonRemedy);
  return std::make_unique<NvidiaSmiDmon>(header, has_prefix);
}

}  // namespace kjoule
