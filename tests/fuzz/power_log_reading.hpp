#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "power/logs/power_log_reader.hpp"
#include "tests/fuzz/reading.hpp"

namespace kjoule {

/// Calls take(line, ended) with each line of a text.
inline void each_line(std::string_view text, const std::function<void(std::string_view, bool)>& take) {
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    const bool ended = end != std::string_view::npos;
    take(text.substr(from, ended ? end - from : std::string_view::npos), ended);
    from = ended ? end + 1 : text.size();
  }
}

/// Reads a log. Every reading must be a power.
inline void read_log(std::string_view text, const ColumnNames& names) {
  PowerLogReader reader("t", names);
  each_line(text, [&](std::string_view line, bool ended) { reader.take(line, ended); });
  for (const PowerSeries& series : reader.finish().series)
    for (const PowerSeries::Sample& sample : series.samples)
      if (!(sample.watts > 0)) __builtin_trap();
}

/// Reads lines in the format of one tool, from the line by which the format is recognised, and then the whole
/// log. The cells of a row are those of the format's columns.
inline int fuzz_text_format(const uint8_t* data, size_t size,
                            std::unique_ptr<TextFormat> (*recognise)(std::string_view line)) {
  fuzz(data, size, [&](const PaddedText& text) {
    std::unique_ptr<TextFormat> format;
    Cells cells;
    each_line(text.view(), [&](std::string_view line, bool) {
      if (!format) format = recognise(line);
      if (format && format->split(line, cells) == TextFormat::Line::row &&
          cells.size() < format->titles().size())
        __builtin_trap();
    });
  });
  return fuzz(data, size, [&](const PaddedText& text) { read_log(text.view(), {}); });
}

}  // namespace kjoule
