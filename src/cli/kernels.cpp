#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/json/dump_json.hpp"
#include "cli/compare/timeline_files.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/import_arguments.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/rules_option.hpp"
#include "cli/options/subject_arguments.hpp"
#include "compare/compare_iteration.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "importers/classified_table.hpp"
#include "importers/imported_file.hpp"
#include "measure/time/estimate.hpp"
#include "report/console.hpp"
#include "report/imported_columns.hpp"
#include "report/imported_tables.hpp"
#include "report/ranked_run.hpp"
#include "run/finished_run.hpp"
#include "run/observed_program.hpp"
#include "run/rows.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Most kernels in the printed table of a program's run, unless --top gives another number.
constexpr int kMostKernels = 20;

/// The formats of one list of kernels. Each returns a text that ends with a newline.
struct KernelList {
  std::function<std::string()> json, jsonl, csv, text;
};

/// A format of --output, by the ending of the file's name.
struct ListFormat {
  const char* ending;
  std::function<std::string()> KernelList::*write;
};

/// Returns the format for the file's ending. A pipe or a device without an ending gets JSON. Throws
/// UsageError for another ending.
const ListFormat& list_format(const std::string& path) {
  static const std::array kFormats{ListFormat{".json", &KernelList::json},
                                   ListFormat{".jsonl", &KernelList::jsonl},
                                   ListFormat{".csv", &KernelList::csv}};
  const std::string ending = fs::path(path).extension();
  if (ending.empty() && is_stream(path)) return kFormats.front();
  for (const ListFormat& format : kFormats)
    if (ending == format.ending) return format;
  throw UsageError("--output " + path + ": the file's name ends neither with .json, .jsonl nor .csv",
                   "end it with the format that the file is to have");
}

std::string json_text(const nlohmann::ordered_json& value) {
  return dump_json(value, 2) + "\n";
}

