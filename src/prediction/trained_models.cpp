#include "prediction/trained_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/dump_json.hpp"
#include "kjoule_version.hpp"
#include "prediction/other_ranks_model.hpp"

namespace kjoule {

namespace {

constexpr int kVersion = 7;
constexpr const char* kFormat = "kjoule regressor";

/// Returns whether kjoule wrote the file, or part of it: it begins as models do, or contains nothing but
/// zeros, which a machine that lost its power may leave.
bool is_own(const std::filesystem::path& file) {
  const std::string begin = fmt::format("{{\n  \"format\": \"{}\"", kFormat);
  const std::string found = read_beginning(file, begin.size());
  return begin.starts_with(found) || found.find_first_not_of('\0') == std::string::npos;
}

void refuse_if_foreign(const std::filesystem::path& file) {
  if (std::filesystem::exists(file) && !is_own(file))
    throw Error(file.string() + ": this file exists, is not a trained model of kjoule, and was not replaced",
                "move it away, or name another folder with --models");
}

/// Returns the rows that have the measurand for a direction. Throws Error if the table has no times for it.
MeasuredShapes select(const Samples& samples, const std::string& file, Direction direction,
                      Measurand quantity) {
  if (!samples.us.contains(direction)) {
    std::vector<std::string> there;
    for (const auto& [known, times] : samples.us) there.push_back(direction_text(known));
    throw Error(fmt::format("{} has no {} times", file, direction_text(direction)),
                fmt::format("choose a direction that it has: {}", fmt::join(there, ", ")));
  }
  return samples.select(direction, quantity);
}

/// Returns the checksum of a model's file: the hash of its other fields, sorted by name.
std::string checksum_of(nlohmann::json file) {
  file.erase("checksum");
  return hash_hex(dump_json(file));
}

}  // namespace

TrainedModels::TrainedModels(SampledData data, const std::optional<std::filesystem::path>& folder)
    : data_(std::move(data)),
      folder_(folder ? ModelsFolder{*folder, {}} : data_.models_folder()),
      save_error_(folder_.why_none) {}

std::filesystem::path TrainedModels::file(const TableName& table, Direction direction,
                                          Measurand quantity) const {
  return folder_.path.value_or("") / fmt::format("{}_{}{}.json", table.stem(), direction_text(direction),
                                                 quantity == Measurand::energy ? "_energy" : "");
}

std::vector<Direction> TrainedModels::directions(const TableName& table) const {
  std::vector<Direction> all;
  for (const auto& [direction, us] : data_.samples(table).us) all.push_back(direction);
  return all;
}

bool TrainedModels::has_few_sizes(const TableName& table) const {
  if (!table.topology) return false;
  const auto [known, is_new] = few_sizes_.try_emplace(table.stem());
  if (is_new)
    known->second =
        !data_.neighbours(table).empty() || data_.samples(table).shapes.size() < CollectiveModel::kManyRows;
  return known->second;
}

const ShapeModel* TrainedModels::collective(const TableName& table, Direction direction, Measurand quantity) {
  const auto [known, is_new] = collectives_.try_emplace(file(table, direction, quantity).string());
  if (is_new) {
    const std::vector<TableName> neighbours = data_.neighbours(table);
    known->second = neighbours.empty() ? make_collective(table, direction, quantity)
                                       : make_other_ranks(table, neighbours, direction, quantity);
  }
  return known->second.get();
}

std::unique_ptr<ShapeModel> TrainedModels::make_collective(const TableName& table, Direction direction,
                                                           Measurand quantity) {
  const std::string name = data_.file_of(table) + ".csv";
  const MeasuredShapes measured = select(data_.samples(table), name, direction, quantity);
  if (quantity == Measurand::energy && count_different(measured.shapes) < CollectiveModel::kFewestSizes)
    return {};
  try {
    return std::make_unique<CollectiveModel>(
        CollectiveModel::train(data_.kind_of(table), measured.shapes, measured.costs));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()), error.remedy());
  }
}

std::unique_ptr<ShapeModel> TrainedModels::make_other_ranks(const TableName& table,
                                                            const std::vector<TableName>& neighbours,
                                                            Direction direction, Measurand quantity) {
  std::vector<OtherRanksModel::Measured> measured;
  for (const TableName& one : neighbours) {
    const ShapeModel* model = quantity == Measurand::time ? &time(one, direction) : energy(one, direction);
    if (model == nullptr) return {};
    measured.push_back({*one.topology, model});
  }
  return std::make_unique<OtherRanksModel>(*table.topology, measured.at(0), measured.at(1));
}

const ShapeModel& TrainedModels::time(const TableName& table, Direction direction) {
  if (has_few_sizes(table)) return *collective(table, direction, Measurand::time);
  return operator_time(table, direction);
}

