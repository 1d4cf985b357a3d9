#include "cli/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files/csv.hpp"
#include "base/json/dump_json.hpp"
#include "base/process/terminal.hpp"
#include "cli/doctor/machine_features.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

void print_features_json(const std::vector<MachineFeature>& features) {
  for (const MachineFeature& feature : features) {
    const nlohmann::ordered_json line{{"item", feature.item},
                                      {"status", status_name(feature.status)},
                                      {"detail", feature.detail},
                                      {"remedy", feature.remedy}};
    print_output("{}\n", dump_json(line));
  }
}

void print_features_csv(const std::vector<MachineFeature>& features) {
  print_output("{}\n", csv_line({"item", "status", "detail", "remedy"}));
  for (const MachineFeature& feature : features)
    print_text(csv_line({feature.item, status_name(feature.status), feature.detail, feature.remedy}) + "\n");
}

void print_table(const std::vector<MachineFeature>& features) {
  size_t width = 0;
  for (const MachineFeature& feature : features) width = std::max(width, feature.item.size());
  for (const MachineFeature& feature : features) {
    print_text(wrapped(fmt::format("{:<{}}  {:<7}  ", feature.item, width, status_name(feature.status)),
                       printable(feature.detail)));
    if (!feature.remedy.empty())
      print_text(wrapped(fmt::format("{:<{}}           -> ", "", width), printable(feature.remedy)));
  }
}

}  // namespace

int doctor(const Printed& printed) {
  const std::vector<MachineFeature> features = examine_machine();
  const auto stands_in_the_way = [](const MachineFeature& feature) {
    return feature.needed && feature.status == MachineFeature::Status::missing;
  };
  const auto lack = std::find_if(features.begin(), features.end(), stands_in_the_way);
  const bool ready = lack == features.end();
  if (printed.json) {
    print_features_json(features);
  } else if (printed.csv) {
    print_features_csv(features);
  } else {
    print_table(features);
    const auto on_cuda = std::find_if(features.begin(), features.end(), [](const MachineFeature& feature) {
      return feature.item == kModelsOnCuda;
    });
    const bool cuda_ready = on_cuda != features.end() && on_cuda->status == MachineFeature::Status::ok;
    print_output("\nkjoule compare --model on the CPU: {}\n",
                 ready ? "ready" : "not ready, see " + lack->item);
    print_output("kjoule compare --model on CUDA: {}\n",
                 cuda_ready ? "ready" : fmt::format("not ready, see {}", kModelsOnCuda));
  }
  return ready ? 0 : 1;
}

}  // namespace kjoule
