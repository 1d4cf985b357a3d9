#include "run/torch_runner.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

class TorchRunner : public testing::Test {
 protected:
  void make(const std::string& file) {
    fs::create_directories((folder_ / file).parent_path());
    write_atomic(folder_ / file, "");
  }
  RunnerPlaces places() {
    return {.programs = folder_ / "bin",
            .built_with = folder_ / "built/torch",
            .asked = folder_ / "asked/torch",
            .devices = folder_ / "dev"};
  }
  std::string lack() {
    const auto error = lack_for_cuda(places());
    if (!error) return "nothing";
    EXPECT_NE(error->remedy(), "") << error->what();
    return error->what();
  }
  TemporaryFolder folder_;
};

TEST_F(TorchRunner, SaysWhatModelsLackForCudaOneAfterAnother) {
  EXPECT_EQ(lack(), "no NVIDIA GPU was found");
  make("dev/nvidiactl");
  make("dev/nvidia-uvm");
  EXPECT_EQ(lack(), "no NVIDIA GPU was found") << "a driver without a GPU";
  make("dev/nvidia3");
  EXPECT_EQ(lack(), "kjoule was built without libkjoule_inject.so, which measures programs on a GPU");
  make("lib/libkjoule_inject.so");
  fs::create_directories(folder_ / "bin");
  EXPECT_EQ(lack(), "the program kjoule-torch, which runs models, was not built");
  make("bin/kjoule-torch");
  EXPECT_EQ(lack(), "the torch package that kjoule-torch needs was not found");
  make("built/torch/lib/libtorch_cpu.so");
  EXPECT_EQ(lack(), "the torch package in " + (folder_ / "built/torch").string() + " was built without CUDA");
  make("built/torch/lib/libtorch_cuda.so");
  EXPECT_EQ(lack(), "nothing");
}

TEST_F(TorchRunner, TakesTheTorchThatItWasBuiltWithWhileThatIsThere) {
  EXPECT_EQ(places().torch(), "");
  make("asked/torch/lib/libtorch_cpu.so");
  EXPECT_EQ(places().torch(), folder_ / "asked/torch");
  make("built/torch/lib/libtorch_cpu.so");
  EXPECT_EQ(places().torch(), folder_ / "built/torch");
}

TEST_F(TorchRunner, IsToldWhereTorchAndItsSiblingsAre) {
  make("bin/kjoule-torch");
  EXPECT_THROW(torch_runner_command({}, places()), Error) << "no torch";
  make("asked/torch/lib/libtorch_cpu.so");
  make("asked/nvidia/cu13/lib/libcudart.so.13");
  fs::create_directories(folder_ / "asked/nvidia/empty");
  setenv("LD_LIBRARY_PATH", "/own", 1);
  const RunnerCommand command = torch_runner_command({"--fd", "3"}, places());
  const std::string asked = (folder_ / "asked").string();
  EXPECT_EQ(command.words, (std::vector<std::string>{folder_ / "bin/kjoule-torch", "--fd", "3"}));
  EXPECT_EQ(command.environment.at("LD_LIBRARY_PATH"),
            asked + "/torch/lib:" + asked + "/nvidia/cu13/lib:/own");
  EXPECT_STREQ(std::getenv("LD_LIBRARY_PATH"), "/own") << "programs that kjoule measures keep theirs";
  unsetenv("LD_LIBRARY_PATH");
}

TEST_F(TorchRunner, OfAWheelIsTheOneForTheVersionOfTorch) {
  make("bin/kjoule-torch-2.11");
  make("bin/kjoule-torch-2.9");
  EXPECT_EQ(places().supported_versions(), (std::vector<std::string>{"2.9", "2.11"}));
  const auto lack = [this] { return lack_in_wheel(places()).value_or(Error("nothing")); };
  EXPECT_STREQ(lack().what(), "no torch package was found, which models need (supported: 2.9, 2.11)");
  make("asked/torch/lib/libtorch_cpu.so");
  const fs::path version = folder_ / "asked/torch/version.py";
  write_atomic(version, "__all__ = []\n__version__ = '2.11.3+cu130'\n");
  EXPECT_STREQ(lack().what(), "nothing");
  EXPECT_EQ(torch_runner_command({}, places()).words[0], (folder_ / "bin/kjoule-torch-2.11").string());
  write_atomic(version, "__all__ = []\n__version__ = '2.1.0'\n");
  EXPECT_EQ(lack().what(), "this kjoule does not support torch 2.1.0 in " +
                               (folder_ / "asked/torch").string() + " (supported: 2.9, 2.11)");
  EXPECT_NE(lack().remedy().find("pip install torch==2.11.0"), std::string::npos);
  EXPECT_THROW(need_torch_runner(places()), Error);
  make("dev/nvidia0");
  make("lib/libkjoule_inject.so");
  ASSERT_TRUE(lack_for_cuda(places()));
  EXPECT_STREQ(lack_for_cuda(places())->what(), lack().what());
}

}  // namespace
}  // namespace kjoule
