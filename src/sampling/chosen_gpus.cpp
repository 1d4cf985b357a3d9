#include "sampling/chosen_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

#include "base/error.hpp"
#include "base/text/counted.hpp"
#include "base/text/parse_number.hpp"
#include "power/meters/nvml.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostGpus = 1024;  ///< of one machine

std::vector<std::string> cells_of(const std::string& text) {
  std::vector<std::string> cells(1);
  for (const char c : text) {
    if (c == ',')
      cells.emplace_back();
    else if (std::isspace(static_cast<unsigned char>(c)) == 0)
      cells.back() += c;
  }
  return cells;
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns the entries of CUDA_VISIBLE_DEVICES up to the first one that CUDA does not recognise, such as -1.
std::vector<std::string> visible_entries(const std::string& visible) {
  std::vector<std::string> entries = cells_of(visible);
  const auto end = std::find_if_not(entries.begin(), entries.end(), [](const std::string& entry) {
    return is_number(entry) || entry.starts_with("GPU-") || entry.starts_with("MIG-");
  });
  entries.erase(end, entries.end());
  return entries;
}

std::vector<size_t> numbers_of(const std::string& list) {
  std::vector<size_t> numbers;
  for (const std::string& cell : cells_of(list)) {
    const auto number = is_number(cell) ? parse_whole_number(cell) : std::nullopt;
    if (!number || *number >= static_cast<int64_t>(kMostGpus))
      throw UsageError(fmt::format("--gpus: '{}' is neither all nor a list of numbers of GPUs", list),
                       "give for example --gpus 0,1");
    if (std::find(numbers.begin(), numbers.end(), static_cast<size_t>(*number)) != numbers.end())
      throw UsageError(fmt::format("--gpus {}: GPU {} is named twice", list, *number),
                       "name each GPU once; one process measures on each");
    numbers.push_back(static_cast<size_t>(*number));
  }
  return numbers;
}

std::vector<size_t> first_numbers(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

std::vector<ChosenGpu> choose_among(const std::string& list, const std::vector<std::string>& entries) {
  if (entries.empty()) throw Error("CUDA_VISIBLE_DEVICES hides all GPUs", "unset it, or name the GPUs in it");
  std::vector<ChosenGpu> chosen;
  for (const size_t number : list == "all" ? first_numbers(entries.size()) : numbers_of(list)) {
    if (number >= entries.size())
      throw UsageError(fmt::format("--gpus {}: there is no GPU {}, because CUDA_VISIBLE_DEVICES names {}",
                                   list, number, counted(entries.size(), "GPU")),
                       "count its entries from 0, or give --gpus all");
    chosen.push_back({number, entries[number]});
  }
  return chosen;
}

/// Returns the number of GPUs that NVML lists; nothing if it lists none although the machine has GPUs.
std::optional<size_t> count_by_nvml() {
  try {
    return Nvml::open()->devices().size();
  } catch (const Error&) {
    if (const auto lack = lack_for_cuda(RunnerPlaces::of_this_machine())) throw *lack;
    return {};
  }
}

}  // namespace

GpusOfMachine GpusOfMachine::of_this_machine() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return {visible == nullptr ? std::nullopt : std::optional<std::string>(visible), count_by_nvml};
}

std::vector<ChosenGpu> choose_gpus(const std::string& list, const GpusOfMachine& machine) {
  const std::vector<size_t> named = list == "all" ? std::vector<size_t>() : numbers_of(list);
  if (machine.visible) return choose_among(list, visible_entries(*machine.visible));
  const std::optional<size_t> count = machine.count();
  if (list == "all" && !count)
    throw Error("the GPUs cannot be counted, because NVML does not list them",
                "name them, for example --gpus 0,1");
  std::vector<ChosenGpu> chosen;
  for (const size_t number : list == "all" ? first_numbers(*count) : named) {
    if (count && number >= *count)
      throw UsageError(fmt::format("--gpus {}: there is no GPU {}, because this machine has {}", list, number,
                                   counted(*count, "GPU")),
                       "count the GPUs from 0, or give --gpus all");
    chosen.push_back({number, std::to_string(number)});
  }
  return chosen;
}

}  // namespace kjoule
