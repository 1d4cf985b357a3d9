#pragma once
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/process/interruption.hpp"
#include "collectives/collective_row.hpp"
#include "device/collective_protocol.hpp"

namespace kjoule {

/// The files of a sweep of a collective, NAME.jsonl and NAME.csv. They contain all rows that are known, so
/// that a run that ends early keeps them. While the object exists, the line that an interrupted command
/// prints states the number of rows.
class CollectiveFiles {
 public:
  /// Chooses the names, with energies if `like` has one. Throws Error if a file exists already, because rows
  /// of two runs must not be mixed.
  CollectiveFiles(const std::filesystem::path& folder, const CollectiveRow& like,
                  const RankGreeting& greeting);

  /// Writes files with these rows in the place of those with fewer rows or energies. Throws WriteError if a
  /// file cannot be written.
  void write(const std::vector<CollectiveRow>& rows) const;
  const std::filesystem::path& jsonl_path() const { return jsonl_path_; }

 private:
  std::string table(const std::vector<CollectiveRow>& rows) const;

  RankGreeting greeting_;
  bool has_table_;  ///< the tables that are shipped do not state whether results are out of place
  bool has_energy_;
  std::filesystem::path jsonl_path_, csv_path_;
  std::shared_ptr<std::atomic<size_t>> written_;  ///< number of rows
  KeptNote note_;
};

/// Returns the name of the files without their ending: "NVIDIAH200_allreduce_fp16_1_2".
std::string collective_file_name(const CollectiveRow& like, const RankGreeting& greeting);

}  // namespace kjoule
