#include "prediction/sampled_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

#include "H200_nccl_text.hpp"
#include "H200_operator_text.hpp"
#include "H200_text.hpp"
#include "Perlmutter_text.hpp"
#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/files/files.hpp"
#include "base/text/nearest_names.hpp"
#include "nccl_text.hpp"
#include "operator_text.hpp"
#include "prediction/collective_model.hpp"
#include "prediction/operator_kind.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShipped = "regressors/";
/// End of the names of collectives whose large messages have a table of their own (A100).
constexpr std::string_view kLargeMessages = "_large";
/// How the user names the tables of another GPU.
constexpr const char* kOwnTables =
    "; a folder with tables of another GPU is named with --data, or in a training configuration with "
    "operator_data_folder and nccl_data_folder";

std::optional<int> whole(std::string_view text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 1) return {};
  return number;
}

/// Removes the part after the last "_" from `stem` and returns it; returns an empty text if there is no "_".
std::string cut_last(std::string& stem) {
  const size_t mark = stem.rfind('_');
  if (mark == std::string::npos) return {};
  std::string last = stem.substr(mark + 1);
  stem.erase(mark);
  return last;
}

std::string first_line(const fs::path& path) {
  constexpr size_t kLongestHeader = size_t{1} << 16;
  const std::string begin = read_beginning(path, kLongestHeader);
  return begin.substr(0, begin.find('\n'));
}

/// Returns whether the first line of a table has the columns of a collective. If a file whose name ends with
/// two numbers has other columns, it is a part of a sweep.
bool has_topologies(const std::string& header) {
  std::vector<std::string> cells;
  CsvRows(header, "header").next(cells);
  cells.resize(collective_columns().size());
  return cells == collective_columns();
}

/// Returns the rows with this topology.
Samples select_topology(const Samples& all, const std::pair<int, int>& topology) {
  Samples some{all.columns, {}, {}, {}};
  for (size_t r = 0; r < all.shapes.size(); ++r) {
    if (topology_of(all.shapes[r]) != topology) continue;
    some.shapes.push_back(all.shapes[r]);
    for (const auto& [direction, us] : all.us) some.us[direction].push_back(us[r]);
    for (const auto& [direction, joules] : all.joules) some.joules[direction].push_back(joules[r]);
  }
  return some;
}

/// Returns the distinct texts of `given` in ascending order.
std::vector<std::string> distinct(std::vector<std::string> given) {
  const std::set<std::string> sorted(given.begin(), given.end());
  return {sorted.begin(), sorted.end()};
}

}  // namespace

std::optional<TableName> TableName::parse(const std::string& stem) {
  TableName name;
  std::string rest = stem;
  const size_t first = rest.find('_');
  if (first == std::string::npos || first == 0) return {};
  name.gpu = rest.substr(0, first);
  rest.erase(0, first + 1);
  name.precision = cut_last(rest);
  if (const auto gpus = whole(name.precision)) {
    const auto nodes = whole(cut_last(rest));
    if (!nodes) return {};
    name.topology = {*nodes, *gpus};
    name.precision = cut_last(rest);
  }
  name.operation = rest;
  if (name.operation.empty() ||
      (name.precision != "fp16" && name.precision != "bf16" && name.precision != "fp32"))
    return {};
  return name;
}

std::string TableName::stem() const {
  const std::string stem = fmt::format("{}_{}_{}", gpu, operation, precision);
  return topology ? fmt::format("{}_{}_{}", stem, topology->first, topology->second) : stem;
}

SampledData SampledData::open_folder(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    throw Error(folder.string() + (fs::exists(folder, failed) ? ": is not a folder" : ": no such folder"),
                "give the folder that contains the tables (GPU_OPERATOR_PRECISION.csv)");
  SampledData data(folder.string());
  data.folder_ = folder;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".csv") continue;
    const std::string stem = entry.path().stem().string();
    const auto name = TableName::parse(stem);
    if (name && name->topology && !has_topologies(first_line(entry.path())))
      data.parts_.push_back(stem + ".csv");
    else
      data.paths_[stem] = entry.path();
  }
  if (failed) throw Error(folder.string() + ": cannot be read: " + failed.message(), "check its permissions");
  std::sort(data.parts_.begin(), data.parts_.end());
  if (data.tables().empty() && !data.parts_.empty())
    throw Error(fmt::format("{}: this folder contains only parts of sweeps, such as {}", folder.string(),
                            data.parts_.front()),
                "join the parts with kjoule sample merge");
  if (data.tables().empty())
    throw Error(folder.string() + ": this folder contains no table that is named GPU_OPERATOR_PRECISION.csv",
                "give a folder of tables that kjoule sample merge wrote");
  data.read_own_operators();
  return data;
}

