#include "sampling/chosen_gpus.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

/// A machine with so many GPUs, all of which are visible.
GpusOfMachine machine_with(std::optional<size_t> gpus) {
  return {{}, [gpus] { return gpus; }};
}

/// Returns the chosen GPUs as "0=GPU-a 1=3".
std::string chosen(const std::string& list, const GpusOfMachine& machine) {
  std::string text;
  for (const ChosenGpu& gpu : choose_gpus(list, machine))
    text += (text.empty() ? "" : " ") + std::to_string(gpu.number) + "=" + gpu.visible;
  return text;
}

/// Returns the error for a list, or an empty text.
std::string error_of(const std::string& list, const GpusOfMachine& machine) {
  try {
    choose_gpus(list, machine);
    return {};
  } catch (const Error& error) {
    return error.line();
  }
}

TEST(ChosenGpus, AreAllOrThoseOfAList) {
  EXPECT_EQ(chosen("all", machine_with(3)), "0=0 1=1 2=2");
  EXPECT_EQ(chosen("2,0", machine_with(3)), "2=2 0=0");
  EXPECT_EQ(chosen(" 1", machine_with(3)), "1=1");
  EXPECT_EQ(chosen("7", machine_with({})), "7=7") << "without NVML, CUDA says whether it exists";
}

TEST(ChosenGpus, CountTheEntriesOfCudaVisibleDevices) {
  EXPECT_EQ(chosen("all", {"5,GPU-ab, MIG-c", {}}), "0=5 1=GPU-ab 2=MIG-c");
  EXPECT_EQ(chosen("1", {"5,GPU-ab", {}}), "1=GPU-ab");
  EXPECT_EQ(chosen("all", {"3,-1,2", {}}), "0=3") << "as CUDA, which ignores what follows -1";
}

TEST(ChosenGpus, WrongListsAreErrors) {
  for (const char* list : {"", "x", "0,", "0,,1", "-1", "1.5", "0x1", "99999999999999999999", "ALL", "0 1,"})
    EXPECT_NE(error_of(list, machine_with(2)).find("is neither all nor a list"), std::string::npos) << list;
  EXPECT_EQ(error_of("0,1,0", machine_with(2)),
            "--gpus 0,1,0: GPU 0 is named twice; name each GPU once; one process measures on each");
  EXPECT_EQ(error_of("0,9", machine_with(2)),
            "--gpus 0,9: there is no GPU 9, because this machine has 2 GPUs; count the GPUs from 0, or give "
            "--gpus all");
  EXPECT_EQ(
      error_of("1", {"GPU-ab", {}}),
      "--gpus 1: there is no GPU 1, because CUDA_VISIBLE_DEVICES names 1 GPU; count its entries from 0, "
      "or give --gpus all");
}

TEST(ChosenGpus, AMachineWithoutVisibleGpusIsAnError) {
  for (const char* visible : {"", "-1", "NoDevFiles"})
    EXPECT_EQ(error_of("all", {visible, {}}),
              "CUDA_VISIBLE_DEVICES hides all GPUs; unset it, or name the GPUs in it");
  EXPECT_EQ(error_of("all", machine_with({})),
            "the GPUs cannot be counted, because NVML does not list them; name them, for example --gpus 0,1");
}

}  // namespace
}  // namespace kjoule