const ShapeModel* TrainedModels::energy(const TableName& table, Direction direction) {
  if (has_few_sizes(table)) return collective(table, direction, Measurand::energy);
  return operator_energy(table, direction);
}

const OperatorModel& TrainedModels::operator_time(const TableName& table, Direction direction) {
  const std::filesystem::path path = file(table, direction, Measurand::time);
  const auto [known, is_new] = models_.try_emplace(path.string());
  if (known->second) return *known->second;
  const std::string hash = data_.hash_of(table);
  known->second = load_model(path, hash);
  if (!known->second) known->second = train_model(table, direction, Measurand::time, hash);
  return *known->second;
}

const OperatorModel* TrainedModels::operator_energy(const TableName& table, Direction direction) {
  const std::filesystem::path path = file(table, direction, Measurand::energy);
  auto known = models_.find(path.string());
  if (known == models_.end()) {
    const std::string hash = data_.hash_of(table);
    std::optional<OperatorModel> model = load_model(path, hash);
    const auto rows = [&] { return data_.samples(table).select(direction, Measurand::energy).costs.size(); };
    if (!model && rows() >= OperatorModel::kFewestRows)
      model = train_model(table, direction, Measurand::energy, hash);
    known = models_.emplace(path.string(), std::move(model)).first;
  }
  return known->second ? &*known->second : nullptr;
}

OperatorPrediction TrainedModels::predict(const TableName& table, Direction direction,
                                          const std::vector<double>& shape) {
  const ShapeModel& time = this->time(table, direction);
  OperatorPrediction prediction{time.predict(shape), {}};
  if (!table.topology && time.kind().columns == collective_columns())
    prediction.us.outside.push_back(fmt::format("{:.0f}x{:.0f} GPUs (not sampled)", shape[1], shape[2]));
  if (const ShapeModel* model = energy(table, direction)) prediction.joules = model->predict(shape);
  return prediction;
}

std::optional<OperatorModel> TrainedModels::load_model(const std::filesystem::path& path,
                                                       const std::string& hash) const {
  if (!folder_.path || !std::filesystem::exists(path)) return {};
  refuse_if_foreign(path);
  try {
    const nlohmann::json json = read_json(path);
    if (json.at("checksum") == checksum_of(json)) {
      if (json.at("version") != kVersion || json.at("data_hash") != hash) return {};
      return OperatorModel::from_json(json.at("model"));
    }
  } catch (const Error&) {  // a damaged file is replaced by a model that is trained again
  } catch (const nlohmann::json::exception&) {
  }
  on_damage(path.string());
  return {};
}

void TrainedModels::refuse_foreign(const TableName& table) const {
  if (!folder_.path) return;
  for (const Direction direction : directions(table))
    for (const Measurand quantity : {Measurand::time, Measurand::energy})
      refuse_if_foreign(file(table, direction, quantity));
}

void TrainedModels::save_model(const std::filesystem::path& path, nlohmann::ordered_json model) {
  if (!folder_.path) return;
  model["checksum"] = checksum_of(nlohmann::json(model));
  try {
    make_folder(*folder_.path);
    write_json(path, model);
  } catch (const Error& error) {
    save_error_ = error.line();
  }
}

OperatorModel TrainedModels::train_model(const TableName& table, Direction direction, Measurand quantity,
                                         const std::string& hash) {
  const std::string name = data_.file_of(table) + ".csv";
  const MeasuredShapes measured = select(data_.samples(table), name, direction, quantity);
  const auto path = file(table, direction, quantity);
  on_training(path.filename().string());
  try {
    OperatorModel model = OperatorModel::train(data_.kind_of(table), measured.shapes, measured.costs);
    save_model(path, {{"format", kFormat},
                      {"version", kVersion},
                      {"kjoule", kjoule_version},
                      {"gpu", table.gpu},
                      {"precision", table.precision},
                      {"direction", direction_text(direction)},
                      {"unit", quantity == Measurand::time ? "us" : "J"},
                      {"data", data_.name() + "/" + name},
                      {"data_hash", hash},
                      {"model", model.json()}});
    return model;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()), error.remedy());
  }
}

TableName find_table(const SampledData& data, const std::string& gpu, const std::string& operation,
                     const std::string& precision, const std::vector<double>& shape) {
  if (data.is_collective(gpu, operation, precision)) {
    check_shape(make_operator_kind(operation, collective_columns()), shape);
    const auto [nodes, gpus] = topology_of(shape);
    return data.find(gpu, operation, precision, nodes, gpus);
  }
  return data.find(gpu, operation, precision);
}

OperatorPrediction predict_operator(TrainedModels& models, const std::string& gpu,
                                    const std::string& operation, const std::string& precision,
                                    Direction direction, const std::vector<double>& shape) {
  const TableName table = find_table(models.data(), gpu, operation, precision, shape);
  check_shape(models.time(table, direction).kind(), shape);
  return models.predict(table, direction, shape);
}

}  // namespace kjoule