void SampledData::read_own_operators() {
  for (const TableName& table : tables()) {
    const fs::path path = folder_ / (table.operation + ".yml");
    if (!fs::exists(path) || own_operators_.contains(table.operation)) continue;
    auto own = read_own_operator(read_text(path), path.string());
    if (!own) continue;
    if (own->kind.name != table.operation)
      throw Error(fmt::format("{}: kernel_name is {}, but the name of the file is that of {}", path.string(),
                              own->kind.name, table.operation),
                  "correct kernel_name, or rename the file");
    own_operators_.emplace(table.operation, std::move(*own));
  }
}

const OwnOperator* SampledData::own_operator(const std::string& name) const {
  const auto found = own_operators_.find(name);
  return found == own_operators_.end() ? nullptr : &found->second;
}

OperatorKind SampledData::kind_of(const TableName& table) const {
  const std::vector<TableName> others = neighbours(table);
  const std::vector<std::string> columns = samples(others.empty() ? table : others.front()).columns;
  const OwnOperator* own = own_operator(table.operation);
  if (own == nullptr) return make_operator_kind(table.operation, columns);
  if (own->kind.columns != columns)
    throw Error(fmt::format("{}.csv: the columns with sizes are {}, but those of {}.yml are {}", table.stem(),
                            fmt::join(columns, ","), table.operation, fmt::join(own->kind.columns, ",")),
                "name the same columns in both files");
  return own->kind;
}

std::string SampledData::hash_of(const TableName& table) const {
  const OwnOperator* own = own_operator(table.operation);
  std::string all = text(file_of(table));
  if (own)
    all += fmt::format("\n{}\n{}", fmt::join(own->kind.columns, ","), fmt::join(own->kind.features, "\n"));
  return hash_hex(all);
}

std::vector<SampledData> SampledData::shipped_folders() {
  const auto folder = [](const char* name, const auto& files) {
    SampledData data(std::string(kShipped) + name);
    for (const auto& [stem, text] : files) data.texts_[stem] = text;
    return data;
  };
  return {folder("Perlmutter/operator", kPerlmutterOperators),
          folder("Perlmutter/nccl", kPerlmutterCollectives), folder("H200/operator", kH200Operators),
          folder("H200/nccl", kH200Collectives)};
}

SampledData SampledData::shipped_with(const std::string& gpu, const std::string& operation) {
  for (SampledData& data : shipped_folders()) {
    if (!data.name().ends_with("/nccl")) continue;
    const std::vector<TableName> all = data.tables();
    const auto has_it = [&](const TableName& table) {
      return table.gpu == gpu && table.operation == operation;
    };
    if (std::any_of(all.begin(), all.end(), has_it)) return std::move(data);
  }
  return shipped_operators(gpu);
}

SampledData SampledData::shipped_operators(const std::string& gpu) {
  std::vector<std::string> gpus;
  for (const SampledData& data : shipped_folders()) {
    if (!data.name().ends_with("/operator")) continue;
    for (const TableName& table : data.tables()) gpus.push_back(table.gpu);
    if (gpus.back() == gpu) return data;
  }
  throw Error(fmt::format("there are no sampled operator times of the GPU {}", gpu),
              fmt::format("name one of {}, or a folder with your own tables with --data",
                          nearest_names(gpu, distinct(gpus))));
}

