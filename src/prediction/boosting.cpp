#include "prediction/boosting.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"
#include "base/process/library.hpp"
#include "base/process/process.hpp"

namespace kjoule {

namespace {

/// The functions of XGBoost's C API that kjoule uses. They return 0, or -1 with a message in
/// XGBGetLastError().
class Xgboost {
 public:
  using Handle = void*;

  static const Xgboost& loaded() {
    static const Xgboost library;
    return library;
  }

  const char* (*last_error)();
  int (*matrix)(const float*, uint64_t rows, uint64_t columns, float missing, Handle*);
  int (*free_matrix)(Handle);
  int (*set_info)(Handle, const char* field, const float*, uint64_t);
  int (*create)(const Handle*, uint64_t, Handle*);
  int (*free_booster)(Handle);
  int (*set)(Handle, const char* name, const char* value);
  int (*update)(Handle, int round, Handle matrix);
  int (*save)(Handle, const char* options, uint64_t* size, const char** text);

  void check(int failed) const {
    if (failed == 0) return;
    const std::string_view why = last_error();
    if (why.find("bad_alloc") != why.npos) throw std::bad_alloc();
    throw Error(fmt::format("XGBoost: {}", why));
  }

 private:
  Xgboost() : library_(open()) {
    find(last_error, "XGBGetLastError");
    find(matrix, "XGDMatrixCreateFromMat");
    find(free_matrix, "XGDMatrixFree");
    find(set_info, "XGDMatrixSetFloatInfo");
    find(create, "XGBoosterCreate");
    find(free_booster, "XGBoosterFree");
    find(set, "XGBoosterSetParam");
    find(update, "XGBoosterUpdateOneIter");
    find(save, "XGBoosterSaveModelToBuffer");
  }
  static Library open() {
    // A wheel and an archive of kjoule contain the library.
    auto library =
        Library::open({executable_folder() + "/../lib/libxgboost.so.0", "libxgboost.so.0", "libxgboost.so"});
    if (!library)
      throw Error(
          "training needs XGBoost, which is not on this machine",
          "install it (Debian: libxgboost0), or name models that were trained elsewhere with --models");
    return std::move(*library);
  }
  template <class Function>
  void find(Function*& function, const char* name) {
    function = library_.symbol<Function>(name);
    if (function == nullptr)
      throw Error(fmt::format("{} has no function {}", library_.name(), name),
                  "install XGBoost 1.6 or later (Debian: libxgboost0)");
  }

  Library library_;
};

/// An XGBoost object, which the destructor frees.
class XgboostObject {
 public:
  explicit XgboostObject(int (*free)(Xgboost::Handle)) : free_(free) {}
  ~XgboostObject() {
    if (handle != nullptr) free_(handle);
  }
  XgboostObject(const XgboostObject&) = delete;
  XgboostObject& operator=(const XgboostObject&) = delete;
  Xgboost::Handle handle = nullptr;

 private:
  int (*free_)(Xgboost::Handle);
};

std::vector<std::pair<const char*, std::string>> parameters(const BoostingOptions& options) {
  const auto text = [](double number) { return fmt::format("{}", number); };
  return {{"verbosity", "0"},
          {"nthread", "1"},  // XGBoost's threads would spin while they wait
          {"objective", options.huber_slope > 0 ? "reg:pseudohubererror" : "reg:squarederror"},
          {"huber_slope", text(options.huber_slope > 0 ? options.huber_slope : 1)},
          {"tree_method", options.bins > 0 ? "hist" : "exact"},
          {"max_bin", text(options.bins > 0 ? options.bins : 256)},
          {"base_score", text(options.start)},
          {"eta", text(options.learning_rate)},
          {"max_depth", text(options.max_depth)},
          {"min_child_weight", text(options.min_child_weight)},
          {"gamma", text(options.gamma)},
          {"subsample", text(options.subsample)},
          {"colsample_bytree", text(options.colsample_bytree)},
          {"seed", text(options.seed)}};
}

Trees trees_of(const nlohmann::json& model, double start) {
  Trees trees(start);
  for (const auto& tree : model.at("learner").at("gradient_booster").at("model").at("trees")) {
    const auto& left = tree.at("left_children");
    const auto& right = tree.at("right_children");
    const auto& feature = tree.at("split_indices");
    const auto& condition = tree.at("split_conditions");  // for a leaf: its value
    std::vector<Trees::Node> nodes;
    for (size_t n = 0; n < left.size(); ++n) {
      const bool leaf = left[n].get<int32_t>() < 0;
      nodes.push_back({leaf ? -1 : feature[n].get<int32_t>(),
                       condition[n].get<float>(),
                       {left[n].get<int32_t>(), right[n].get<int32_t>()}});
    }
    trees.add(nodes);
  }
  return trees;
}

}  // namespace

Trees boosted_trees(const FeatureRows& rows, const std::vector<float>& targets,
                    const BoostingOptions& options) {
  const Xgboost& library = Xgboost::loaded();
  XgboostObject matrix(library.free_matrix), booster(library.free_booster);
  library.check(library.matrix(rows.values.data(), rows.count(), rows.width,
                               std::numeric_limits<float>::quiet_NaN(), &matrix.handle));
  library.check(library.set_info(matrix.handle, "label", targets.data(), targets.size()));
  library.check(library.create(&matrix.handle, 1, &booster.handle));
  for (const auto& [name, value] : parameters(options))
    library.check(library.set(booster.handle, name, value.c_str()));
  for (int round = 0; round < options.rounds; ++round)
    library.check(library.update(booster.handle, round, matrix.handle));
  uint64_t size = 0;
  const char* text = nullptr;
  library.check(library.save(booster.handle, R"({"format": "json"})", &size, &text));
  return trees_of(parse_json({text, size}, "XGBoost"), options.start);
}

}  // namespace kjoule
