#include "collectives/collective_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/numbers/statistics.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

namespace {

AppendedFile new_collective_file(const std::filesystem::path& path) {
  if (std::filesystem::exists(path))
    throw Error(path.string() + " exists already", "choose another folder with -o, or delete the file");
  return {path, AppendedFile::Contents::keep};
}

bool is_out_of_place(const CollectiveRow& row) {
  return !row.in_place && collective_operation(row.operation).has_in_place;
}

/// Returns the mean energy of a collective on one GPU, which tables state; empty if it is not known.
std::string energy_cell(const CollectiveEnergy& energy) {
  return energy.gpus_j.empty() ? "" : fmt::format("{:.6g}", mean(energy.gpus_j));
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
    : greeting_(greeting), jsonl_path_(folder / (collective_file_name(like, greeting) + ".jsonl")) {
  std::filesystem::create_directories(folder);
  jsonl_.emplace(new_collective_file(jsonl_path_));
  if (is_out_of_place(like)) return;
  csv_.emplace(new_collective_file(std::filesystem::path(jsonl_path_).replace_extension(".csv")));
  csv_->append(like.energy ? "shape,nodes,GPUsPerNode,dur(us),energy(J)\n"
                           : "shape,nodes,GPUsPerNode,dur(us)\n");
}

void CollectiveFiles::add(const CollectiveRow& row) {
  jsonl_->append(dump_json(to_json(row, greeting_)) + "\n");
  if (!csv_) return;
  const std::string energy = row.energy ? "," + energy_cell(*row.energy) : "";
  csv_->append(fmt::format("{},{},{},{:.3f}{}\n", row.table_shape(), row.machines, row.gpus / row.machines,
                           row.time_us().value, energy));
}

}  // namespace kjoule
