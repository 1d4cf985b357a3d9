#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model_prediction/combined_error.hpp"
#include "model_prediction/operator_work.hpp"
#include "prediction/trained_models.hpp"
#include "sampling/device_roofs.hpp"

namespace kjoule {

/// What an estimate is based on, the most reliable basis first.
enum class Basis { samples, beyond_samples, roofline };

/// Returns "samples", "beyond samples" or "roofline".
std::string basis_text(Basis basis);

/// The estimated cost of one call, or of a part of it.
struct CallEstimate {
  std::string source;  ///< table and direction, or "roofline"; estimates of one source have a common error
  Basis basis = Basis::samples;
  Estimate us;
  std::optional<Estimate> joules;    ///< absent if the table has no energies
  std::vector<std::string> outside;  ///< sizes outside the samples, as in Prediction
};

/// Estimates calls of operators on one GPU, from its tables or, without a table, from its data sheet.
class OperatorEstimator {
 public:
  /// `gpu` is the name in the file names of the tables. Throws Error if no table is of this GPU.
  OperatorEstimator(TrainedModels& models, std::string gpu);

  /// Estimates the parts of a call. Throws Error, which states why, if the work is not known, or if there is
  /// neither a table nor a data sheet.
  std::vector<CallEstimate> estimate(const CallWork& work);
  const std::string& gpu() const { return gpu_; }

 private:
  std::optional<CallEstimate> from_tables(const SampledWork& sampled, double bytes);
  CallEstimate from_table(const TableName& table, const SampledWork& sampled, double bytes);
  std::vector<TableName> tables_for(const SampledWork& sampled);
  bool has_rows(const TableName& table, Direction direction);

  TrainedModels& models_;
  const std::string gpu_;
  std::optional<DeviceRoofs> roofs_;
  std::map<std::string, bool> has_rows_;  ///< by table and direction
};

}  // namespace kjoule
