#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/files/appended_file.hpp"
#include "collectives/collective_row.hpp"
#include "device/collective_protocol.hpp"

namespace kjoule {

/// The files of a sweep of a collective, NAME.jsonl and NAME.csv. Each row is appended when it is complete.
class CollectiveFiles {
 public:
  /// Creates the files in the folder, with energies if `like` has one. Throws Error if they exist already,
  /// because rows of two runs must not be mixed, or if they cannot be written.
  CollectiveFiles(const std::filesystem::path& folder, const CollectiveRow& like,
                  const RankGreeting& greeting);

  void add(const CollectiveRow& row);
  const std::filesystem::path& jsonl_path() const { return jsonl_path_; }

 private:
  RankGreeting greeting_;
  std::filesystem::path jsonl_path_;
  std::optional<AppendedFile> jsonl_;
  /// In the columns of the tables that are shipped; nothing out of place, which these tables do not state.
  std::optional<AppendedFile> csv_;
};

/// Returns the name of the files without their ending: "NVIDIAH200_allreduce_fp16_1_2".
std::string collective_file_name(const CollectiveRow& like, const RankGreeting& greeting);

}  // namespace kjoule
