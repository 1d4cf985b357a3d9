#include "importers/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "base/files/wide_text.hpp"
#include "importers/device_choice.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/imported_file.hpp"
#include "importers/join_ranks.hpp"
#include "importers/kernel_csv.hpp"
#include "importers/kernel_rows.hpp"
#include "importers/nsys_database.hpp"
#include "importers/profiler_averages.hpp"
#include "importers/profiler_table.hpp"
#include "importers/signature_list.hpp"
#include "importers/unread_formats.hpp"
#include "recording/operator_call.hpp"
#include "recording/recording.hpp"

namespace kjoule {

namespace {

constexpr const char* kWhatIsRead =
    "kjoule reads traces of PyTorch, JAX and TensorFlow (.json, .json.gz), kernel JSONL and CSV (also of "
    "nsys stats, ncu, nvprof and rocprof), SQLite databases of nsys, tables of key_averages(), "
    "kernel_signatures.json, kernel_categories_breakdown.json and its own recordings";

/// A CSV file must contain a separator of columns within so many bytes. Profilers print lines before their
/// tables.
constexpr size_t kBeginBytes = 16 << 10;

enum class Kind { profiler, rows, categories, signatures, imported, recording, csv, averages };

/// Thrown to stop reading JSON as soon as the file's type is known.
struct Found {
  Kind kind;
};

/// Returns whether a value is a list that is empty, or whose first element is an object.
bool may_list_rows(std::string_view value) {
  if (!value.starts_with('[')) return false;
  const size_t first = value.find_first_not_of(" \n\r\t", 1);
  return first != std::string_view::npos && (value[first] == '{' || value[first] == ']');
}

/// Returns the type of an object by the first key that only one type of file has. If there is no such key and
/// each member is a list of objects, these are rows by category.
Kind kind_of_object(JsonCursor& cursor, const std::string& file) {
  size_t lists = 0, members = 0;
  try {
    cursor.members([&](std::string_view key) {
      if (key == "traceEvents" || key == "schemaVersion" || key == "deviceProperties" ||
          key == "distributedInfo" || key == "displayTimeUnit")
        throw Found{Kind::profiler};
      refuse_unread_json(key, file);
      if (key == "kernels" || key == "summary") throw Found{Kind::signatures};
      if (is_name_column(key) || key == "signature" || key == "unique_kernels") throw Found{Kind::rows};
      const std::string_view value = cursor.raw();
      ++members;
      if (may_list_rows(value)) ++lists;
      if (key == "format" && value == "\"kjoule-recording\"") throw Found{Kind::recording};
      if (key == "format" && json_text(value) == kImportedFormat) throw Found{Kind::imported};
    });
  } catch (const Found& found) {
    return found.kind;
  }
  if (lists > 0 && lists == members) return Kind::categories;
  cursor.fail("the file is neither a trace nor a kernel table");
}

/// Returns whether a text begins with a mark in brackets, as lines of logs do ("[5/7] Executing", "[INFO]
/// run"), and not with a JSON array.
bool begins_with_log_mark(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return false;
  const size_t next = line.find_first_not_of(" \t\r", close + 1);
  return next != std::string_view::npos &&
         std::string_view(",]}").find(line[next]) == std::string_view::npos &&
         line.find_first_of("{\"") > close;
}

/// Returns the type of an array by its first element: events of a trace have a phase ("ph"), rows of a table
/// do not.
Kind kind_of_array(JsonCursor& cursor) {
  bool phase = false, name = false;
  try {
    cursor.elements([&] {
      if (cursor.next() == '{')
        cursor.members([&](std::string_view key) {
          phase = phase || key == "ph";
          name = name || is_name_column(key);
          cursor.skip();
        });
      throw Found{name && !phase ? Kind::rows : Kind::profiler};
    });
  } catch (const Found& found) {
    return found.kind;
  }
  return Kind::profiler;
}

bool is_binary(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r';
}

Kind kind_of(const PaddedText& text, const std::string& file) {
  JsonCursor cursor(text, file, kWhatIsRead);
  if (cursor.at_end()) throw Error(file + ": is empty", kWhatIsRead);
  switch (cursor.next()) {
    case '[':
      if (begins_with_log_mark(text.view())) break;
      return kind_of_array(cursor);
    case '{':
      return kind_of_object(cursor, file);
    default:
      break;
  }
  if (is_profiler_averages(text.view())) return Kind::averages;
  const std::string_view head = text.view().substr(0, text.view().find('\n'));
  if (std::any_of(head.begin(), head.end(), is_binary)) {
    refuse_wide_text(text.view(), file);
    throw Error(file + ": is a binary file", kWhatIsRead);
  }
  const std::string_view begin = text.view().substr(0, kBeginBytes);
  if (begin.find_first_of(",;\t") == std::string_view::npos && !file.ends_with(".csv")) {
    refuse_unread_text(text.view(), file);
    cursor.fail("the file is neither a trace nor a kernel table");
  }
  return Kind::csv;
}

/// Returns whether a value is an integer or an array of integers. Numbers such as 2e43 are not.
bool is_whole(const nlohmann::json& value) {
  if (value.is_array()) return std::all_of(value.begin(), value.end(), is_whole);
  return value.is_number_integer();
}

/// Copies the launch parameters of a CUDA kernel, or the arguments of an operator.
void copy_detail(const nlohmann::json& detail, ImportedKernel& kernel) {
  const auto take = [&](const char* key, auto& to) {
    using Value = typename std::decay_t<decltype(to)>::value_type;
    if (!detail.contains(key)) return;
    if (!is_whole(detail.at(key)))
      throw Error(std::string(key) + " is not a whole number",
                  "record the program or model again with kjoule record");
    to = detail.at(key).get<Value>();
  };
  take("grid", kernel.grid);
  take("block", kernel.block);
  take("shared_bytes", kernel.shared_bytes);
  take("bytes", kernel.bytes);
  if (kernel.bytes)
    kernel.kind = kernel.name.starts_with("memset") ? ActivityKind::memset : ActivityKind::memcpy;
  if (!detail.contains("operator")) return;
  kernel.launched_by.name = detail.at("operator").get<std::string>();
  kernel.launched_by.arguments =
      arguments_without_identities(detail.value("arguments", nlohmann::json::array()));
}

/// Applies the user's choices to a table that kjoule import wrote. Throws Error for a choice that the table
/// has made already.
ImportedTable apply_choice(ImportedTable table, const ImportChoice& choice, const std::string& file) {
  if (choice.annotation)
    throw Error(file + ": --annotation has no effect on a table that was imported before",
                "pass --annotation to kjoule import");
  if (choice.gpu) {
    const std::set<int64_t> gpus = table.gpus();
    if (!gpus.contains(*choice.gpu)) fail_without_device(gpus, *choice.gpu, file);
    std::erase_if(table.kernels, [&](const ImportedKernel& kernel) { return kernel.gpu != choice.gpu; });
    table.gpu = choice.gpu;
  }
  if (choice.iterations && table.iterations.known())
    throw Error(
        fmt::format("{}: --iterations has no effect, because this table states that it has {} iterations",
                    file, table.iterations.number),
        "omit --iterations, or pass it to kjoule import");
  if (choice.iterations) {
    table.iterations.source = IterationSource::option;
    table.iterations.number = *choice.iterations;
  }
  return table;
}

/// Refuses options for iterations: a recording is exactly one iteration and has no ranges.
void refuse_iterations(const ImportChoice& choice, const std::string& file) {
  if (!choice.iterations && !choice.annotation) return;
  throw Error(file + ": a recording always has one iteration",
              fmt::format("omit {}", choice.iterations ? "--iterations" : "--annotation"));
}

/// Refuses the choice of impossible times for files without times of single launches.
void refuse_times(const ImportChoice& choice, const std::string& file) {
  if (choice.omit_impossible_times)
    throw Error(
        file + ": --omit-impossible-times needs a trace, which states the begin and end of each launch",
        "omit --omit-impossible-times");
}

}  // namespace

ImportedTable import_recording(const Recording& recording, const std::string& source) {
  const KernelTable kernels = kernel_table(recording);
  ImportedTable table;
  table.source = source;
  table.format = kRecordingFormat;
  table.device = recording.device;
  table.iterations = {IterationSource::recording, 1, 0, 0};
  for (const Kernel& kernel : kernels.kernels) {
    ImportedKernel& imported = table.kernels.emplace_back();
    imported.name = kernel.name;
    imported.recorded_signature = kernel.signature;
    imported.tier = kernel.tier;
    imported.launches = kernel.places.size();
    try {
      copy_detail(recording.launches[kernel.places.front()].detail, imported);
    } catch (const nlohmann::json::exception&) {
      throw Error(fmt::format("{}:{}: a field of the launch {} has the wrong type", source,
                              kernel.places.front() + 2, kernel.name),
                  "record the program or model again with kjoule record");
    }
  }
  if (table.kernels.empty())
    throw Error(source + ": this recording contains no kernels", "record an iteration that launches kernels");
  return table;
}

ImportedTable import_text(PaddedText text, const ImportChoice& choice, const std::string& file) {
  const Kind kind = kind_of(text, file);
  if (kind != Kind::profiler) refuse_times(choice, file);
  switch (kind) {
    case Kind::profiler:
      return make_profiler_table(read_profiler_trace(std::move(text), file), choice, file);
    case Kind::rows:
      return read_kernel_jsonl(text, choice, file);
    case Kind::categories:
      return read_kernel_categories(text, choice, file);
    case Kind::signatures:
      return read_kernel_signatures(text, choice, file);
    case Kind::imported:
      return apply_choice(read_imported_table(text, file), choice, file);
    case Kind::csv:
      return read_kernel_csv(text, choice, file);
    case Kind::averages:
      return read_profiler_averages(text, choice, file);
    case Kind::recording:
      break;
  }
  refuse_iterations(choice, file);
  return import_recording(recording_from(text.view(), file), file);
}

ImportedTable import_file(const std::filesystem::path& path, const ImportChoice& choice,
                          uint64_t most_bytes) {
  refuse_unread_file(path);
  if (is_database(path)) return read_nsys_database(path, choice, most_bytes);
  return import_text(PaddedText::of_file(path, most_bytes), choice, path.string());
}

ImportedTable import_files(const std::vector<std::string>& paths, const std::optional<int64_t>& rank,
                           const ImportChoice& choice, uint64_t most_bytes) {
  std::vector<std::string> there;
  std::set<int64_t> ranks;
  std::vector<ImportedTable> tables;
  std::optional<ImportedTable> chosen_one;
  bool twice = false;
  for (const std::string& path : paths) {
    ImportedTable table = import_file(path, choice, most_bytes);
    if (choice.gpu && table.gpu != choice.gpu)
      throw Error(path + ": this file does not contain the device of its kernels, which --gpu needs",
                  "omit --gpu");
    if (!rank && paths.size() == 1) return table;
    if (rank && table.rank == rank) {
      if (chosen_one)
        throw Error(fmt::format("{} and {}: both are traces of rank {}", chosen_one->source, path, *rank),
                    "pass only one of them");
      chosen_one = std::move(table);
      continue;
    }
    there.push_back(table.rank ? fmt::format("{}", *table.rank) : "none");
    if (table.rank) twice = !ranks.insert(*table.rank).second || twice;
    if (!rank) tables.push_back(std::move(table));
  }
  if (chosen_one) return *std::move(chosen_one);
  const char* const by_itself = paths.size() == 1 ? "omit --rank" : "import each of them separately";
  if (ranks.empty())
    throw Error(fmt::format("{}: the rank of these traces is not known", fmt::join(paths, ", ")), by_itself);
  if (rank)
    throw Error(fmt::format("{}: none of the given traces is of rank {}", paths.front(), *rank),
                fmt::format("choose one of their ranks with --rank: {}", fmt::join(there, ", ")));
  if (twice || ranks.size() < paths.size())
    throw Error(
        fmt::format("{}: only traces of different ranks can be imported together, but {} were given, of "
                    "ranks {}",
                    paths.front(), paths.size(), fmt::join(there, ", ")),
        by_itself);
  return join_ranks(std::move(tables));
}

}  // namespace kjoule
