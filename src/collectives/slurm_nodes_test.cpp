#include "collectives/slurm_nodes.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(SlurmNodes, NameTheFirstMachine) {
  const std::pair<const char*, const char*> lists[] = {
      {"n1", "n1"},
      {"gpu-a.cluster_1,n[1-2]", "gpu-a.cluster_1"},
      {"n[03-05,8],m1", "n03"},
      {"n[7,9]", "n7"},
      {"n[0012]", "n0012"},
      {"rack3-[01-02]-ib,x", "rack3-01-ib"},
      {"[1-2]", "1"},
  };
  for (const auto& [list, first] : lists) EXPECT_EQ(first_slurm_node(list), first) << list;
}

TEST(SlurmNodes, OfAnotherFormAreNotGuessed) {
  for (const char* list :
       {"", ",n1", "n[1-2]m[3-4]", "n[", "n[1", "n[]", "n[a-b]", "n 1", "n;rm", "n[1-2]$x", "(null)"})
    EXPECT_EQ(first_slurm_node(list), std::nullopt) << list;
}

}  // namespace
}  // namespace kjoule
