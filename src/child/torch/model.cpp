#include "model.hpp"

#include <fmt/format.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "inputs.hpp"

namespace kjoule::child {

namespace {

constexpr const char* kMetadata = "kjoule.json";

nlohmann::json parse_metadata(const std::string& path, const std::string& text) {
  if (text.empty()) return nlohmann::json::object();
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception&) {
    throw Error(path + ": its kjoule.json is damaged", "export the model again");
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

class ScriptModel final : public Model {
 public:
  explicit ScriptModel(const ModelOptions& options) {
    torch::jit::ExtraFilesMap extra{{kMetadata, ""}};
    try {
      module_ = torch::jit::load(options.path, torch::kCPU, extra);
    } catch (const c10::Error& error) {
      throw Error(fmt::format("{}: not a TorchScript file ({})", options.path,
                              first_line(error.what_without_backtrace())),
                  "kjoule export MODEL -o FILE.pt writes one");
    }
    const nlohmann::json metadata = parse_metadata(options.path, extra[kMetadata]);
    // A module that is exported in training mode has its mode traced in; eval() must not change it.
    if (!metadata.value("training", false)) module_.eval();
    describe(options, metadata);
  }
  void run() override { module_.forward(inputs_); }
  bool operators_visible() const override { return true; }

 private:
  void describe(const ModelOptions& options, const nlohmann::json& metadata) {
    const nlohmann::json inputs = choose_inputs(metadata, options);
    inputs_ = make_inputs(inputs, options.seed);
    description_ = {{"kind", "torchscript"},
                    {"file", options.path},
                    {"metadata", metadata},
                    {"inputs", inputs},
                    {"seed", options.seed}};
  }
  torch::jit::Module module_;
};

class PackagedModel final : public Model {
 public:
  explicit PackagedModel(const ModelOptions& options) {
    std::unordered_map<std::string, std::string> stored;
    try {
      loader_ = std::make_unique<torch::inductor::AOTIModelPackageLoader>(options.path);
      stored = loader_->get_metadata();
    } catch (const std::exception& error) {
      throw Error(fmt::format("{}: not an AOTInductor package that this machine can run ({})", options.path,
                              first_line(error.what())),
                  "kjoule export MODEL -o FILE.pt2 writes one, on a machine like this one");
    }
    const std::string device = stored["AOTI_DEVICE_KEY"];
    if (!device.empty() && device != "cpu")
      throw Error(fmt::format("{}: made for {}, not for the CPU", options.path, device),
                  "export it again with --device cpu, or run it where that device is");
    const nlohmann::json metadata = parse_metadata(options.path, stored["kjoule"]);
    const nlohmann::json inputs = choose_inputs(metadata, options);
    for (auto& value : make_inputs(inputs, options.seed)) tensors_.push_back(value.toTensor());
    description_ = {{"kind", "aotinductor"},
                    {"file", options.path},
                    {"metadata", metadata},
                    {"inputs", inputs},
                    {"seed", options.seed}};
  }
  void run() override { loader_->run(tensors_); }
  bool operators_visible() const override { return false; }

 private:
  std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader_;
  std::vector<at::Tensor> tensors_;
};

/// Runs it once, so that inputs it cannot take are refused here and named.
std::unique_ptr<Model> tried(std::unique_ptr<Model> model, const std::string& path) {
  try {
    model->run();
  } catch (const std::bad_alloc&) {
    throw Error(path + ": out of memory", "use a smaller --batch or --seq-len");
  } catch (const std::exception& error) {
    throw Error(fmt::format("{}: does not run with its inputs {} ({})", path,
                            model->description().at("inputs").dump(), first_line(error.what())),
                "check --seq-len, --batch and --input, or export it again");
  }
  return model;
}

}  // namespace

std::unique_ptr<Model> open_model(const ModelOptions& options) {
  if (!std::filesystem::is_regular_file(options.path))
    throw Error(options.path + ": no such file", "kjoule export MODEL -o FILE writes a model");
  const std::string ending = std::filesystem::path(options.path).extension();
  if (ending == ".pt2") return tried(std::make_unique<PackagedModel>(options), options.path);
  return tried(std::make_unique<ScriptModel>(options), options.path);
}

}  // namespace kjoule::child
