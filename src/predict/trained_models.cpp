#include "predict/trained_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "base/error.hpp"
#include "base/files.hpp"
#include "kjoule_version.hpp"

namespace kjoule {

namespace {

constexpr int kVersion = 2;
constexpr const char* kFormat = "kjoule regressor";

}  // namespace

TrainedModels::TrainedModels(SampledData data, const std::optional<std::filesystem::path>& folder)
    : data_(std::move(data)), folder_(folder ? *folder : data_.models_folder()) {}

std::filesystem::path TrainedModels::file(const TableName& table, Direction direction) const {
  return folder_ / fmt::format("{}_{}.json", table.stem(), direction_name(direction));
}

std::vector<Direction> TrainedModels::directions(const TableName& table) const {
  std::vector<Direction> all;
  for (const auto& [direction, us] : data_.samples(table).us) all.push_back(direction);
  return all;
}

const OperatorModel& TrainedModels::get(const TableName& table, Direction direction) {
  const std::string key = file(table, direction).string();
  const auto known = models_.find(key);
  if (known != models_.end()) return known->second;
  const std::string csv = data_.text(table.stem());
  const std::string hash = hash_hex(csv);
  auto model = kept(table, direction, hash);
  if (!model) model = trained(table, direction, csv, hash);
  return models_.emplace(key, std::move(*model)).first->second;
}

std::optional<OperatorModel> TrainedModels::kept(const TableName& table, Direction direction,
                                                 const std::string& hash) const {
  const auto path = file(table, direction);
  if (!std::filesystem::exists(path)) return {};
  try {
    const nlohmann::json json = read_json(path);
    if (json.at("format") != kFormat || json.at("version") != kVersion || json.at("data_hash") != hash)
      return {};
    return OperatorModel::from_json(json.at("model"));
  } catch (const Error&) {  // cut off, or written by something else: made again
  } catch (const nlohmann::json::exception&) {
  }
  return {};
}

OperatorModel TrainedModels::trained(const TableName& table, Direction direction, const std::string& csv,
                                     const std::string& hash) {
  const std::string name = table.stem() + ".csv";
  const Samples samples = read_samples(csv, name);
  const auto us = samples.us.find(direction);
  if (us == samples.us.end()) {
    std::vector<std::string> there;
    for (const auto& [known, times] : samples.us) there.push_back(direction_name(known));
    throw Error(fmt::format("{} has no {} times", name, direction_name(direction)),
                fmt::format("it has {}", fmt::join(there, " and ")));
  }
  const auto path = file(table, direction);
  on_training(path.filename().string());
  try {
    OperatorModel model =
        OperatorModel::train(operator_kind(table.operation, samples.columns), samples.shapes, us->second);
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    try {
      write_json(path, {{"format", kFormat},
                        {"version", kVersion},
                        {"kjoule", kjoule_version},
                        {"gpu", table.gpu},
                        {"precision", table.precision},
                        {"direction", direction_name(direction)},
                        {"data", data_.name() + "/" + name},
                        {"data_hash", hash},
                        {"model", model.json()}});
    } catch (const Error& error) {
      not_kept_ = error.line();
    }
    return model;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()), error.remedy());
  }
}

Prediction predict_operator(TrainedModels& models, const std::string& gpu, const std::string& operation,
                            const std::string& precision, Direction direction,
                            const std::vector<double>& shape) {
  const TableName table = models.data().find(gpu, operation, precision);
  const OperatorModel& model = models.get(table, direction);
  check_shape(model.kind(), shape);
  return model.predict(shape);
}

}  // namespace kjoule