class Kernels final : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string help() const override {
    return "lists the kernels of a recording, a results folder, a trace, a kernel table or a program";
  }
  std::string example() const override { return "kjoule kernels results --csv"; }
  std::vector<TableColumns> tables() const override {
    std::vector<TableColumns> tables{kernels_columns(), imported_columns()};
    tables.push_back(observed_rank_columns());
    for (TableColumns& table : run_columns()) tables.push_back(std::move(table));
    return tables;
  }
  void declare(CLI::App& app) override {
    input_file(app.add_option(
        "path", path_, "recording.jsonl, results folder, trace, kernel table, or folder of kjoule import"));
    subject_.declare_program(app);
    timeline_.declare(app, "the whole run of a program, or of one iteration of a trace");
    rules_.declare(app);
    printed_.declare(app, "print a JSON array instead of the table", "print CSV instead of the table");
    app.add_flag("--jsonl", jsonl_, "print one JSON object per line instead of the table")
        ->excludes("--json")
        ->excludes("--csv");
    output_file(
        app.add_option("-o,--output", output_,
                       "file for all kernels: FILE.json, FILE.jsonl or FILE.csv, with the contents of "
                       "the option of this name; it must not exist yet"),
        kNewOutput);
    app.add_option("--top", top_,
                   "number of kernels to show in the table, from the largest; default: 20 for a program, "
                   "otherwise all")
        ->check(whole_number(0, kMostShown))
        ->excludes("--json")
        ->excludes("--csv")
        ->excludes("--jsonl");
    of_files_ = {
        app.add_option("--by", by_,
                       "property by which kernels are grouped into lines: signature, name, operator, "
                       "tier or category; default: signature")};
    full_names_.declare(app);
    for (const CLI::Option* option : import_.declare_for_files(app)) of_files_.push_back(option);
    subject_.declare_lender(app);
    of_files_.insert(of_files_.end(), subject_.for_models.begin(), subject_.for_models.end());
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  int run() override {
    if (!output_.empty()) list_format(output_);
    known_ = rules_.read();  // before the program runs, so that a faulty file is reported at once
    if (!subject_.program.empty()) return run_program();
    if (path_.empty())
      throw UsageError("neither a file nor a program was given",
                       "use kjoule kernels recording.jsonl, or kjoule kernels -- PROGRAM");
    subject_.refuse_search("on a file, which is read as a whole");
    timeline_.refuse_wrong_names();
    const bool folder = fs::is_directory(path_);
    import_.take(subject_.iterations, subject_.injection.gpu, subject_.injection.rank);
    if (const std::string imported = imported_path(folder); !imported.empty()) return show_imported(imported);
    if (timeline_.asked())
      throw UsageError("kjoule kernels writes a timeline only for the run of a program and for a trace",
                       "use kjoule kernels --timeline FILE -- PROGRAM, or give a trace of a profiler");
    const Recording recording =
        read_recording(folder ? (fs::path(path_) / "recording.jsonl").string() : path_);
    show(results(recording, folder), recording.launches.size());
    return 0;
  }

 private:
  /// Observes the program and prints the list of kernels after the program has ended, so that their outputs
  /// do not mix.
  int run_program() {
    if (!path_.empty())
      throw UsageError(path_ + " was given with a program, but only one of them can be listed",
                       "omit one of them");
    refuse_given(of_files_, "on a program", "omit it, or give a trace or table instead of the program");
    if (subject_.selects_iteration())
      throw UsageError(
          "--range, --iterations and --skip-iterations have no effect, because kjoule kernels -- PROGRAM "
          "lists the whole run",
          "record an iteration with kjoule record -o FILE -- PROGRAM, then list it with kjoule kernels FILE");
    timeline_.refuse_wrong_names();
    const ProgramStreams streams = jsonl_ ? kOutputToStderr : printed_.program_streams();
    const ObservedProcesses observed = observe_program(subject_.program, subject_.injection, streams);
    std::vector<RunSummary> summaries;
    for (const ObservedProcess& process : observed.processes) summaries.push_back(summarize(process.log));
    ShownRanks shown{fmt::format("{}", fmt::join(subject_.program, " ")), {}, observed.others};
    for (size_t i = 0; i < summaries.size(); ++i) {
      const auto& [log, energy] = observed.processes[i];
      shown.ranks.push_back(
          {log.process.rank, log.process.process, {shown.title, log, summaries[i], observed.others, energy}});
    }
    if (shown.ranks.size() == 1)
      show_run(shown.ranks.front().run);
    else
      show_ranks(shown);
    return observed.exit_code == 0 ? 0 : 1;
  }

  void show_run(const ShownRun& run) {
    const auto top = static_cast<size_t>(top_.value_or(kMostKernels));
    show({[&] { return json_text(run_json(run, *known_)); }, [&] { return run_jsonl(run, *known_); },
          [&] { return run_csv(run, *known_); },
          [&] { return run_text(run, *known_, top, full_names_.style()); }});
    timeline_.write_run(run, *known_, full_names_.style());
  }

  void show_ranks(const ShownRanks& ranks) {
    const auto top = static_cast<size_t>(top_.value_or(kMostKernels));
    show({[&] { return json_text(ranked_run_json(ranks, *known_)); },
          [&] { return ranked_run_jsonl(ranks, *known_); }, [&] { return ranked_run_csv(ranks, *known_); },
          [&] { return ranked_run_text(ranks, *known_, top, full_names_.style()); }});
    timeline_.write_ranks(ranks, *known_, full_names_.style());
  }

  /// Returns the path of the table to import; empty if the argument is a recording or a results folder, which
  /// are listed with their measurements.
  std::string imported_path(bool folder) const {
    const fs::path recording = folder ? fs::path(path_) / "recording.jsonl" : fs::path(path_);
    const fs::path imported = fs::path(path_) / kImportedFile;
    // Checked first, because the results folder of a replay also contains a recording.
    if (folder && fs::exists(imported)) return imported;
    if (folder && !fs::exists(recording)) return path_;  // read_table() reports the missing file by its name
    const bool as_file = !by_.empty() || import_.asked() || !subject_.model.empty();
    if (!as_file && (folder || !fs::exists(recording) || is_recording(recording))) return {};
    return recording;
  }

  int show_imported(const std::string& file) {
    const GroupBy by = group_by(by_.empty() ? "signature" : by_);
    import_.needs_timeline = timeline_.asked();
    ImportedTable table = read_table({file}, import_, subject_);
    classify(table, *known_);
    tell_warnings(table);
    if (timeline_.asked()) timeline_.write(timeline_of(table), full_names_.style());
    show({[&] { return json_text(imported_json(table, by)); }, [&] { return imported_jsonl(table, by); },
          [&] { return imported_csv(table, by); },
          [&] { return imported_console(table, by, full_names_.style(), shown()); }});
    return 0;
  }

  void show(const std::vector<KernelResult>& kernels, size_t launches) const {
    show({[&] { return json_text(kernels_json(kernels)); }, [&] { return kernels_jsonl(kernels); },
          [&] { return kernels_csv(kernels); },
          [&] { return kernels_text(kernels, launches, full_names_.style(), shown()); }});
  }

  /// Prints the list in the requested format, and writes the file of --output.
  void show(const KernelList& list) const {
    print_text(jsonl_ ? list.jsonl() : printed_.json ? list.json() : printed_.csv ? list.csv() : list.text());
    if (!output_.empty()) write_named(output_, (list.*list_format(output_).write)());
  }

  /// Returns the number of kernels to show of a file; nothing for all.
  std::optional<size_t> shown() const {
    return top_ ? std::optional(static_cast<size_t>(*top_)) : std::nullopt;
  }

  /// Returns the kernels of the recording, with their times if the folder contains results.
  std::vector<KernelResult> results(const Recording& recording, bool folder) {
    const KernelTable table = kernel_table(recording);
    const fs::path rows_file = fs::path(path_) / "results.jsonl";
    if (!folder || !fs::exists(rows_file)) return isolated_results(table, RowList(), *known_);
    const RowList rows = read_rows_of(recording, rows_file);
    return rows.count<Round>() < kFewestRounds ? isolated_results(table, rows, *known_)
                                               : compare_iteration(recording, rows, *known_).kernels;
  }

  std::string path_;
  RulesOption rules_;
  /// Read when the command runs, so that other commands start in milliseconds.
  std::optional<KernelRules> known_;
  SubjectArguments subject_;
  FullNamesOption full_names_;
  Printed printed_;
  std::string by_;
  Options of_files_;  ///< options that have no effect on a program
  ImportArguments import_;
  TimelineFiles timeline_;
  bool jsonl_ = false;
  std::string output_;
  std::optional<int> top_;
};

}  // namespace

std::unique_ptr<Command> kernels_command() {
  return std::make_unique<Kernels>();
}

}  // namespace kjoule
