#include "compare/tables/table_request.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "compare/tables/model_kernels.hpp"
#include "importers/imported_file.hpp"
#include "importers/supply_shapes.hpp"

namespace kjoule {

namespace {

/// Returns the file to read: for the folder of an import its table, for a results folder its recording, and
/// `path` itself if it is no folder. Throws Error for a folder that has neither.
std::string file_of(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path)) return path;
  for (const char* name : {kImportedFile, "recording.jsonl"})
    if (fs::exists(fs::path(path) / name)) return fs::path(path) / name;
  throw Error(fmt::format("{}: the folder contains neither {} nor recording.jsonl", path, kImportedFile),
              "give the path of a trace or table file");
}

}  // namespace

ImportedTable read_table(const std::vector<std::string>& paths, const TableRequest& request,
                         const SubjectOptions& lender) {
  if (request.choice.iterations && request.choice.annotation)
    throw UsageError("--iterations and --annotation both define the iterations", "give only one of them");
  std::vector<std::string> files;
  for (const std::string& path : paths) files.push_back(file_of(path));
  ImportedTable table = import_files(files, request.rank, request.choice, request.most_bytes);
  if (request.needs_timeline) require_timeline(table);
  if (!request.like.empty()) {
    ImportChoice whole;
    whole.gpu = request.choice.gpu;
    supply_shapes(table, import_file(file_of(request.like), whole, request.most_bytes));
  }
  if (!lender.model.empty() && lacks_shapes(table)) supply_shapes(table, kernels_of_model(lender));
  return table;
}

}  // namespace kjoule
