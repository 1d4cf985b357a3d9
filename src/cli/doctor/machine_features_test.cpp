#include "cli/doctor/machine_features.hpp"

#include <gtest/gtest.h>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;
using Status = MachineFeature::Status;

TEST(ExamineCpu, NamesModelAndCores) {
  const MachineFeature feature = examine_cpu("processor\t: 0\nmodel name\t: A CPU: fast\nflags\t: x\n", 2);
  EXPECT_EQ(feature.detail, "A CPU: fast, 2 cores");
  EXPECT_EQ(feature.status, Status::ok);
  EXPECT_EQ(examine_cpu("", 1).detail, "model unknown, 1 core");
  EXPECT_EQ(examine_cpu("", 1).status, Status::limited);
}

TEST(ExamineMemory, WarnsWhenLittleIsLeft) {
  const MachineFeature much =
      examine_memory("MemTotal: 8388608 kB\nMemFree: 1 kB\nMemAvailable: 4194304 kB\n");
  EXPECT_EQ(much.detail, "8.0 GiB, 4.0 GiB available");
  EXPECT_EQ(much.status, Status::ok);
  const MachineFeature little = examine_memory("MemTotal: 8388608 kB\nMemAvailable: 1048576 kB\n");
  EXPECT_EQ(little.status, Status::limited);
  EXPECT_NE(little.remedy, "");
}

TEST(ExamineRapl, CountsReadableCounters) {
  const TemporaryFolder folder;
  EXPECT_EQ(examine_rapl(folder / "none").status, Status::missing);
  EXPECT_EQ(examine_rapl(folder.path()).status, Status::missing);
  fs::create_directories(folder / "intel-rapl:0");
  fs::create_directories(folder / "intel-rapl:0:0");
  write_atomic(folder / "intel-rapl:0/name", "package-0\n");
  write_atomic(folder / "intel-rapl:0:0/name", "dram\n");
  write_atomic(folder / "intel-rapl:0/energy_uj", "123\n");
  const MachineFeature partly = examine_rapl(folder.path());
  EXPECT_EQ(partly.status, Status::limited);
  EXPECT_EQ(partly.detail, "1 of 2 counters readable");
  EXPECT_NE(partly.remedy.find("ls -l"), std::string::npos);
  write_atomic(folder / "intel-rapl:0:0/energy_uj", "123\n");
  EXPECT_EQ(examine_rapl(folder.path()).status, Status::ok);
}

TEST(ExamineSerialPorts, ListsThem) {
  const TemporaryFolder folder;
  write_atomic(folder / "ttyS0", "");
  EXPECT_EQ(examine_serial_ports(folder.path()).status, Status::missing);
  // A character device that anybody may open takes the place of a serial port.
  fs::create_symlink("/dev/null", folder / "ttyUSB1");
  fs::create_symlink("/dev/null", folder / "ttyUSB0");
  const MachineFeature feature = examine_serial_ports(folder.path());
  EXPECT_EQ(feature.status, Status::ok);
  EXPECT_EQ(feature.detail, (folder / "ttyUSB0").string() + ", " + (folder / "ttyUSB1").string());
}

TEST(ExamineSerialPorts, SaysWhichIsNone) {
  const TemporaryFolder folder;
  write_atomic(folder / "ttyUSB0", "");
  const MachineFeature feature = examine_serial_ports(folder.path());
  EXPECT_EQ(feature.status, Status::limited);
  EXPECT_EQ(feature.detail, (folder / "ttyUSB0").string() + " (not a serial port)");
}

class ExamineTorch : public testing::Test {
 protected:
  fs::path make(const std::string& name) {
    fs::path made = folder_ / name;
    fs::create_directories(made / "lib");
    write_atomic(made / "lib/libtorch_cpu.so", "");
    write_atomic(made / "version.py",
                 "__all__ = ['__version__', 'debug']\n__version__ = '2.11.0+cpu'\ndebug = False\n");
    return made;
  }
  TemporaryFolder folder_;
};

