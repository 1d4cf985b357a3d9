#include "sampling/slurm_script.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(SlurmScript, IsAnArrayThatRunsOnePartPerTask) {
  const std::string text = slurm_script_text(
      {"gelu", 4, {"--time=01:00:00", "--exclusive"}, "/home/me/a b", "/scratch/log", "kjoule sample gelu"});
  EXPECT_TRUE(text.starts_with(kSlurmScriptBeginning));
  for (const char* line : {"#SBATCH --job-name=kjoule-gelu\n", "#SBATCH --array=1-4\n", "#SBATCH --requeue\n",
                           "#SBATCH --signal=B:TERM@90\n", "#SBATCH --chdir=\"/home/me/a b\"\n",
                           "#SBATCH --output=\"/scratch/log/slurm_%A_%a.txt\"\n", "#SBATCH --time=01:00:00\n",
                           "#SBATCH --exclusive\n",
                           "exec kjoule sample gelu --parts 4 --part \"$SLURM_ARRAY_TASK_ID\" --requeue\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(SlurmScript, RefusesWhatWouldEndALine) {
  for (const char* option : {"--time=1\nrm -rf /", "--qos=a b", "qos=low", "--qos='x'", "--", ""})
    EXPECT_THROW(slurm_script_text({"gelu", 1, {option}, "/", "/", "kjoule"}), Error) << option;
  for (const char* folder : {"/a\nb", "/a\"b", "/100%"}) {
    EXPECT_THROW(slurm_script_text({"gelu", 1, {}, folder, "/", "kjoule"}), Error) << folder;
    EXPECT_THROW(slurm_script_text({"gelu", 1, {}, "/", folder, "kjoule"}), Error) << folder;
  }
}

}  // namespace
}  // namespace kjoule
