// Lines of dcgmi dmon, which writes no times; the program ts writes one before each line:
//   2025-07-21T16:33:42.120000 #Entity   POWER
//   2025-07-21T16:33:42.120001 ID        W
//   2025-07-21T16:33:43.120000 GPU 0     75.120

#include <algorithm>

#include "base/error.hpp"
#include "power/logs/formats/line_time.hpp"
#include "power/logs/formats/text_format.hpp"

namespace kjoule {

namespace {

/// Sets the names of a header's columns, without that of the entities. Returns false for other lines.
bool read_dcgmi_header(std::string_view line, Cells& words) {
  line = trimmed(line);
  if (!line.starts_with('#')) return false;
  split_words(line.substr(1), words);
  if (words.empty() || words.front() != "Entity") return false;
  words.erase(words.begin());
  return true;
}

class DcgmiDmon final : public TextFormat {
 public:
  DcgmiDmon(const Cells& fields, size_t power) : TextFormat("dcgmi", "W") {
    add("timestamp");
    own_columns().device = add("gpu");
    for (const std::string_view field : fields) add(std::string(field));
    own_columns().values.push_back({.column = 2 + power});
  }

  Line split(std::string_view line, Cells& cells) override {
    const bool is_timed = take_time(line, time_);
    split_words(line, words_);
    if (words_.empty() || words_.front() != "GPU") return split_other(line);
    if (!is_timed || words_.size() < titles().size()) return Line::damaged;
    cells.assign(words_.begin() + 1, words_.end());
    cells.insert(cells.begin(), std::string_view(time_));
    return Line::row;
  }

 private:
  Line split_other(std::string_view line) {
    if (read_dcgmi_header(line, words_)) check_repeated_header(line, words_, 2);
    return Line::other;
  }

  std::string time_;
  Cells words_;
};

}  // namespace

std::unique_ptr<TextFormat> dcgmi_dmon(std::string_view line) {
  std::string time;
  const bool is_timed = take_time(line, time);
  Cells fields;
  if (!read_dcgmi_header(line, fields)) return nullptr;
  const auto power = std::find_if(fields.begin(), fields.end(), [](std::string_view field) {
    return field == "POWER" || field == "PWRINS" || field == "INSTPOWER";
  });
  constexpr const char* kRemedy =
      "log powers with times: dcgmi dmon -e 155 -d 100 | ts '%Y-%m-%dT%H:%M:%.S' > FILE";
  if (power == fields.end()) throw Error("a log of dcgmi dmon without powers (POWER)", kRemedy);
  if (!is_timed) throw Error("a log of dcgmi dmon without times", kRemedy);
  return std::make_unique<DcgmiDmon>(fields, static_cast<size_t>(power - fields.begin()));
}

}  // namespace kjoule
