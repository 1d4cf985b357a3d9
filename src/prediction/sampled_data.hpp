#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "prediction/models_folder.hpp"
#include "prediction/own_operator.hpp"
#include "prediction/samples.hpp"

namespace kjoule {

/// A table's file name: GPU_OPERATOR_PRECISION, followed by _NODES_GPUSPERNODE for collectives. The names of
/// unmerged parts of sweeps have the same form (_PARTS_PART); only the columns distinguish these files.
struct TableName {
  std::string gpu, operation, precision;
  std::optional<std::pair<int, int>> topology;  ///< number of nodes, and of GPUs per node

  /// Returns the name that a text states, or no value if it is not the name of a merged table.
  static std::optional<TableName> parse(const std::string& stem);
  std::string stem() const;
};

/// A folder of sampled tables (*.csv), on disk or built into the program. The formulas of an operator of the
/// user's own are in the file OPERATOR.yml of the folder.
class SampledData {
 public:
  /// Opens a folder. Unmerged parts of sweeps are not tables and are ignored. Throws Error if the folder does
  /// not exist or contains no table, or as read_own_operator().
  static SampledData open_folder(const std::filesystem::path& folder);
  /// Returns the built-in tables of a GPU's operators (data/regressors). Throws Error, which lists the
  /// available GPUs, if there are none.
  static SampledData shipped_operators(const std::string& gpu);
  /// Returns the built-in tables of a GPU that have this collective; if there are none, those of its
  /// operators. Throws Error as shipped_operators().
  static SampledData shipped_with(const std::string& gpu, const std::string& operation);
  /// Opens the folder that a configuration names: an absolute path, a path relative to the folder of
  /// `config`, or the end of a built-in folder's name.
  static SampledData open_named(const std::string& path, const std::filesystem::path& config);

  const std::string& name() const { return name_; }  ///< name for messages
  /// Returns whether `folder` is the folder of these tables, in any spelling or through links.
  bool is_in(const std::filesystem::path& folder) const;
  std::vector<TableName> tables() const;
  /// Returns the names of files that were ignored because they are parts of a sweep.
  const std::vector<std::string>& parts() const { return parts_; }
  bool has(const std::string& stem) const { return texts_.contains(stem) || paths_.contains(stem); }
  /// Returns the text of STEM.csv. Throws Error when it does not exist or cannot be read.
  std::string text(const std::string& stem) const;
  /// Returns the stem of the file that contains a table's rows: table.stem(), or the merged table of a
  /// collective if the table's topology has no file of its own.
  std::string file_of(const TableName& table) const;
  /// Returns the samples of a table. If its topology has no file of its own, these are the rows of this
  /// topology in the merged table. Throws Error when the file cannot be read or is not a valid table.
  Samples samples(const TableName& table) const;
  /// Returns the topologies of a collective's merged table that have enough sizes for a model, and no file
  /// of their own; none for the table of an operator.
  std::vector<TableName> topologies(const TableName& merged) const;
  /// Returns the operator of a table with its features. Throws Error if the columns of the table are not
  /// those of OPERATOR.yml.
  OperatorKind kind_of(const TableName& table) const;
  /// Returns the operator of this name that a file OPERATOR.yml describes, or null.
  const OwnOperator* own_operator(const std::string& name) const;
  /// Returns the hash of all from which the models of a table are trained.
  std::string hash_of(const TableName& table) const;
  /// Returns the folder for the trained models of these tables: `models` in the data's folder if that is
  /// writable, otherwise a folder of the user (private_models_folder()).
  ModelsFolder models_folder() const;
  /// Returns the table of a GPU, operator and precision. Throws Error, which lists the most similar names, if
  /// there is none.
  TableName find(const std::string& gpu, const std::string& operation, const std::string& precision) const;
  /// Returns the table of a collective on `nodes` nodes with `gpus` GPUs each: a file of this topology, or
  /// the rows of this topology in the merged table. If this topology was not sampled, returns the merged
  /// table of all topologies, or if there is none, a table without rows that has neighbours(). If there is no
  /// such table, throws Error, which lists what was sampled.
  /// "allreduce_large" and "allgather_large" are the tables of large messages; where there are none, the
  /// tables of the collective ("allreduce") contain all sizes.
  TableName find(const std::string& gpu, const std::string& collective, const std::string& precision,
                 int nodes, int gpus) const;
  /// Returns the two tables, with files of their own and enough sizes for a model, of the numbers of ranks
  /// that are nearest to those of a collective's table that has no rows: on as many nodes, or if there are
  /// fewer than two, on other numbers of several nodes with as many GPUs. Returns none if the table has rows,
  /// or if there are not two.
  std::vector<TableName> neighbours(const TableName& table) const;
  /// Returns whether the tables of this name are those of a collective.
  bool is_collective(const std::string& gpu, const std::string& operation,
                     const std::string& precision) const;

 private:
  explicit SampledData(std::string name) : name_(std::move(name)) {}
  /// Returns all built-in folders.
  static std::vector<SampledData> shipped_folders();
  /// Returns whether a collective has a table in this precision.
  bool has_collective(const std::string& gpu, const std::string& collective,
                      const std::string& precision) const;
  /// Reads the file OPERATOR.yml of each operator that has a table.
  void read_own_operators();
  /// Returns the first line of a table.
  std::string header(const std::string& stem) const;

  std::string name_;
  std::filesystem::path folder_;  ///< empty if the tables are built into the program
  std::map<std::string, std::filesystem::path> paths_;
  std::map<std::string, const char*> texts_;
  std::vector<std::string> parts_;
  std::map<std::string, OwnOperator> own_operators_;  ///< by name
};

/// Returns the built-in training configurations by name.
const std::map<std::string, std::string>& shipped_training_configurations();
/// Returns the built-in training configuration of this name. Throws Error, which lists the most similar
/// names, if there is none.
const std::string& shipped_training(const std::string& name);

}  // namespace kjoule
