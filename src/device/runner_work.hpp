#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/sample_protocol.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// A model and its inputs. For values that are not set, the model's file states the defaults.
struct ModelWork {
  std::string path;  ///< TorchScript (.pt) or AOTInductor (.pt2) file
  std::optional<int64_t> seq_len{};
  std::optional<int64_t> batch{};
  /// Inputs of a file that kjoule did not export, as type, shape and optional range: "int64:1x5:0..1000",
  /// "float32:1x3x224x224".
  std::vector<std::string> inputs{};
  uint64_t seed = 0;
  /// Whether TorchScript may fuse operators into kernels of its own, as it does on a GPU.
  bool fuses_operators = true;
};

/// The place of a model among the ranks of a program, which communicate by gloo on the CPU.
struct RankOfModel {
  int rank = 0, ranks = 1;
  std::string
      meeting_file;  ///< file by which the processes of all ranks find each other; it must not exist yet
};

/// The work that kjoule-torch runs, and its device.
struct RunnerWork {
  std::string device = "cpu";  ///< "cpu", "cuda" or "cuda:1"
  int threads = 0;             ///< number of libtorch's threads; 0: libtorch's default
  /// Names (without overloads) of operators that calls may use in addition to those of kjoule's list.
  std::vector<std::string> allowed_operators{};
  std::optional<RankOfModel> rank{};  ///< nothing if the work is no rank
  /// The work of one iteration: one pass of a model, or calls or sampled operators, each executed once. A
  /// process without work only answers requests.
  std::variant<std::monostate, ModelWork, std::vector<ReplayCall>, std::vector<SampleRequest>> what{};
};

template <class Fields>
void describe(Fields& fields, RankOfModel& rank) {
  fields("rank", rank.rank);
  fields("ranks", rank.ranks);
  fields("meeting_file", rank.meeting_file);
}
template <class Fields>
void describe(Fields& fields, ModelWork& model) {
  fields("path", model.path);
  fields("seq_len", model.seq_len);
  fields("batch", model.batch);
  fields("inputs", model.inputs);
  fields("seed", model.seed);
  fields("fuses_operators", model.fuses_operators);
}
/// Converts the work to and from a message, which contains "model", "calls" or "operators". Reading throws
/// Error if the message contains more than one of them.
void describe(FieldWriter& fields, RunnerWork& work);
void describe(FieldReader& fields, RunnerWork& work);

/// Writes the file for kjoule-torch --work.
void write_work(const std::filesystem::path& file, const RunnerWork& work);
/// Reads a file that write_work() wrote. Throws Error with the names of the file and the field if a field is
/// missing or invalid.
RunnerWork read_work(const std::filesystem::path& file);

}  // namespace kjoule
