#include "importers/nsys_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/padded_text.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "importers/event_category.hpp"
#include "importers/nsys_tables.hpp"
#include "importers/profiler_table.hpp"
#include "importers/profiler_trace.hpp"
#include "importers/sqlite_file.hpp"
#include "importers/table_limit.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kMagic = "SQLite format 3";
constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

/// Names limit: the most bytes of all texts in the table StringIds.
constexpr size_t kNamesLimit = size_t{256} << 20;

constexpr std::string_view kBegin = "{\"traceEvents\":[";
/// The beginning of a JSON text that stands for a long name; its number follows.
constexpr std::string_view kLongNameBegin = "\"\\u0001";

/// The lower 24 bits of a globalTid or globalPid are the thread's; the process is above them.
constexpr int kThreadBits = 24;

constexpr const char* kProfileAgain =
    "profile the program with nsys profile --trace cuda, and export the report with nsys export --type "
    "sqlite";
/// The remedy for launches of graphs that were recorded as a whole.
constexpr const char* kRecordNodes =
    "profile with nsys profile --cuda-graph-trace=node, which records the kernels of graphs";

/// Writes the contents of a database as the events of a profiler trace, from which the reader of traces makes
/// a table with iterations.
class TraceText {
 public:
  TraceText(const std::filesystem::path& file, uint64_t most_bytes)
      : file_(file.string()), most_bytes_(most_bytes), database_(file), tables_(database_), size_(file_) {}

  PaddedText write() {
    refuse_other_tools();
    read_names();
    add_kernels();
    add_copies();
    add_memsets();
    if (events_.size() == kBegin.size()) refuse_without_work();
    add_calls();
    add_ranges();
    events_ += "]}";
    const std::string text = std::exchange(events_, {});
    return PaddedText::copy_of(text);
  }
  /// Replaces the numbers that stand for long names in the trace that was read from the text. This object
  /// must outlive the trace.
  void set_long_names(ProfilerTrace& trace) const {
    const auto set = [this](std::string_view& name) {
      if (!name.starts_with(kLongNameBegin)) return;
      size_t number = 0;
      const char* const end = name.data() + name.size() - 1;
      const auto parsed = std::from_chars(name.data() + kLongNameBegin.size(), end, number);
      if (parsed.ec == std::errc() && parsed.ptr == end) name = quoted_names_.at(number);
    };
    for (ProfilerOperation& one : trace.operations) set(one.name);
    for (ProfilerCall& one : trace.calls) set(one.name);
    for (ProfilerRange& one : trace.ranges) set(one.name);
  }
  /// Returns warnings about what write() left out or could not read.
  std::vector<std::string> warnings() const {
    std::vector<std::string> warnings;
    if (without_times_ > 0)
      warnings.push_back(fmt::format("{} {} ignored, because times are missing or out of order",
                                     counted(without_times_, "record"),
                                     agreeing(without_times_, "is", "are")));
    if (without_names_ > 0)
      warnings.push_back(
          fmt::format("the names of {} are missing, because the table StringIds lacks them; kernels are told "
                      "apart by the "
                      "numbers of their names; export the report again with nsys export --type sqlite",
                      counted(without_names_, "launch")));
    for (const UnreadWork& work : tables_.unread_work(read_))
      warnings.push_back(
          is_graphs(work)
              ? fmt::format("{} {} not in the table, because Nsight Systems recorded {} as a whole; {}",
                            graphs_text(work), agreeing(work.number, "is", "are"),
                            agreeing(work.number, "it", "them"), kRecordNodes)
              : fmt::format("{} {} not read, and not part of the totals", unread_work_text(work, "record"),
                            agreeing(work.number, "is", "are")));
    return warnings;
  }

 private:
  /// Reads the texts to which the tables refer by numbers.
  void read_names() {
    if (database_.columns("StringIds").empty()) return;
    database_.query("SELECT id, value FROM StringIds", [&](const SqliteRow& row) {
      const auto id = row.whole(0);
      if (!id) return;
      std::string& name = names_[*id] = row.text(1).value_or("");
      if (bytes_of_names_ += name.size(); bytes_of_names_ > kNamesLimit)
        throw Error(fmt::format("{}: the texts in its table StringIds have more than {} (names limit)", file_,
                                limit_text(kNamesLimit)),
                    "profile a smaller part of the program");
    });
  }

  static std::string graphs_text(const UnreadWork& work) {
    return unread_work_text({"of CUDA graphs", work.number, work.total_us}, "launch");
  }
  static bool is_graphs(const UnreadWork& work) { return work.what.find(kGraphTable) != std::string::npos; }

  /// Throws Error if another tool than Nsight Systems wrote the database.
  void refuse_other_tools() const {
    if (tables_.contains("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL") || tables_.contains("StringTable"))
      throw Error(file_ + ": this is a database of nvprof, which kjoule does not read", kProfileAgain);
    if (tables_.contains_prefix("rocpd_"))
      throw Error(file_ + ": this is a database of ROCm's profiler (rocpd), which kjoule does not read",
                  "write the kernels as CSV with rocprofv3 --kernel-trace --output-format csv");
  }

