#include "trace/kernel_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv_rows.hpp"
#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr const char* kReadFormats = "docs/formats.md says what a kernel table holds; was it copied whole?";

void join(ImportedKernel& kernel, const ImportedKernel& other, const std::string& file) {
  kernel.launches += other.launches;
  kernel.fewest.reset();
  kernel.most.reset();
  if (!kernel.times || !other.times) {
    kernel.times.reset();
    return;
  }
  LaunchTimes& times = *kernel.times;
  if (__builtin_add_overflow(times.total_ns, other.times->total_ns, &times.total_ns))
    throw Error(file + ": times add up to more than 292 years", kReadFormats);
  const auto both = times.min_ns && other.times->min_ns && times.max_ns && other.times->max_ns;
  times.min_ns = both ? std::optional(std::min(*times.min_ns, *other.times->min_ns)) : std::nullopt;
  times.max_ns = both ? std::optional(std::max(*times.max_ns, *other.times->max_ns)) : std::nullopt;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A cell as JSON: numbers, arrays and objects as they are, all else as text.
std::string cell_json(const std::string& column, const std::string& cell) {
  const bool is_text = column == "name" || column == "operator";
  const bool is_json = !cell.empty() && (cell.front() == '[' || cell.front() == '{');
  if (!is_text && is_json) return cell;
  return json_string(cell);
}

/// The rows as JSONL, each on the line on which it stands in the CSV.
std::string jsonl_from(std::string_view csv, const std::string& file) {
  if (csv.starts_with("\xEF\xBB\xBF")) csv.remove_prefix(3);
  CsvRows rows(csv);
  std::vector<std::string> columns, cells;
  if (!rows.next(columns)) throw Error(file + ": is empty", kReadFormats);
  if (std::find(columns.begin(), columns.end(), "name") == columns.end())
    throw Error(file + ": its first line names no column \"name\"", kReadFormats);
  std::string jsonl;
  size_t line = 1;
  while (rows.next(cells)) {
    for (; line < rows.line(); ++line) jsonl += '\n';
    if (rows.cut_off()) throw Error(fmt::format("{}:{}: ends within quotes", file, line), kReadFormats);
    if (cells.size() != columns.size())
      throw Error(fmt::format("{}:{}: {} cells of {}", file, line, cells.size(), columns.size()),
                  kReadFormats);
    jsonl += '{';
    for (size_t c = 0; c < cells.size(); ++c)
      jsonl +=
          fmt::format("{}{}:{}", c == 0 ? "" : ",", json_string(columns[c]), cell_json(columns[c], cells[c]));
    jsonl += '}';
  }
  return jsonl;
}

ImportedTable read_rows(const PaddedText& text, const ImportChoice& choice, const std::string& file,
                        const std::string& format) {
  JsonCursor cursor(text, file, kReadFormats);
  KernelRows rows(choice, file);
  while (!cursor.at_end()) rows.add(read_kernel_row(cursor));
  return rows.finish(format);
}

}  // namespace

void KernelRows::add(KernelRow row) {
  if (row.device) devices_.insert(*row.device);
  if (choice_.gpu && row.device && row.device != choice_.gpu) return;
  if (row.iterations) iterations_.insert(*row.iterations);
  const auto [place, is_new] = places_.try_emplace(signature_of(row.kernel), table_.kernels.size());
  if (is_new)
    table_.kernels.push_back(std::move(row.kernel));
  else
    join(table_.kernels[place->second], row.kernel, file_);
}

void KernelRows::take_iterations(int64_t number) {
  iterations_.insert(number);
}

ImportedTable KernelRows::finish(const std::string& format) {
  if (table_.kernels.empty()) throw Error(file_ + ": no kernels in this table", kReadFormats);
  if (devices_.size() > 1 && !choice_.gpu)
    throw Error(fmt::format("{}: kernels of devices {}", file_, fmt::join(devices_, ", ")),
                "choose one with --gpu N");
  if (choice_.annotation) throw Error(file_ + ": a kernel table has no annotations", "give --iterations N");
  if (iterations_.size() > 1)
    throw Error(
        fmt::format("{}: rows differ in the number of iterations ({})", file_, fmt::join(iterations_, ", ")),
        kReadFormats);
  table_.source = file_;
  table_.format = format;
  if (!devices_.empty()) table_.gpu = choice_.gpu ? choice_.gpu : *devices_.begin();
  if (choice_.iterations)
    table_.iterations = {IterationsFrom::option, *choice_.iterations, 0, 0};
  else if (!iterations_.empty() && *iterations_.begin() > 0)
    table_.iterations = {IterationsFrom::table, static_cast<uint64_t>(*iterations_.begin()), 0, 0};
  const auto without_operator =
      std::count_if(table_.kernels.begin(), table_.kernels.end(),
                    [](const ImportedKernel& kernel) { return !kernel.launched_by.has_shapes(); });
  if (without_operator > 0)
    table_.warnings.push_back(
        fmt::format("{} of {} kernels have no operator with shapes; --like TRACE lends those of a profiler "
                    "trace in which the "
                    "same kernels ran, --model M those of a model that runs them",
                    without_operator, table_.kernels.size()));
  return std::move(table_);
}

ImportedTable read_kernel_jsonl(const PaddedText& text, const ImportChoice& choice, const std::string& file) {
  return read_rows(text, choice, file, "kernel JSONL");
}

ImportedTable read_kernel_csv(const PaddedText& text, const ImportChoice& choice, const std::string& file) {
  return read_rows(PaddedText::copy_of(jsonl_from(text.view(), file)), choice, file, "kernel CSV");
}

ImportedTable read_kernel_signatures(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file) {
  JsonCursor cursor(text, file, kReadFormats);
  KernelRows rows(choice, file);
  bool any = false;
  const auto take_rows = [&] { cursor.elements([&] { rows.add(read_kernel_row(cursor)); }); };
  cursor.members([&](std::string_view key) {
    if (key == "kernels") {
      if (any) cursor.fail("\"kernels\" stands twice");
      any = true;
      if (cursor.next() == '{') return cursor.members([&](std::string_view) { take_rows(); });
      return take_rows();
    }
    if (key != "summary" || cursor.next() != '{') return cursor.skip();
    cursor.members([&](std::string_view inner) {
      const std::string_view value = cursor.raw();
      if (inner != "iterations" || value == "null") return;
      const auto number = json_whole(value);
      if (!number || *number < 1) cursor.fail(value, "\"iterations\" is no whole number from 1");
      rows.take_iterations(*number);
    });
  });
  if (!cursor.at_end()) cursor.fail("something follows the table's end");
  if (!any) cursor.fail("no \"kernels\"");
  return rows.finish("kernel signatures");
}

}  // namespace kjoule
