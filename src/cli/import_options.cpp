#include "cli/import_options.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "cli/model_kernels.hpp"
#include "cli/numbers.hpp"
#include "trace/imported_file.hpp"
#include "trace/lent_shapes.hpp"

namespace kjoule {

namespace {

/// Of the folder of an import its table, of a results folder its recording. Throws Error for other folders.
std::string file_of(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return path;
  for (const char* name : {kImportedFile, "recording.jsonl"})
    if (fs::exists(fs::path(path) / name)) return fs::path(path) / name;
  throw Error(fmt::format("{}: is a folder without {} or recording.jsonl", path, kImportedFile),
              "name the trace or table in it");
}

}  // namespace

void ImportOptions::declare(CLI::App& app) {
  app.add_option("--iterations", choice_.iterations,
                 "how many iterations, all alike, the trace or table holds")
      ->check(at_least(1));
  app.add_option("--gpu", choice_.gpu, "of several devices in one trace, this one")->check(at_least(0));
  app.add_option("--rank", rank_, "of several traces, that of this rank")->check(at_least(0));
  declare_for_files(app);
}

void ImportOptions::declare_for_files(CLI::App& app) {
  const char* group = "For a trace or a table";
  app.add_option("--annotation", choice_.annotation,
                 "ranges of this name (record_function) are the iterations, not ProfilerStep")
      ->group(group);
  app.add_option("--like", like_, "a profiler trace that lends operators and shapes where kernels agree")
      ->group(group);
  app.add_option("--max-bytes", most_bytes_, "read no more than this, unpacked (4 GiB)")
      ->check(above_zero())
      ->group(group);
}

void ImportOptions::take(const std::string& iterations, std::optional<int64_t> gpu,
                         std::optional<int64_t> rank) {
  choice_.gpu = gpu;
  rank_ = rank;
  if (iterations.empty()) return;
  if (std::string number = iterations; !at_least(1)(number).empty())
    throw UsageError("--iterations " + iterations + ": not a whole number from 1",
                     "of a trace or table it says how many iterations that holds");
  choice_.iterations = std::stoull(iterations);
}

bool ImportOptions::asked() const {
  return choice_.annotation || choice_.iterations || choice_.gpu || rank_ || !like_.empty();
}

ImportedTable ImportOptions::read(const std::vector<std::string>& paths, const SubjectOptions& lender) const {
  if (choice_.iterations && choice_.annotation)
    throw UsageError("--iterations and --annotation both say what an iteration is", "give either");
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(file_of(path));
  ImportedTable table = import_files(files, rank_, choice_, most_bytes_);
  if (!like_.empty()) {
    ImportChoice whole;
    whole.gpu = choice_.gpu;
    lend_shapes(table, import_file(file_of(like_), whole, most_bytes_));
  }
  if (!lender.model.empty() && lacks_shapes(table)) lend_shapes(table, kernels_of_model(lender));
  return table;
}

void tell_warnings(const ImportedTable& table) {
  for (const std::string& warning : table.warnings) fmt::print(stderr, "{}: {}\n", table.source, warning);
  if (!table.iterations.known()) fmt::print(stderr, "{}: {}\n", table.source, table.iterations_missing());
}

}  // namespace kjoule
