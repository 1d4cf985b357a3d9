#include "sampling/slurm_script.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(SlurmScript, IsAnArrayThatRunsOnePartPerTask) {
  const std::string text = array_script_text(
      {"gelu", {"--time=01:00:00", "--exclusive"}, "/home/me/a b", "/scratch/log", "kjoule sample gelu"}, 4);
  EXPECT_TRUE(text.starts_with(kSlurmScriptBeginning));
  for (const char* line : {"#SBATCH --job-name=kjoule-gelu\n", "#SBATCH --array=1-4\n", "#SBATCH --requeue\n",
                           "#SBATCH --signal=B:TERM@90\n", "#SBATCH --chdir=\"/home/me/a b\"\n",
                           "#SBATCH --output=\"/scratch/log/slurm_%A_%a.txt\"\n", "#SBATCH --time=01:00:00\n",
                           "#SBATCH --exclusive\n",
                           "exec kjoule sample gelu --parts 4 --part \"$SLURM_ARRAY_TASK_ID\" --requeue\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(SlurmScript, StartsATaskForEachGpu) {
  const std::string text = group_script_text(
      {"all_reduce", {"--time=00:10:00"}, "/home/me", "/scratch/out", "kjoule collectives all_reduce"}, 2, 4);
  EXPECT_TRUE(text.starts_with(kSlurmScriptBeginning));
  for (const char* line :
       {"#SBATCH --job-name=kjoule-all_reduce\n", "#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=4\n",
        "#SBATCH --gpus-per-node=4\n", "#SBATCH --no-requeue\n", "#SBATCH --chdir=\"/home/me\"\n",
        "#SBATCH --output=\"/scratch/out/slurm_%j.txt\"\n", "#SBATCH --time=00:10:00\n",
        "exec srun --nodes=2 --ntasks=8 --ntasks-per-node=4 kjoule collectives all_reduce\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(SlurmScript, RefusesWhatWouldEndALine) {
  for (const char* option : {"--time=1\nrm -rf /", "--qos=a b", "qos=low", "--qos='x'", "--", ""})
    EXPECT_THROW(array_script_text({"gelu", {option}, "/", "/", "kjoule"}, 1), Error) << option;
  for (const char* folder : {"/a\nb", "/a\"b", "/100%"}) {
    EXPECT_THROW(array_script_text({"gelu", {}, folder, "/", "kjoule"}, 1), Error) << folder;
    EXPECT_THROW(array_script_text({"gelu", {}, "/", folder, "kjoule"}, 1), Error) << folder;
  }
}

}  // namespace
}  // namespace kjoule
