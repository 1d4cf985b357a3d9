#include "importers/table_facts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kjoule {
namespace {

ImportedKernel norm_of(const char* type, int64_t rows, uint64_t launches) {
  ImportedKernel kernel;
  kernel.name = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<" + std::string(type) +
                ", float, false>(int, float)";
  kernel.grid = Extent{rows, 1, 1};
  kernel.launches = launches;
  return kernel;
}

ImportedKernel addition_of(const char* type, int64_t blocks, uint64_t launches) {
  ImportedKernel kernel;
  const std::string functor = "at::native::CUDAFunctor_add<" + std::string(type) + ">";
  kernel.name =
      "void at::native::vectorized_elementwise_kernel<8, " + functor + ", std::array<char*, 3ul> >(int)";
  kernel.grid = Extent{blocks, 1, 1};
  kernel.launches = launches;
  return kernel;
}

std::optional<int64_t> hidden_of(const std::vector<ImportedKernel>& kernels) {
  ImportedTable table;
  table.kernels = kernels;
  return table_facts(table).hidden;
}

TEST(TableFacts, RowsAreAsLongAsTheKOfMostStatedProducts) {
  ImportedTable table;
  table.kernels.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    table.kernels[i].launches = 2;
    table.kernels[i].gemm.k = i == 1 ? 64 : 512;
  }
  EXPECT_EQ(table_facts(table).hidden, 512);
  table.kernels.push_back(norm_of("c10::Half", 1576, 25));
  table.kernels.push_back(addition_of("c10::Half", 1182, 24));
  EXPECT_EQ(table_facts(table).hidden, 512);
}

TEST(TableFacts, AdditionsToLayerNormsTellTheLengthOfRows) {
  // ViT-B/16, 8 images of 197 tokens: 1576 rows of 768 elements are 1182 blocks
  EXPECT_EQ(hidden_of({norm_of("c10::Half", 1576, 25), addition_of("c10::Half", 1182, 24)}), 768);
  // BLOOM-560M, 5 tokens: 5 blocks
  EXPECT_EQ(hidden_of({norm_of("c10::Half", 5, 50), addition_of("c10::Half", 5, 48)}), 1024);
  // the additions with most launches decide
  EXPECT_EQ(
      hidden_of({norm_of("float", 4096, 25), addition_of("float", 37693, 1), addition_of("float", 3072, 24)}),
      768);
}

TEST(TableFacts, RowsThatAdditionsDoNotTellHaveNoLength) {
  EXPECT_EQ(hidden_of({norm_of("float", 4096, 25), addition_of("c10::Half", 3072, 24)}), std::nullopt)
      << "another type";
  EXPECT_EQ(hidden_of({norm_of("float", 1, 25), addition_of("float", 2, 24)}), std::nullopt)
      << "from 1025 to 2048 elements";
  EXPECT_EQ(hidden_of({norm_of("float", 1 << 20, 25), addition_of("float", 8, 24)}), std::nullopt)
      << "fewer elements than rows";
  EXPECT_EQ(hidden_of({norm_of("float", -1, 25), addition_of("float", INT64_MAX, 24)}), std::nullopt);
  ImportedKernel without_grid = norm_of("float", 4, 25);
  without_grid.grid.reset();
  EXPECT_EQ(hidden_of({without_grid, addition_of("float", 8, 24)}), std::nullopt);
}

TEST(TableFacts, ConcatenationsHaveTwoBlocksAMultiprocessor) {
  ImportedTable table;
  EXPECT_EQ(table_facts(table).multiprocessors, 20);
  ImportedKernel concatenation;
  concatenation.name =
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy<c10::Half, unsigned int, 3, 64, 64>(int)";
  concatenation.grid = Extent{264, 2, 1};
  table.kernels = {concatenation};
  EXPECT_EQ(table_facts(table).multiprocessors, 132);
}

TEST(TableFacts, NamesOfLibtorch27TellHowManyElementsAThreadComputes) {
  ImportedTable table;
  ImportedKernel& kernel = table.kernels.emplace_back();
  kernel.name = "void at::native::vectorized_elementwise_kernel<4, f, at::detail::Array<char*, 2> >(int)";
  EXPECT_EQ(table_facts(table).per_thread, 4);
  kernel.name = "void at::native::vectorized_elementwise_kernel<8, f, std::array<char*, 2ul> >(int)";
  EXPECT_EQ(table_facts(table).per_thread, 8);
  kernel.name =
      "void at::native::unrolled_elementwise_kernel<f, std::array<char*, 2ul>, 4, "
      "TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int> >(int)";
  EXPECT_EQ(table_facts(table).per_thread, 8);
}

}  // namespace
}  // namespace kjoule
