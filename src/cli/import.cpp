#include <fmt/format.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/compare/timeline_files.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/import_arguments.hpp"
#include "cli/options/rules_option.hpp"
#include "cli/options/subject_arguments.hpp"
#include "importers/classified_table.hpp"
#include "importers/imported_file.hpp"
#include "report/imported_columns.hpp"
#include "report/imported_tables.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

class Import final : public Command {
 public:
  std::string name() const override { return "import"; }
  std::string help() const override {
    return "reads kernels and their counts from a profiler trace or a kernel table";
  }
  std::string example() const override { return "kjoule import trace.json.gz -o imported"; }
  std::vector<TableColumns> tables() const override { return {imported_columns()}; }
  void declare(CLI::App& app) override {
    input_file(app.add_option(
                   "trace", paths_,
                   "trace of PyTorch, JAX or TensorFlow (.json, .json.gz), "
                   "database of Nsight Systems (.sqlite), kernel table (JSONL or CSV, also that of ncu, nsys "
                   "stats, nvprof or rocprof), table of key_averages(), kernel_signatures.json, "
                   "kernel_categories_breakdown.json or "
                   "recording.jsonl; traces of several ranks become one table, unless --rank chooses one"))
        ->required();
    output_folder(
        app.add_option("-o,--output-dir", folder_,
                       "folder in which kernels.jsonl is written; it is created if it does not exist"),
        kImportedFile, kImportedOutput)
        ->required();
    rules_.declare(app);
    timeline_.declare(app);
    full_names_.declare(app);
    options_.declare(app);
    lender_.declare_lender(app);
  }
  int run() override {
    timeline_.refuse_wrong_names();
    KernelRules rules = rules_.read();
    options_.needs_timeline = timeline_.asked();
    ImportedTable table = read_table(paths_, options_, lender_);
    classify(table, rules);
    tell_warnings(table);
    const Timeline timeline = timeline_.asked() ? timeline_of(table) : Timeline{};
    make_folder(folder_);
    // Written before the table, so that no table is left behind if the timeline fails.
    timeline_.write(timeline, full_names_.style());
    const fs::path file = fs::path(folder_) / kImportedFile;
    write_atomic(file, imported_table_text(table));
    print_text(imported_console(table, GroupBy::tier, full_names_.style()));
    print_output("{} written; kjoule kernels {} lists its kernels\n", file.string(), folder_);
    return 0;
  }

 private:
  std::vector<std::string> paths_;
  std::string folder_;
  RulesOption rules_;
  TimelineFiles timeline_;
  FullNamesOption full_names_;
  ImportArguments options_;
  SubjectArguments lender_;
};

}  // namespace

std::unique_ptr<Command> import_command() {
  return std::make_unique<Import>();
}

}  // namespace kjoule