  /// Throws the Error for a database without operations.
  [[noreturn]] void refuse_without_work() const {
    for (const UnreadWork& work : tables_.unread_work(read_))
      if (is_graphs(work))
        throw Error(
            fmt::format("{}: this database contains no kernels, but {}, which Nsight Systems recorded "
                        "as a whole",
                        file_, graphs_text(work)),
            kRecordNodes);
    if (tables_.versions_of(kKernels).empty())
      throw Error(file_ + ": this database contains no kernels of Nsight Systems (no table " + kKernels + ")",
                  kProfileAgain);
    throw Error(file_ + ": this database of Nsight Systems contains no kernels, copies or memsets",
                "profile a part of the program that uses the GPU with nsys profile --trace cuda");
  }

  /// Returns the columns of a table as the list of a query. A column that the table lacks (in another version
  /// of nsys) is NULL.
  std::string columns_of(const std::string& table, const std::vector<const char*>& columns) const {
    const std::set<std::string> known = database_.columns(table);
    std::string list;
    for (const char* column : columns)
      list += fmt::format("{}{}", list.empty() ? "" : ", ",
                          known.contains(column) ? fmt::format("\"{}\"", column) : "NULL");
    return list;
  }

  /// Calls `take` with each row of the tables of a name, by begin time, which must be the first column. Rows
  /// that two versions of a table have in common are taken once.
  void each(const char* name, const std::vector<const char*>& columns,
            const std::function<void(const SqliteRow&)>& take) {
    std::string query;
    for (const std::string& table : tables_.versions_of(name)) {
      read_.push_back(table);
      query += fmt::format("{}SELECT {} FROM \"{}\"", query.empty() ? "" : " UNION ",
                           columns_of(table, columns), table);
    }
    if (!query.empty()) database_.query(query + " ORDER BY 1", take);
  }

  /// Returns the text in a column, or the text whose number it contains; no value if it is not known.
  std::optional<std::string> text_in(const SqliteRow& row, int column) const {
    if (auto text = row.text(column)) return text;
    const auto id = row.whole(column);
    const auto found = id ? names_.find(*id) : names_.end();
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Returns the first text that one of the columns contains or refers to. If there is none, returns a name
  /// that differs for different numbers, so that different kernels stay apart.
  std::string name_in(const SqliteRow& row, const std::vector<int>& columns) {
    for (const int column : columns)
      if (const auto text = text_in(row, column); text && !text->empty()) return *text;
    for (const int column : columns)
      if (const auto id = row.whole(column)) return fmt::format("unknown name {}", *id);
    return "unknown name";
  }

  /// Returns a name as JSON: a long one as kLongNameBegin with its number, so that it is in the text only
  /// once.
  std::string name_text(const std::string& name) {
    constexpr size_t kShortName = 256;
    if (name.size() <= kShortName && !name.starts_with('\x01')) return quote_json(name);
    const auto [known, is_new] = long_names_.try_emplace(name, quoted_names_.size());
    if (is_new) {
      size_.add(name.size(), 0);
      quoted_names_.push_back(quote_json(name));
    }
    return fmt::format("{}{}\"", kLongNameBegin, known->second);
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
        events_.size() == kBegin.size() ? "" : ",", category, name_text(name),
        process.value_or(0) >> kThreadBits, time_us(*begin_ns), time_us(*end_ns - *begin_ns),
        std::string_view(arguments).substr(arguments.starts_with(',') ? 1 : 0));
    if (events_.size() > most_bytes_)
      throw Error(fmt::format("{}: the launches in this database take more than {} bytes as text", file_,
                              most_bytes_),
                  "profile fewer iterations, or set a larger limit with --max-bytes");
  }

  /// Returns an id that differs between the processes of the database, which number their calls separately.
  /// The ids of the first process are unchanged. Returns no value for numbers that CUPTI does not write.
  std::optional<int64_t> unique_id(const std::optional<int64_t>& correlation,
                                   const std::optional<int64_t>& global_id) {
    if (!correlation || *correlation < 0 || *correlation > UINT32_MAX) return {};
    const auto number = processes_.try_emplace(global_id.value_or(0) >> kThreadBits, processes_.size()).first;
    return static_cast<int64_t>(number->second) << 32 | *correlation;
  }

  /// Returns device, stream, context and correlation as JSON. They are in the same columns of every query of
  /// operations.
  std::string place_of(const SqliteRow& row) {
    const std::array<std::pair<const char*, std::optional<int64_t>>, 4> fields = {
        {{"device", row.whole(3)},
         {"stream", row.whole(4)},
         {"correlation", unique_id(row.whole(5), row.whole(2))},
         {"context", row.whole(6)}}};
    std::string text;
    for (const auto& [name, value] : fields)
      if (value) text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", name, *value);
    return text;
  }

