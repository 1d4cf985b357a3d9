#include "torch/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/parse_json.hpp"
#include "device/model_input.hpp"
#include "torch/device_constants.hpp"
#include "torch/failure.hpp"
#include "torch/inputs.hpp"
#include "torch/placement.hpp"

namespace kjoule::runner {

namespace {

constexpr const char* kMetadata = "kjoule.json";

nlohmann::json parse_metadata(const std::string& path, const std::string& text) {
  if (text.empty()) return nlohmann::json::object();
  nlohmann::json metadata = parse_json(text, path + ": kjoule.json");
  const std::string damaged = path + ": the description of the model in this file (kjoule.json) is damaged";
  const char* remedy = "export the model again with kjoule export";
  if (metadata.is_discarded()) throw Error(damaged, remedy);
  try {
    check_model_description(metadata);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", damaged, error.what()), remedy);
  }
  return metadata;
}

/// Throws the Error for an exception of a loader: either memory ran out, or the file cannot be read. The text
/// of the exception is for developers of libtorch.
[[noreturn]] void cannot_load(const std::string& path, const std::exception& error, const std::string& what,
                              const std::string& remedy) {
  if (is_out_of_memory(error))
    throw Error(path + ": there is not enough memory to load this model", kNeedLessMemory);
  constexpr std::string_view kArchive = "PK";  // both formats are ZIP archives
  const std::string beginning = read_beginning(path, kArchive.size());
  if (beginning.empty()) throw Error(path + ": the file is empty", remedy);
  throw Error(
      fmt::format("{}: {}{}", path, what,
                  beginning == kArchive ? ", or it is damaged, or for another version of PyTorch" : ""),
      remedy);
}

/// Removes the folder in /tmp into which libtorch unpacked a package, because it would remain if the process
/// is killed. On the CPU, no file in it is needed after the code has been loaded. Kernels of a GPU are read
/// from it when they are first launched.
void remove_unpacked_files() {
  const std::string temporary = "/tmp/";
  std::istringstream maps(read_text("/proc/self/maps"));
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find(temporary), package = line.find("/data/aotinductor/");
    if (path == std::string::npos || package == std::string::npos || package < path) continue;
    std::error_code ignored;
    std::filesystem::remove_all(line.substr(path, line.find('/', path + temporary.size()) - path), ignored);
  }
}

class ScriptModel final : public Model {
 public:
  ScriptModel(const ModelWork& work, c10::Device device) {
    torch::jit::ExtraFilesMap extra{{kMetadata, ""}};
    try {
      module_ = torch::jit::load(work.path, device, extra);
      set_device_constants(module_, device);
    } catch (const std::exception& error) {
      cannot_load(work.path, error, "this is not a TorchScript file",
                  "kjoule export MODEL -o FILE.pt writes one");
    }
    torch::jit::setTensorExprFuserEnabled(work.fuses_operators);
    const nlohmann::json metadata = parse_metadata(work.path, extra[kMetadata]);
    // A module that was exported in training mode was traced in this mode, so eval() must not change it.
    if (!metadata.value("training", false)) module_.eval();
    describe(work, device, metadata);
  }
  void run() override { module_.forward(inputs_); }
  bool operators_visible() const override { return true; }

 private:
  void describe(const ModelWork& work, c10::Device device, const nlohmann::json& metadata) {
    const nlohmann::json inputs = choose_inputs(metadata, work);
    for (auto& tensor : make_inputs(inputs, work.seed, device)) inputs_.emplace_back(std::move(tensor));
    description_ = {{"kind", "torchscript"},
                    {"file", work.path},
                    {"metadata", metadata},
                    {"inputs", inputs},
                    {"seed", work.seed}};
  }
  torch::jit::Module module_;
  std::vector<torch::jit::IValue> inputs_;
};

class PackagedModel final : public Model {
 public:
  PackagedModel(const ModelWork& work, c10::Device device) {
    const nlohmann::json metadata = load(work.path, device);
    const nlohmann::json inputs = choose_inputs(metadata, work);
    tensors_ = make_inputs(inputs, work.seed, device);
    description_ = {{"kind", "aotinductor"},
                    {"file", work.path},
                    {"metadata", metadata},
                    {"inputs", inputs},
                    {"seed", work.seed}};
  }
  void run() override { loader_->run(tensors_); }
  bool operators_visible() const override { return false; }

 private:
  using Loader = torch::inductor::AOTIModelPackageLoader;

  /// Loads the package and returns its metadata. The package's device is checked first, because code for
  /// another device cannot even be loaded.
  nlohmann::json load(const std::string& path, c10::Device asked) {
    const char* remedy = "kjoule export MODEL -o FILE.pt2 writes one, on a machine like this one";
    std::unordered_map<std::string, std::string> stored;
    try {
      stored = Loader::load_metadata_from_package(path, "model");
    } catch (const std::exception& error) {
      cannot_load(path, error, "this is not an AOTInductor package", remedy);
    }
    const std::string made_for = stored["AOTI_DEVICE_KEY"];
    const std::string device = c10::DeviceTypeName(asked.type(), true);
    if (!made_for.empty() && made_for != device)
      throw Error(
          fmt::format("{}: this model was exported for {}, not for {}", path, made_for, backend_name(asked)),
          fmt::format("export it again with --device {}, or measure it with --device {}", device, made_for));
    try {
      loader_ = std::make_unique<Loader>(path);
      if (asked.is_cpu()) remove_unpacked_files();
    } catch (const std::exception& error) {
      cannot_load(path, error, "this machine cannot run this AOTInductor package", remedy);
    }
    return parse_metadata(path, stored["kjoule"]);
  }

  std::unique_ptr<Loader> loader_;
  std::vector<at::Tensor> tensors_;
};

/// Returns the types and sizes of a model's inputs as text: "int64 1x5, float32 1x5x64".
std::string shapes_of(const nlohmann::json& inputs) {
  std::string text;
  for (const nlohmann::json& input : inputs)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input.at("dtype").get<std::string>(),
                        fmt::join(input.at("shape").get<std::vector<int64_t>>(), "x"));
  return text.empty() ? "none" : text;
}

/// Runs the model once and returns it, so that inputs that the model does not accept are reported here, with
/// their sizes.
std::unique_ptr<Model> check_run(std::unique_ptr<Model> model, const std::string& path, c10::Device device) {
  try {
    model->run();
    synchronize(device);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error))
      throw Error(path + ": there is not enough memory to run this model", kNeedLessMemory);
    std::string why = reason(error);
    why.resize(std::min(why.size(), why.find(". ")));  // declarations and advice for developers follow
    throw Error(fmt::format("{}: the model cannot run with its inputs {} ({})", path,
                            shapes_of(model->description().at("inputs")), why),
                "check --seq-len, --batch and --input, or export the model again with kjoule export");
  }
  return model;
}

}  // namespace

std::unique_ptr<Model> open_model(const ModelWork& work, c10::Device device) {
  if (!std::filesystem::is_regular_file(work.path))
    throw Error(work.path + ": no such file", "kjoule export MODEL -o FILE writes a model");
  std::unique_ptr<Model> model;
  try {
    if (std::filesystem::path(work.path).extension() == ".pt2")
      model = std::make_unique<PackagedModel>(work, device);
    else
      model = std::make_unique<ScriptModel>(work, device);
  } catch (const c10::Error& error) {
    if (!is_out_of_memory(error)) throw;
    throw Error(work.path + ": there is not enough memory for the inputs of this model", kNeedLessMemory);
  }
  return check_run(std::move(model), work.path, device);
}

}  // namespace kjoule::runner
