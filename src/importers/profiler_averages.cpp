#include "importers/profiler_averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "base/text/parse_number.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_rows.hpp"

namespace kjoule {

namespace {

constexpr const char* kProfileGpu = "profile with ProfilerActivity.CUDA, and print all lines (row_limit=-1)";

/// Begin and length of a column, in bytes.
struct TextColumn {
  size_t begin = 0, length = 0;
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \r") - begin + 1);
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_ruler(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("---") && line.find_first_not_of("- ") == std::string_view::npos;
}

/// Returns the columns under a line of dashes: "------  ----".
std::vector<TextColumn> columns_of(std::string_view ruler) {
  std::vector<TextColumn> columns;
  for (size_t at = ruler.find('-'); at != std::string_view::npos;) {
    const size_t end = std::min(ruler.find_first_not_of('-', at), ruler.size());
    columns.push_back({at, end - at});
    at = ruler.find('-', end);
  }
  return columns;
}

std::string_view cell_of(std::string_view line, const TextColumn& column) {
  return column.begin < line.size() ? trimmed(line.substr(column.begin, column.length)) : std::string_view();
}

/// Converts "12.345us" or "1.2ms" to microseconds; nothing for other texts.
std::optional<double> time_us(std::string_view cell) {
  const size_t unit = cell.find_first_not_of("0123456789.");
  if (unit == std::string_view::npos) return {};
  const auto number = parse_number(cell.substr(0, unit));
  const auto us = time_unit_us(cell.substr(unit));
  return number && us ? std::optional(*number * *us) : std::nullopt;
}

/// The columns that are read of a kernel's line.
struct AverageColumns {
  TextColumn name, host, device, calls;
};

AverageColumns find_columns(std::string_view header, const std::vector<TextColumn>& columns,
                            const std::string& file) {
  const auto find = [&](std::string_view name) {
    return std::ranges::find(columns, name, [&](const TextColumn& one) { return cell_of(header, one); });
  };
  const auto name = find("Name"), host = find("CPU total"), calls = find("# of Calls"),
             cuda = find("Self CUDA");
  if (name == columns.end() || host == columns.end() || calls == columns.end())
    throw Error(file + ": this file is neither a trace nor a kernel table", kFormatsRemedy);
  if (cuda == columns.end())
    throw Error(file + ": this table contains no times of a GPU (no column \"Self CUDA\")", kProfileGpu);
  return {*name, *host, *cuda, *calls};
}

}  // namespace

bool is_profiler_averages(std::string_view text) {
  while (!text.empty())
    if (const std::string_view line = take_line(text); !trimmed(line).empty()) return is_ruler(line);
  return false;
}

ImportedTable read_profiler_averages(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file) {
  std::string_view rest = text.view();
  std::string_view ruler;
  size_t line_number = 0, rulers = 0;
  std::optional<AverageColumns> columns;
  std::string jsonl;
  size_t cut_names = 0;
  while (!rest.empty() && rulers < 3) {
    const std::string_view line = take_line(rest);
    jsonl += line_number++ > 0 ? "\n" : "";
    if (is_ruler(line)) {
      ++rulers;
      ruler = line;
    } else if (rulers == 1 && !columns) {
      columns = find_columns(line, columns_of(ruler), file);
    } else if (rulers == 2 && columns) {
      const auto host = time_us(cell_of(line, columns->host)),
                 device = time_us(cell_of(line, columns->device));
      const std::string_view name = cell_of(line, columns->name);
      if (!host || !device)
        throw Error(fmt::format("{}:{}: the line has no times in the columns of the table's header", file,
                                line_number),
                    kFormatsRemedy);
      if (*host > 0 || *device <= 0) continue;
      cut_names += name.ends_with("...") ? 1 : 0;
      jsonl += fmt::format("{{\"name\":{},\"count\":{},\"total_us\":\"{:.6f}\"}}", quote_json(name),
                           quote_json(cell_of(line, columns->calls)), *device);
    }
  }
  if (rulers < 3)
    throw Error(file + ": the file ends within the profiler's table",
                "check that the table was copied completely");
  if (jsonl.find('{') == std::string::npos)
    throw Error(file + ": this table contains no kernels", kProfileGpu);
  ImportedTable table =
      read_kernel_rows(PaddedText::copy_of(jsonl), choice, file, "PyTorch profiler averages");
  if (cut_names > 0)
    table.warnings.push_back(
        fmt::format("the profiler shortened {} (\"...\"): print the table with max_name_column_width=1000",
                    counted(cut_names, "name")));
  return table;
}

}  // namespace kjoule
