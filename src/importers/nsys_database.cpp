#include "importers/nsys_database.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/padded_text.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "importers/profiler_table.hpp"
#include "importers/profiler_trace.hpp"
#include "importers/sqlite_file.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kMagic = "SQLite format 3";
constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

/// The lower 24 bits of a globalTid or globalPid are the thread's; the process is above them.
constexpr int kThreadBits = 24;

/// Writes the contents of a database as the events of a profiler trace, from which the reader of traces makes
/// a table with iterations.
class TraceText {
 public:
  TraceText(const std::filesystem::path& file, uint64_t most_bytes)
      : file_(file.string()), most_bytes_(most_bytes), database_(file) {}

  std::string write() {
    if (database_.columns(kKernels).empty())
      throw Error(file_ + ": this database contains no kernels of Nsight Systems (no table " + kKernels + ")",
                  "profile the program with nsys profile --trace cuda, and export the report with nsys "
                  "export --type sqlite");
    read_names();
    add_kernels();
    add_copies();
    add_memsets();
    add_calls();
    add_ranges();
    return "{\"traceEvents\":[" + events_ + "]}";
  }
  /// Returns the number of records that write() left out because their times are missing or impossible.
  size_t without_times() const { return without_times_; }

 private:
  /// Reads the texts to which the tables refer by numbers.
  void read_names() {
    if (database_.columns("StringIds").empty()) return;
    database_.query("SELECT id, value FROM StringIds", [&](const SqliteRow& row) {
      if (const auto id = row.whole(0)) names_[*id] = row.text(1).value_or("");
    });
  }

  /// Calls `take` with each row of a table, by begin time. A column that the table lacks (in another version
  /// of nsys) is NULL.
  void each(const char* table, const std::vector<const char*>& columns,
            const std::function<void(const SqliteRow&)>& take) {
    const std::set<std::string> known = database_.columns(table);
    if (known.empty()) return;
    std::string list;
    for (const char* column : columns)
      list += fmt::format("{}{}", list.empty() ? "" : ", ",
                          known.contains(column) ? fmt::format("\"{}\"", column) : "NULL");
    const char* order = known.contains("start") ? " ORDER BY \"start\"" : "";
    database_.query(fmt::format("SELECT {} FROM \"{}\"{}", list, table, order), take);
  }

  std::string name_of(const std::optional<int64_t>& id) const {
    const auto found = id ? names_.find(*id) : names_.end();
    return found == names_.end() ? "unknown" : found->second;
  }

  static std::string time_us(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  void add_event(const char* category, const std::string& name, const std::optional<int64_t>& begin_ns,
                 const std::optional<int64_t>& end_ns, const std::optional<int64_t>& process,
                 const std::string& arguments) {
    if (!begin_ns || !end_ns || *begin_ns < 0 || *end_ns < *begin_ns) {
      ++without_times_;
      return;
    }
    events_ += fmt::format(
        "{}\n{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}",
        events_.empty() ? "" : ",", category, quote_json(name), process.value_or(0) >> kThreadBits,
        time_us(*begin_ns), time_us(*end_ns - *begin_ns), arguments);
    if (events_.size() > most_bytes_)
      throw Error(fmt::format("{}: the launches in this database take more than {} bytes as text", file_,
                              most_bytes_),
                  "profile fewer iterations, or set a larger limit with --max-bytes");
  }

  /// Returns device, stream and correlation as JSON. They are in the same columns of every query of
  /// operations.
  static std::string place_of(const SqliteRow& row) {
    std::string text;
    const std::array names = {"device", "stream", "correlation"};
    for (int c = 0; c < 3; ++c)
      if (const auto value = row.whole(3 + c))
        text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", names[static_cast<size_t>(c)], *value);
    return text;
  }

  void add_kernels() {
    each(kKernels,
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "demangledName", "shortName",
          "name", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
          "dynamicSharedMemory"},
         [&](const SqliteRow& row) {
           std::string arguments = place_of(row);
           const auto add_extent = [&](const char* what, int first) {
             const auto x = row.whole(first), y = row.whole(first + 1), z = row.whole(first + 2);
             if (x && y && z) arguments += fmt::format(",\"{}\":[{},{},{}]", what, *x, *y, *z);
           };
           add_extent("grid", 9);
           add_extent("block", 12);
           if (const auto fixed = row.whole(15), dynamic = row.whole(16); fixed && dynamic)
             arguments += fmt::format(",\"shared memory\":{}", *fixed + *dynamic);
           const auto name = row.whole(6) ? row.whole(6) : row.whole(8) ? row.whole(8) : row.whole(7);
           add_event("kernel", name_of(name), row.whole(0), row.whole(1), row.whole(2), arguments);
         });
  }

  void add_copies() {
    // CUpti_ActivityMemcpyKind
    static const std::map<int64_t, const char*> kKinds = {
        {1, "HtoD"}, {2, "DtoH"}, {8, "DtoD"}, {9, "HtoH"}, {10, "PtoP"}};
    each("CUPTI_ACTIVITY_KIND_MEMCPY",
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "bytes", "copyKind"},
         [&](const SqliteRow& row) {
           const auto kind = kKinds.find(row.whole(7).value_or(0));
           add_event("gpu_memcpy", fmt::format("Memcpy {}", kind == kKinds.end() ? "other" : kind->second),
                     row.whole(0), row.whole(1), row.whole(2),
                     place_of(row) + fmt::format(",\"bytes\":{}", row.whole(6).value_or(0)));
         });
  }

  void add_memsets() {
    each("CUPTI_ACTIVITY_KIND_MEMSET",
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "bytes"},
         [&](const SqliteRow& row) {
           add_event("gpu_memset", "Memset (Device)", row.whole(0), row.whole(1), row.whole(2),
                     place_of(row) + fmt::format(",\"bytes\":{}", row.whole(6).value_or(0)));
         });
  }

  /// Adds the host's calls, whose pauses show where iterations begin.
  void add_calls() {
    each("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"},
         [&](const SqliteRow& row) {
           if (const auto correlation = row.whole(3))
             add_event("cuda_runtime", name_of(row.whole(4)), row.whole(0), row.whole(1), row.whole(2),
                       fmt::format("\"correlation\":{}", *correlation));
         });
  }

  void add_ranges() {
    each("NVTX_EVENTS", {"start", "end", "globalTid", "text", "textId"}, [&](const SqliteRow& row) {
      const std::string name = row.text(3) ? *row.text(3) : name_of(row.whole(4));
      add_event("user_annotation", name, row.whole(0), row.whole(1), row.whole(2), "");
    });
  }

  std::string file_;
  uint64_t most_bytes_;
  SqliteFile database_;
  std::map<int64_t, std::string> names_;
  std::string events_;
  size_t without_times_ = 0;
};

}  // namespace

bool is_database(const std::filesystem::path& file) {
  return read_beginning(file, kMagic.size()) == kMagic;
}

ImportedTable read_nsys_database(const std::filesystem::path& file, const ImportChoice& choice,
                                 uint64_t most_bytes) {
  TraceText trace(file, most_bytes);
  const std::string text = trace.write();
  ImportedTable table = make_profiler_table(read_profiler_trace(PaddedText::copy_of(text), file.string()),
                                            choice, file.string());
  table.format = "Nsight Systems database";
  if (trace.without_times() > 0)
    table.warnings.push_back(fmt::format("{} {} ignored, because times are missing or out of order",
                                         counted(trace.without_times(), "record"),
                                         agreeing(trace.without_times(), "is", "are")));
  return table;
}

}  // namespace kjoule
