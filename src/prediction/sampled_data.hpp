#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prediction/samples.hpp"

namespace kjoule {

/// A file's name taken apart: GPU_OPERATOR_PRECISION, and of collectives _NODES_GPUSPERNODE behind it. Parts
/// of sweeps are named in the same way (_PARTS_PART); only their columns tell them apart.
struct TableName {
  std::string gpu, operation, precision;
  std::optional<std::pair<int, int>> topology;  ///< nodes, GPUs of each

  /// Nothing for a name that is none of a merged table.
  static std::optional<TableName> parse(const std::string& stem);
  std::string stem() const;
};

/// A folder of sampled tables (*.csv), on disk or in this program.
class SampledData {
 public:
  /// Parts of sweeps that were not merged are no tables, and are left out. Throws Error when there is no such
  /// folder, or no table in it.
  static SampledData of_folder(const std::filesystem::path& folder);
  /// Operators of that GPU that kjoule brings (data/regressors). Throws Error with the GPUs there are.
  static SampledData shipped_operators(const std::string& gpu);
  /// A path in a configuration: absolute, or beside `config`, or the end of a shipped folder's name.
  static SampledData named(const std::string& path, const std::filesystem::path& config);

  const std::string& name() const { return name_; }  ///< for messages
  std::vector<TableName> tables() const;
  /// Names of files that were left out since they are parts of a sweep.
  const std::vector<std::string>& parts() const { return parts_; }
  bool has(const std::string& stem) const { return texts_.contains(stem) || paths_.contains(stem); }
  /// The text of STEM.csv. Throws Error when it is not there, or cannot be read.
  std::string text(const std::string& stem) const;
  /// What that table holds. Throws Error like text(), and where it is none.
  Samples samples(const TableName& table) const;
  /// Where models of these tables are kept: `models` in the folder if that can be written, otherwise a folder
  /// of the user's
  /// ($XDG_CACHE_HOME or ~/.cache, kjoule/models). It need not exist.
  std::filesystem::path models_folder() const;
  /// The table of this GPU, operator and precision. Throws Error with the nearest names there are.
  TableName find(const std::string& gpu, const std::string& operation, const std::string& precision) const;
  /// The collective's table of `gpus` GPUs on each of `nodes` nodes, or, where that was not sampled, the one
  /// of all topologies. Throws Error like the other.
  TableName find(const std::string& gpu, const std::string& collective, const std::string& precision,
                 int nodes, int gpus) const;

 private:
  explicit SampledData(std::string name) : name_(std::move(name)) {}
  /// All folders that kjoule brings.
  static std::vector<SampledData> shipped();

  std::string name_;
  std::filesystem::path folder_;  ///< empty when they are in this program
  std::map<std::string, std::filesystem::path> paths_;
  std::map<std::string, const char*> texts_;
  std::vector<std::string> parts_;
};

/// Training configurations that kjoule brings, by name.
const std::map<std::string, std::string>& shipped_training_configurations();
/// Throws Error with the nearest names.
const std::string& shipped_training(const std::string& name);

}  // namespace kjoule