  /// Returns the size of a copy or memset as JSON. It is in the same column of both queries.
  static std::string bytes_of(const SqliteRow& row) {
    const auto bytes = row.whole(7);
    return bytes ? fmt::format(",\"bytes\":{}", *bytes) : "";
  }

  void add_kernels() {
    each(kKernels,
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "contextId", "demangledName",
          "shortName", "name", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
          "dynamicSharedMemory"},
         [&](const SqliteRow& row) {
           std::string arguments = place_of(row);
           const auto add_extent = [&](const char* what, int first) {
             const auto x = row.whole(first), y = row.whole(first + 1), z = row.whole(first + 2);
             if (x && y && z) arguments += fmt::format(",\"{}\":[{},{},{}]", what, *x, *y, *z);
           };
           add_extent("grid", 10);
           add_extent("block", 13);
           int64_t shared = 0;
           if (const auto fixed = row.whole(16), dynamic = row.whole(17);
               fixed && dynamic && !__builtin_add_overflow(*fixed, *dynamic, &shared))
             arguments += fmt::format(",\"shared memory\":{}", shared);
           const std::string name = name_in(row, {7, 9, 8});
           if (name.starts_with("unknown name")) ++without_names_;
           add_event("kernel", name, row.whole(0), row.whole(1), row.whole(2), arguments);
         });
  }

  void add_copies() {
    // CUpti_ActivityMemcpyKind
    static const std::map<int64_t, const char*> kKinds = {
        {1, "HtoD"}, {2, "DtoH"}, {8, "DtoD"}, {9, "HtoH"}, {10, "PtoP"}};
    each("CUPTI_ACTIVITY_KIND_MEMCPY",
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "contextId", "bytes",
          "copyKind"},
         [&](const SqliteRow& row) {
           const auto kind = kKinds.find(row.whole(8).value_or(0));
           add_event("gpu_memcpy", fmt::format("Memcpy {}", kind == kKinds.end() ? "other" : kind->second),
                     row.whole(0), row.whole(1), row.whole(2), place_of(row) + bytes_of(row));
         });
  }

  void add_memsets() {
    each("CUPTI_ACTIVITY_KIND_MEMSET",
         {"start", "end", "globalPid", "deviceId", "streamId", "correlationId", "contextId", "bytes"},
         [&](const SqliteRow& row) {
           add_event("gpu_memset", "Memset (Device)", row.whole(0), row.whole(1), row.whole(2),
                     place_of(row) + bytes_of(row));
         });
  }

  /// Adds the host's calls, whose pauses show where iterations begin.
  void add_calls() {
    each("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"},
         [&](const SqliteRow& row) {
           if (const auto correlation = unique_id(row.whole(3), row.whole(2)))
             add_event("cuda_runtime", name_in(row, {4}), row.whole(0), row.whole(1), row.whole(2),
                       fmt::format("\"correlation\":{}", *correlation));
         });
  }

  /// Adds the ranges of the program, and those of libraries, which have a domain. Marks have no end.
  void add_ranges() {
    each("NVTX_EVENTS", {"start", "end", "globalTid", "text", "textId", "domainId"},
         [&](const SqliteRow& row) {
           if (row.whole(1))
             add_event(row.whole(5).value_or(0) == 0 ? "user_annotation" : kLibraryRange,
                       name_in(row, {3, 4}), row.whole(0), row.whole(1), row.whole(2), "");
         });
  }

  std::string file_;
  uint64_t most_bytes_;
  SqliteFile database_;
  NsysTables tables_;
  std::vector<std::string> read_;        ///< tables whose rows were taken
  std::map<int64_t, size_t> processes_;  ///< number of each process
  std::map<int64_t, std::string> names_;
  size_t bytes_of_names_ = 0;
  std::unordered_map<std::string, size_t> long_names_;  ///< numbers of long names
  std::deque<std::string> quoted_names_;                ///< long names as JSON, by number
  TableSize size_;                                      ///< of the long names
  std::string events_{kBegin};
  size_t without_times_ = 0, without_names_ = 0;
};

}  // namespace

bool is_database(const std::filesystem::path& file) {
  return read_beginning(file, kMagic.size()) == kMagic;
}

ImportedTable read_nsys_database(const std::filesystem::path& file, const ImportChoice& choice,
                                 uint64_t most_bytes) {
  TraceText text(file, most_bytes);
  ProfilerTrace trace = read_profiler_trace(text.write(), file.string(),
                                            "export the report again with nsys export --type sqlite");
  text.set_long_names(trace);
  trace.tool = TraceTool::nsys;
  ImportedTable table = make_profiler_table(trace, choice, file.string());
  std::ranges::move(text.warnings(), std::back_inserter(table.warnings));
  return table;
}

}  // namespace kjoule
