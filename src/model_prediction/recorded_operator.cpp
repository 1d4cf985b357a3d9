#include "model_prediction/recorded_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/error.hpp"
#include "base/json/whole_number.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

constexpr double kMostElements = 1e15;  ///< more elements of one tensor fit in no memory
constexpr size_t kMostDimensions = 64;  ///< libtorch's limit

/// Operators that only reserve memory, or whose result is always a view.
const std::set<std::string>& operators_without_work() {
  static const std::set<std::string> names{"aten::alias",        "aten::as_strided",
                                           "aten::detach",       "aten::empty",
                                           "aten::empty_like",   "aten::empty_strided",
                                           "aten::expand",       "aten::lift_fresh",
                                           "aten::new_empty",    "aten::new_empty_strided",
                                           "aten::permute",      "aten::select",
                                           "aten::slice",        "aten::split",
                                           "aten::squeeze",      "aten::t",
                                           "aten::transpose",    "aten::unbind",
                                           "aten::unsqueeze",    "aten::view",
                                           "aten::_unsafe_view", "aten::_reshape_alias"};
  return names;
}

/// Returns the name without overload and in-place underscore: aten::add for aten::add_.Tensor.
std::string plain_operator_name(const std::string& name) {
  std::string plain = name.substr(0, name.find('.'));
  const bool is_special = plain.ends_with("__");  // aten::__and__
  if (plain.ends_with('_') && !is_special) plain.pop_back();
  return plain;
}

/// Returns whether a type is one of libtorch whose elements kjoule does not know: quantized numbers, bits,
/// and numbers of a few bits. Other unknown types are those of a damaged recording.
bool is_foreign_type(const std::string& dtype) {
  static const std::regex types("QU?Int(4x2|2x4|8|32)|Bits(1x8|2x4|4x2|8|16)|U?Int[1-7]|Float4_e2m1fn_x2");
  return std::regex_match(dtype, types);
}

/// The tensors of one launch, with the storages that they use.
class LaunchTensors {
 public:
  /// `halved` is the type that replaces Float; empty if none does.
  explicit LaunchTensors(const std::string& halved) : halved_(halved) {}

  /// Adds the tensors of a list of arguments or outputs. Throws Error if a tensor is damaged.
  void add(const Json& values) {
    if (values.is_array())
      for (const Json& value : values) add(value);
    else if (values.is_object() && values.contains("tensor"))
      add_tensor(values.at("tensor"));
  }
  const std::vector<TensorSize>& sizes() const { return sizes_; }
  const std::vector<int64_t>& storages() const { return storages_; }
  /// Returns the type of a tensor that kjoule cannot predict; empty if there is none.
  const std::string& foreign_type() const { return foreign_type_; }

 private:
  void add_tensor(const Json& tensor) {
    TensorSize size;
    size.dtype = tensor.at("dtype").get<std::string>();
    if (size.dtype == "Float" && !halved_.empty()) size.dtype = halved_;
    const Json& shape = tensor.at("shape");
    if (!shape.is_array() || shape.size() > kMostDimensions) throw Error("a tensor's shape is not a list");
    const Json strides = tensor.value("strides", Json::array());
    double stored = 1;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!shape[i].is_number_integer() || shape[i] < 0) throw Error("a tensor's size is not a whole number");
      const auto length = shape[i].get<double>();
      size.shape.push_back(length);
      size.elements *= length;
      const bool is_repeated = i < strides.size() && strides[i].is_number_integer() && strides[i] == 0;
      if (!is_repeated) stored *= length;
    }
    if (size.elements > kMostElements) throw Error("a tensor is larger than any memory");
    const std::optional<int64_t> each = tensor_element_bytes(size.dtype);
    if (!each && !is_foreign_type(size.dtype)) throw Error("a tensor has a type that is not known");
    if (!each) foreign_type_ = size.dtype;
    size.bytes = stored * static_cast<double>(each.value_or(0));
    sizes_.push_back(std::move(size));
    storages_.push_back(whole_number<int64_t>(tensor, "storage"));
  }

  const std::string& halved_;
  std::vector<TensorSize> sizes_;
  std::vector<int64_t> storages_;
  std::string foreign_type_;
};

