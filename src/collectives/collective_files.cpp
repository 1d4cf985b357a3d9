#include "collectives/collective_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/dump_json.hpp"
#include "base/numbers/statistics.hpp"
#include "base/text/counted.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

namespace {

void refuse_existing(const std::filesystem::path& path) {
  if (std::filesystem::exists(path))
    throw Error(path.string() + " exists already", "choose another folder with -o, or delete the file");
}

bool is_out_of_place(const CollectiveRow& row) {
  return !row.in_place && collective_operation(row.operation).has_in_place;
}

/// Returns the mean energy of a collective on one of the GPUs that take part in it, which tables state; empty
/// if it is not known.
std::string energy_cell(const CollectiveRow& row) {
  const CollectiveOperation& operation = collective_operation(row.operation);
  std::vector<double> joules;
  for (size_t rank = 0; row.energy && rank < row.energy->gpus_j.size(); ++rank)
    if (operation.takes_part(static_cast<int>(rank), row.gpus)) joules.push_back(row.energy->gpus_j[rank]);
  return joules.empty() ? "" : fmt::format("{:.6g}", mean(joules));
}

/// Returns the text that an interrupted command prints about the rows of a file.
std::string kept_text(size_t rows, const std::filesystem::path& path) {
  if (rows == 0) return "no file was written";
  return fmt::format("{} {} kept in {}; measure the sizes that are left with --from, in another folder",
                     counted(rows, "row"), rows == 1 ? "is" : "are", path.string());
}

}  // namespace

std::string collective_file_name(const CollectiveRow& like, const RankGreeting& greeting) {
  return fmt::format("{}{}_{}_{}_{}_{}{}", greeting.stand_in ? "stand-in_" : "",
                     gpu_file_name(greeting.gpu_name), collective_operation(like.operation).table_name,
                     like.precision, like.machines, like.gpus / like.machines,
                     is_out_of_place(like) ? "_out_of_place" : "");
}

CollectiveFiles::CollectiveFiles(const std::filesystem::path& folder, const CollectiveRow& like,
                                 const RankGreeting& greeting)
    : greeting_(greeting),
      has_table_(!is_out_of_place(like)),
      has_energy_(like.energy.has_value()),
      jsonl_path_(folder / (collective_file_name(like, greeting) + ".jsonl")),
      csv_path_(std::filesystem::path(jsonl_path_).replace_extension(".csv")),
      written_(std::make_shared<std::atomic<size_t>>(0)),
      note_([written = written_, path = jsonl_path_] { return kept_text(*written, path); }) {
  refuse_existing(jsonl_path_);
  if (has_table_) refuse_existing(csv_path_);
  std::filesystem::create_directories(folder);
}

void CollectiveFiles::write(const std::vector<CollectiveRow>& rows) const {
  std::string lines;
  for (const CollectiveRow& row : rows) lines += dump_json(to_json(row, greeting_)) + "\n";
  write_atomic(jsonl_path_, lines);
  *written_ = rows.size();
  if (has_table_) write_atomic(csv_path_, table(rows));
}

std::string CollectiveFiles::table(const std::vector<CollectiveRow>& rows) const {
  std::string text =
      has_energy_ ? "shape,nodes,GPUsPerNode,dur(us),energy(J)\n" : "shape,nodes,GPUsPerNode,dur(us)\n";
  for (const CollectiveRow& row : rows)
    text += fmt::format("{},{},{},{:.3f}{}\n", row.table_shape(), row.machines, row.gpus / row.machines,
                        row.time_us().value, has_energy_ ? "," + energy_cell(row) : "");
  return text;
}

}  // namespace kjoule