SampledData SampledData::open_named(const std::string& path, const fs::path& config) {
  fs::path given = fs::path(path).lexically_normal();
  if (!given.has_filename() && given.has_relative_path()) given = given.parent_path();  // ends with a slash
  if (given.is_absolute()) return open_folder(given);
  if (!config.empty() && fs::is_directory(config.parent_path() / given))
    return open_folder(config.parent_path() / given);
  std::vector<std::string> names;
  for (const SampledData& data : shipped_folders()) {
    names.push_back("./" + data.name());
    if (("/" + data.name()).ends_with("/" + given.string())) return data;
  }
  throw Error(fmt::format("{}: no such folder{}, and no built-in folder of this name", path,
                          config.empty() ? "" : " in " + config.parent_path().string()),
              fmt::format("name an existing folder, or {}", fmt::join(names, ", ")));
}

bool SampledData::is_in(const fs::path& folder) const {
  std::error_code failed;
  return !folder_.empty() && fs::equivalent(folder_, folder, failed);
}

std::vector<TableName> SampledData::tables() const {
  std::vector<TableName> all;
  const auto add = [&all](const std::string& stem) {
    if (const auto name = TableName::parse(stem)) all.push_back(*name);
  };
  for (const auto& [stem, path] : paths_) add(stem);
  for (const auto& [stem, text] : texts_) add(stem);
  return all;
}

std::string SampledData::text(const std::string& stem) const {
  const auto kept = texts_.find(stem);
  if (kept != texts_.end()) return kept->second;
  const auto path = paths_.find(stem);
  if (path == paths_.end())
    throw Error(fmt::format("{}: this folder contains no table {}.csv", name_, stem),
                "measure it with kjoule sample, and join its parts with kjoule sample merge");
  return read_text(path->second);
}

std::string SampledData::header(const std::string& stem) const {
  const auto kept = texts_.find(stem);
  if (kept == texts_.end()) return first_line(paths_.at(stem));
  const std::string_view text = kept->second;
  return std::string(text.substr(0, text.find('\n')));
}

std::string SampledData::file_of(const TableName& table) const {
  if (!table.topology || has(table.stem())) return table.stem();
  return TableName{table.gpu, table.operation, table.precision, {}}.stem();
}

Samples SampledData::samples(const TableName& table) const {
  const std::string file = file_of(table);
  Samples all = read_samples(text(file), file + ".csv", table.operation);
  return file == table.stem() ? all : select_topology(all, *table.topology);
}

std::vector<TableName> SampledData::topologies(const TableName& merged) const {
  if (merged.topology || !has_topologies(header(merged.stem()))) return {};
  std::map<std::pair<int, int>, std::set<std::vector<double>>> sizes;
  for (const auto& shape : samples(merged).shapes) sizes[topology_of(shape)].insert(shape);
  std::vector<TableName> all;
  for (const auto& [topology, different] : sizes) {
    TableName part = merged;
    part.topology = topology;
    if (different.size() >= CollectiveModel::kFewestSizes && !has(part.stem()))
      all.push_back(std::move(part));
  }
  return all;
}

ModelsFolder SampledData::models_folder() const {
  if (folder_.empty()) return private_models_folder(name_.substr(kShipped.size()));
  if (access(folder_.c_str(), W_OK) == 0) return {folder_ / "models", {}};
  return private_models_folder(hash_hex(fs::absolute(folder_).string()));
}

TableName SampledData::find(const std::string& gpu, const std::string& operation,
                            const std::string& precision) const {
  std::vector<std::string> gpus, operations, precisions;
  for (const TableName& table : tables()) {
    gpus.push_back(table.gpu);
    if (table.gpu != gpu) continue;
    operations.push_back(table.operation);
    if (table.operation != operation) continue;
    precisions.push_back(table.precision);
    if (table.precision == precision && !table.topology) return table;
  }
  const auto fail = [&](const std::string& what, const std::string& given,
                        const std::vector<std::string>& there) {
    throw Error(fmt::format("{}: no data of {} {}", name_, what, given),
                fmt::format("available: {}", nearest_names(given, distinct(there))));
  };
  if (operations.empty())
    throw Error(fmt::format("{}: no data of GPU {}", name_, gpu),
                fmt::format("available: {}{}", nearest_names(gpu, distinct(gpus)), kOwnTables));
  if (precisions.empty()) fail("operator", operation, operations);
  fail(operation + " in", precision, precisions);
  return {};
}

