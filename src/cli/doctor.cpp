#include "cli/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "cli/findings.hpp"

namespace kjoule {

namespace {

void print_json(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const nlohmann::ordered_json line{{"item", finding.item},
                                      {"status", status_name(finding.status)},
                                      {"detail", finding.detail},
                                      {"remedy", finding.remedy}};
    fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
}

void print_csv(const std::vector<Finding>& findings) {
  fmt::print("{}\n", csv_line({"item", "status", "detail", "remedy"}));
  for (const Finding& finding : findings)
    fmt::print("{}\n", csv_line({finding.item, status_name(finding.status), finding.detail, finding.remedy}));
}

void print_table(const std::vector<Finding>& findings) {
  size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.item.size());
  for (const Finding& finding : findings) {
    fmt::print("{:<{}}  {:<7}  {}\n", finding.item, width, status_name(finding.status), finding.detail);
    if (!finding.remedy.empty()) fmt::print("{:<{}}           -> {}\n", "", width, finding.remedy);
  }
}

}  // namespace

int doctor(const Printed& printed) {
  const std::vector<Finding> findings = examine_machine();
  const auto stands_in_the_way = [](const Finding& finding) {
    return finding.needed && finding.status == Finding::Status::missing;
  };
  const auto lack = std::find_if(findings.begin(), findings.end(), stands_in_the_way);
  const bool ready = lack == findings.end();
  if (printed.json) {
    print_json(findings);
  } else if (printed.csv) {
    print_csv(findings);
  } else {
    print_table(findings);
    const auto on_cuda = std::find_if(findings.begin(), findings.end(),
                                      [](const Finding& finding) { return finding.item == kModelsOnCuda; });
    const bool cuda_ready = on_cuda != findings.end() && on_cuda->status == Finding::Status::ok;
    fmt::print("\nkjoule compare --model on the CPU: {}\n", ready ? "ready" : "not ready, see " + lack->item);
    fmt::print("kjoule compare --model on CUDA: {}\n",
               cuda_ready ? "ready" : fmt::format("not ready, see {}", kModelsOnCuda));
  }
  return ready ? 0 : 1;
}

}  // namespace kjoule
