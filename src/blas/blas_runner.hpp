#pragma once
#include <optional>
#include <vector>

#include "blas/prepared_product.hpp"
#include "device/runner.hpp"

namespace kjoule::blas {

/// A Runner that tries whether matrix products can be computed. All other requests of a Runner are answered
/// by kjoule-torch only.
class BlasRunner final : public Runner {
 public:
  std::unique_ptr<Device> start(const RunnerWork& work) override;
  double try_call(const ReplayCall& call) override;
  SamplingDevice sampling_device() override;
  SampleAnswer sample(const SampleRequest& request) override;
  Roof roof(const std::string& type) override;
  nlohmann::json describe(const ModelWork& model) override;
  bool is_usable() const override { return is_usable_; }

 private:
  std::optional<Cublas> cublas_;
  KernelRules rules_;
  std::vector<PreparedProduct> kept_;
  bool is_usable_ = true;
};

}  // namespace kjoule::blas
