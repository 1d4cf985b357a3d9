#pragma once
#include <vector>

#include "page/page.hpp"
#include "prediction/sampled_data.hpp"
#include "report/model_columns.hpp"

namespace kjoule {

/// Returns the page of trained models: their errors by operator, and the sampled shapes,
/// measured and as the models give them. `data` are the samples from which the models were trained.
Page models_page(const std::vector<ReportedModel>& models, const SampledData& data);

}  // namespace kjoule