TEST_F(ExamineTorch, SaysWhichVersionAndWhere) {
  const fs::path torch = make("a");
  const MachineFeature feature = examine_torch({.built_with = torch});
  EXPECT_EQ(feature.status, Status::ok);
  EXPECT_EQ(feature.detail, "2.11.0+cpu in " + torch.string());
  EXPECT_EQ(examine_torch({.built_with = torch, .asked = torch}).status, Status::ok);
}

TEST_F(ExamineTorch, ItsLackStandsInTheWay) {
  for (const RunnerPlaces& places : {RunnerPlaces{}, RunnerPlaces{.built_with = folder_ / "gone"},
                                     RunnerPlaces{.built_with = make("a"), .asked = folder_ / "wrong"}}) {
    const MachineFeature feature = examine_torch(places);
    EXPECT_EQ(feature.status, Status::missing);
    EXPECT_TRUE(feature.needed);
    EXPECT_NE(feature.remedy, "");
  }
}

TEST_F(ExamineTorch, TheOneAskedForServesWhereTheFirstIsGone) {
  const fs::path asked = make("b");
  const MachineFeature feature = examine_torch({.built_with = folder_ / "gone", .asked = asked});
  EXPECT_EQ(feature.status, Status::ok);
  EXPECT_EQ(feature.detail, "2.11.0+cpu in " + asked.string() + ", named by KJOULE_TORCH");
}

TEST_F(ExamineTorch, AnotherThanAskedForIsSaid) {
  EXPECT_EQ(examine_torch({.built_with = make("a"), .asked = make("b")}).status, Status::limited);
}

TEST_F(ExamineTorch, OfAWheelMustHaveAVersionThatItSupports) {
  for (const char* version : {"2.11", "2.9"}) {
    const fs::path runner = folder_ / ("bin/kjoule-torch-" + std::string(version));
    fs::create_directories(runner.parent_path());
    write_atomic(runner, "#!/bin/sh\necho kjoule-torch 1");
    fs::permissions(runner, fs::perms(0755));
  }
  const RunnerPlaces without{.programs = folder_ / "bin"};
  const RunnerPlaces with{.programs = folder_ / "bin", .asked = make("torch")};
  for (const MachineFeature& feature : {examine_torch(without), examine_torch_child(without)}) {
    EXPECT_EQ(feature.status, Status::missing);
    EXPECT_TRUE(feature.remedy.starts_with("needed only for models: ")) << feature.remedy;
    EXPECT_NE(feature.detail.find("2.9, 2.11"), std::string::npos) << feature.detail;
  }
  EXPECT_EQ(examine_torch(with).detail, "2.11.0+cpu in " + (folder_ / "torch").string());
  EXPECT_EQ(examine_torch_child(with).detail, "kjoule-torch 1, for torch 2.9, 2.11");
  EXPECT_EQ(examine_torch_child(with).status, Status::ok);
}

MachineFeature examine_script(const std::string& script) {
  const TemporaryFolder folder;
  write_atomic(folder / "kjoule-torch", "#!/bin/sh\n" + script);
  fs::permissions(folder / "kjoule-torch", fs::perms(0755));
  return examine_torch_child({.programs = folder.path(), .asked = "/torch"});
}

TEST(ExamineTorchChild, MustStart) {
  EXPECT_EQ(examine_torch_child({.programs = "/none"}).status, Status::missing);
  EXPECT_EQ(examine_script("echo \"kjoule-torch 1 $1\"").detail, "kjoule-torch 1 --version");
  EXPECT_EQ(examine_script("echo $LD_LIBRARY_PATH").detail, "/torch/lib");
  const MachineFeature broken = examine_script("echo 'libfoo.so: not found' >&2; exit 127");
  EXPECT_EQ(broken.status, Status::missing);
  EXPECT_EQ(broken.detail, "does not start (exit code 127): libfoo.so: not found");
}

TEST(ExamineModelsOnCuda, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const MachineFeature feature =
      examine_models_on_cuda({.programs = folder.path(), .devices = folder.path()});
  EXPECT_EQ(feature.status, Status::missing);
  EXPECT_EQ(feature.detail, "no NVIDIA GPU was found");
  EXPECT_FALSE(feature.needed) << "models run on the CPU";
}

}  // namespace
}  // namespace kjoule