bool is_host_number(const TensorSize& tensor) {
  return tensor.shape.empty() && (tensor.dtype == "Long" || tensor.dtype == "Int" || tensor.dtype == "Bool");
}

/// What the launch of an operator does, as far as its tensors show.
struct LaunchTraffic {
  LaunchTensors inputs, outputs;
  std::vector<TensorSize> written;

  LaunchTraffic(const Json& detail, const std::string& halved) : inputs(halved), outputs(halved) {
    inputs.add(detail.at("arguments"));
    outputs.add(detail.value("outputs", Json::array()));
    std::set<int64_t> changed;
    if (const auto writes = detail.find("writes"); writes != detail.end() && writes->is_array())
      for (const Json& storage : *writes)
        if (storage.is_number_integer()) changed.insert(storage.get<int64_t>());
    for (size_t i = 0; i < inputs.sizes().size(); ++i)
      if (changed.erase(inputs.storages()[i]) > 0) written.push_back(inputs.sizes()[i]);
  }
  /// Returns the type of a tensor that kjoule cannot predict; empty if there is none.
  const std::string& foreign_type() const {
    return inputs.foreign_type().empty() ? outputs.foreign_type() : inputs.foreign_type();
  }
  /// Returns whether the operator computes nothing on a device: its results are views of its arguments, or
  /// numbers for the host.
  bool is_free() const {
    if (!written.empty()) return false;
    const auto is_view = [&](int64_t storage) {
      return std::find(inputs.storages().begin(), inputs.storages().end(), storage) !=
             inputs.storages().end();
    };
    if (std::all_of(outputs.storages().begin(), outputs.storages().end(), is_view)) return true;
    return std::all_of(inputs.sizes().begin(), inputs.sizes().end(), is_host_number) &&
           std::all_of(outputs.sizes().begin(), outputs.sizes().end(), is_host_number);
  }
};

double bytes_of_all(const std::vector<TensorSize>& tensors) {
  double bytes = 0;
  for (const TensorSize& tensor : tensors) bytes += tensor.bytes;
  return bytes;
}

std::string type_named(const std::optional<std::string>& precision) {
  if (!precision) return {};
  return *precision == "bf16" ? "BFloat16" : "Half";
}

}  // namespace

double TensorSize::size(int dimension) const {
  const int at = dimension < 0 ? static_cast<int>(shape.size()) + dimension : dimension;
  return at < 0 || at >= static_cast<int>(shape.size()) ? 1 : shape[static_cast<size_t>(at)];
}

double RecordedOperator::bytes_read() const {
  return bytes_of_all(inputs);
}

double RecordedOperator::bytes_written() const {
  return bytes_of_all(written.empty() ? outputs : written);
}

RecordedOperators recorded_operators(const Recording& recording, const std::string& file,
                                     const std::optional<std::string>& precision) {
  const std::string halved = type_named(precision);
  RecordedOperators all;
  std::map<std::string, size_t> known;  // by signature; no place for operators without work
  constexpr size_t kNoWork = SIZE_MAX;
  for (const Launch& launch : recording.measured()) {
    const auto [at, is_new] = known.try_emplace(launch.signature, kNoWork);
    if (is_new) {
      const Json& detail = launch.detail;
      if (!detail.is_object() || !detail.contains("operator"))
        throw Error(fmt::format("{}: the launch {} has no operator and no tensor sizes, from which it could "
                                "be predicted",
                                file, launch.name),
                    "record the model on the CPU: kjoule record --device cpu --model MODEL");
      try {
        const LaunchTraffic traffic(detail, halved);
        const std::string name = plain_operator_name(launch.name);
        if (!traffic.is_free() && !operators_without_work().contains(name)) {
          at->second = all.launching.size();
          all.launching.push_back({name, detail.at("arguments"), traffic.inputs.sizes(),
                                   traffic.outputs.sizes(), traffic.written, 0, traffic.foreign_type()});
        }
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}: {}", file, launch.name, error.line()), "record the model again");
      } catch (const Json::exception&) {
        throw Error(
            fmt::format("{}: {}: a field of a tensor is missing, or of another type", file, launch.name),
            "record the model again");
      }
    }
    if (at->second == kNoWork)
      ++all.calls_without_work;
    else
      ++all.launching[at->second].calls;
  }
  return all;
}

}  // namespace kjoule