bool SampledData::has_collective(const std::string& gpu, const std::string& collective,
                                 const std::string& precision) const {
  const std::vector<TableName> all = tables();
  return std::any_of(all.begin(), all.end(), [&](const TableName& table) {
    return table.gpu == gpu && table.operation == collective && table.precision == precision;
  });
}

TableName SampledData::find(const std::string& gpu, const std::string& collective,
                            const std::string& precision, int nodes, int gpus) const {
  if (collective.ends_with(kLargeMessages) && !has_collective(gpu, collective, precision)) {
    const std::string all_sizes = collective.substr(0, collective.size() - kLargeMessages.size());
    if (has_collective(gpu, all_sizes, precision)) return find(gpu, all_sizes, precision, nodes, gpus);
  }
  const TableName table{gpu, collective, precision, std::pair{nodes, gpus}},
      merged{gpu, collective, precision, {}};
  if (has(table.stem())) return table;
  if (has(merged.stem())) {
    for (const TableName& part : topologies(merged))
      if (part.topology == table.topology) return part;
    return merged;
  }
  if (!neighbours(table).empty()) return table;
  std::vector<std::string> sampled;
  for (const TableName& other : tables())
    if (other.gpu == gpu && other.operation == collective && other.precision == precision && other.topology)
      sampled.push_back(fmt::format("{}x{}", other.topology->first, other.topology->second));
  if (sampled.empty()) return find(gpu, collective, precision);  // throws Error
  throw Error(fmt::format("{}: no data of {} in {} on {} nodes with {} GPUs each", name_, collective,
                          precision, nodes, gpus),
              fmt::format("choose sampled numbers (nodes x GPUs per node): {}", fmt::join(sampled, ", ")));
}

std::vector<TableName> SampledData::neighbours(const TableName& table) const {
  if (!table.topology || has(file_of(table))) return {};
  const auto [nodes, gpus] = *table.topology;
  std::vector<TableName> on_as_many_nodes, with_as_many_gpus;
  for (TableName& other : tables()) {
    if (!other.topology || other.gpu != table.gpu || other.operation != table.operation ||
        other.precision != table.precision)
      continue;
    const bool has_nodes = other.topology->first == nodes,
               has_gpus = other.topology->second == gpus && other.topology->first > 1;
    if (!has_nodes && !has_gpus) continue;
    if (count_different(samples(other).shapes) < CollectiveModel::kFewestSizes) continue;
    if (has_nodes) on_as_many_nodes.push_back(other);
    if (has_gpus) with_as_many_gpus.push_back(other);
  }
  std::vector<TableName>& found =
      on_as_many_nodes.size() < 2 && nodes > 1 ? with_as_many_gpus : on_as_many_nodes;
  if (found.size() < 2) return {};
  const auto ranks = [](const TableName& one) {
    return std::log(static_cast<double>(one.topology->first) * one.topology->second);
  };
  std::sort(found.begin(), found.end(), [&](const TableName& a, const TableName& b) {
    return std::abs(ranks(a) - ranks(table)) < std::abs(ranks(b) - ranks(table));
  });
  found.resize(2);
  return found;
}

bool SampledData::is_collective(const std::string& gpu, const std::string& operation,
                                const std::string& precision) const {
  const TableName merged{gpu, operation, precision, {}};
  if (has(merged.stem())) return has_topologies(header(merged.stem()));
  const std::vector<TableName> all = tables();
  return std::any_of(all.begin(), all.end(), [&](const TableName& other) {
    return other.topology && other.gpu == gpu && other.operation == operation && other.precision == precision;
  });
}

const std::map<std::string, std::string>& shipped_training_configurations() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> configurations;
    const auto add = [&configurations](const auto& examples) {
      for (const auto& [name, text] : examples)
        if (std::string_view(text).find("training_config") != std::string_view::npos)
          configurations[name] = text;
    };
    add(kPerlmutterExamples);
    add(kH200Examples);
    return configurations;
  }();
  return all;
}

const std::string& shipped_training(const std::string& name) {
  const auto& all = shipped_training_configurations();
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, text] : all) names.push_back(known);
  throw Error(fmt::format("{} is neither a built-in configuration nor a file", name),
              fmt::format("available: {}", nearest_names(name, names)));
}

}  // namespace kjoule
