#include "prediction/samples.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {
namespace {

std::string refusal(const std::string& csv) {
  try {
    read_samples(csv, "t.csv");
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

TEST(Samples, AreShapesAndTimes) {
  const Samples samples = read_samples("b,l,F_dur(us),B_dur(us)\n2.0,1024,20.5,41\n4,2048,80,160\n", "t.csv");
  EXPECT_EQ(samples.columns, (std::vector<std::string>{"b", "l"}));
  EXPECT_EQ(samples.shapes[1], (std::vector<double>{4, 2048}));
  EXPECT_EQ(samples.us.at(Direction::forward), (std::vector<double>{20.5, 80}));
  EXPECT_EQ(samples.us.at(Direction::backward), (std::vector<double>{41, 160}));
  EXPECT_TRUE(read_samples("mp,dur(us)\n1,2\n", "t.csv").us.contains(Direction::step));
}

TEST(Samples, BadTablesAreNamedByLine) {
  EXPECT_NE(refusal("b,dur(us)\n1,nan\n").find("t.csv:2: the step time is 'nan'"), std::string::npos);
  EXPECT_NE(refusal("b,F_dur(us)\n1,2\n1,-3\n").find("t.csv:3: the forward time is '-3'"), std::string::npos);
  EXPECT_NE(refusal("b,B_dur(us)\n1,0\n").find("the backward time is '0'"), std::string::npos);
  EXPECT_NE(refusal("b,dur(us)\n1,2,3\n").find("the row has 3 cells, but the header has 2"),
            std::string::npos);
  EXPECT_NE(refusal("b,dur(us)\nx,2\n").find("b is 'x', which is not a size"), std::string::npos);
  EXPECT_NE(refusal("b,l\n1,2\n").find("no column with times"), std::string::npos);
  EXPECT_NE(refusal("b,dur(us),dur(us)\n1,2,3\n").find("two columns dur(us)"), std::string::npos);
  EXPECT_NE(refusal("b,dur(us)\n").find("the table has no rows"), std::string::npos);
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
  for (const char* cut : {"b,dur(us)\n1,2\n1,10", "b,dur(us)\n1,2\n1,10."})
    EXPECT_NE(refusal(cut).find("t.csv:3: the file ends within this line"), std::string::npos) << cut;
}

TEST(Samples, KnownOperatorsHaveTheirColumns) {
  const auto refused = [](const std::string& csv) {
    try {
      read_samples(csv, "t.csv", "gelu");
    } catch (const Error& error) {
      return error.line();
    }
    return std::string();
  };
  EXPECT_EQ(refused("\xef\xbb\xbfmp,b,l,dim,F_dur(us),B_dur(us)\n1,2,3,4,5,6\n"), "") << "a mark is skipped";
  for (const char* columns : {"b,mp,l,dim", "mp,b,l,width", "mp,b,l"})
    EXPECT_NE(refused(std::string(columns) + ",F_dur(us),B_dur(us)\n1,2,3,4,5,6\n")
                  .find(std::string("t.csv:1: the columns with sizes are ") + columns +
                        ", but those of gelu are mp,b,l,dim"),
              std::string::npos)
        << columns;
}

TEST(Samples, SizesAreWholeAndFromOne) {
  for (const char* size : {"0", "-1", "1.5", "inf", "nan"})
    EXPECT_NE(refusal(std::string("b,dur(us)\n1,2\n") + size + ",2\n")
                  .find(std::string("t.csv:3: b is '") + size + "', which is not a size"),
              std::string::npos)
        << size;
  EXPECT_EQ(refusal("intermediate_size,dur(us)\n0,2\n"), "") << "of experts: 0 stands for four times dim";
}

TEST(Samples, TimesHaveAUnit) {
  for (const char* column : {"dur", "dur(ms)", "F_dur", "energy(kJ)"})
    EXPECT_NE(refusal(std::string("b,") + column + "\n1,2\n").find("has an unknown unit"), std::string::npos)
        << column;
  const std::string stem = "NVIDIAA100-SXM4-80GB_optimizer_fp16";
  const Samples guides = read_samples(SampledData::open_named("Perlmutter/operator", {}).text(stem), stem);
  EXPECT_EQ(guides.columns.back(), "params") << "its dur is us, though it does not say so";
  EXPECT_EQ(guides.us.at(Direction::step).front(), 9731.2);
}

TEST(Samples, EnergiesMayBeThere) {
  const Samples samples =
      read_samples("b,F_dur(us),B_dur(us),F_energy(J)\n2,20,40,0.5\n4,80,160,\n8,90,170,2\n", "t.csv");
  const MeasuredShapes forward = samples.select(Direction::forward, Measurand::energy);
  EXPECT_EQ(forward.shapes, (std::vector<std::vector<double>>{{2}, {8}})) << "an empty cell is no energy";
  EXPECT_EQ(forward.costs, (std::vector<double>{0.5, 2}));
  EXPECT_TRUE(samples.select(Direction::backward, Measurand::energy).costs.empty());
  EXPECT_EQ(samples.select(Direction::backward, Measurand::time).costs.size(), 3u);
  EXPECT_NE(refusal("b,dur(us),energy(J)\n1,2,0\n").find("the step energy is '0', not a number of J above 0"),
            std::string::npos);
  EXPECT_NE(refusal("b,dur(us),F_energy(J)\n1,2,3\n").find("no column with times before it"),
            std::string::npos);
}

TEST(TableName, IsTakenApart) {
  const auto linear = TableName::parse("NVIDIAA100-SXM4-80GB_linear_final_fp16");
  ASSERT_TRUE(linear);
  EXPECT_EQ(linear->gpu, "NVIDIAA100-SXM4-80GB");
  EXPECT_EQ(linear->operation, "linear_final");
  EXPECT_FALSE(linear->topology);
  const auto reduce = TableName::parse("G_allreduce_large_bf16_2_4");
  ASSERT_TRUE(reduce);
  EXPECT_EQ(reduce->operation, "allreduce_large");
  EXPECT_EQ(reduce->topology, (std::pair{2, 4}));
  EXPECT_EQ(reduce->stem(), "G_allreduce_large_bf16_2_4");
  EXPECT_FALSE(TableName::parse("notes"));
  EXPECT_FALSE(TableName::parse("NVIDIAA100-SXM4-80GB"));
}

TEST(SampledData, PartsOfASweepAreNoCollectives) {
  const TemporaryFolder folder;
  for (const char* part : {"G_gelu_fp16_4_2.csv", "G_gelu_fp16_4_1.csv"})
    write_atomic(folder / part, "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,3,4,5,6\n");
  try {
    SampledData::open_folder(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("contains only parts of sweeps"), std::string::npos) << error.line();
  }
  write_atomic(folder / "G_allreduce_fp16_4_1.csv", "shape,nodes,GPUsPerNode,dur(us)\n8,4,1,5\n");
  write_atomic(folder / "G_gelu_fp16.csv", "mp,b,l,dim,F_dur(us),B_dur(us)\n1,2,3,4,5,6\n");
  const SampledData data = SampledData::open_folder(folder.path());
  EXPECT_EQ(data.parts(), (std::vector<std::string>{"G_gelu_fp16_4_1.csv", "G_gelu_fp16_4_2.csv"}));
  std::vector<std::string> stems;
  for (const TableName& table : data.tables()) stems.push_back(table.stem());
  EXPECT_EQ(stems, (std::vector<std::string>{"G_allreduce_fp16_4_1", "G_gelu_fp16"}));
}

TEST(SampledData, TopologiesOfAMergedTableAreTables) {
  const TemporaryFolder folder;
  std::string merged = "shape,nodes,GPUsPerNode,dur(us)\n";
  for (int i = 1; i <= 40; ++i) merged += fmt::format("{},{},2,{}\n", i, 1 + i % 2, 100 * i);
  write_atomic(folder / "G_allreduce_fp16.csv", merged + "8,4,2,5\n");
  write_atomic(folder / "G_allreduce_fp16_2_2.csv", "shape,nodes,GPUsPerNode,dur(us)\n7,2,2,9\n");
  const SampledData data = SampledData::open_folder(folder.path());
  const TableName all = data.find("G", "allreduce", "fp16");
  ASSERT_EQ(data.topologies(all).size(), 1u) << "2x2 has a file of its own, and 4x2 too few rows";
  const TableName one = data.find("G", "allreduce", "fp16", 1, 2);
  EXPECT_EQ(one.stem(), "G_allreduce_fp16_1_2");
  EXPECT_EQ(data.file_of(one), "G_allreduce_fp16");
  const Samples rows = data.samples(one);
  EXPECT_EQ(rows.shapes.size(), 20u);
  EXPECT_EQ(rows.shapes.front(), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(rows.us.at(Direction::step).front(), 200);
  EXPECT_EQ(data.samples(data.find("G", "allreduce", "fp16", 2, 2)).shapes.size(), 1u);
  EXPECT_FALSE(data.find("G", "allreduce", "fp16", 4, 2).topology) << "predicted from all rows";
}

TEST(SampledData, LargeMessagesAreInTheTableOfAllSizes) {
  const TemporaryFolder folder;
  const std::string table = "shape,nodes,GPUsPerNode,dur(us)\n8,1,2,5\n";
  write_atomic(folder / "G_allreduce_fp16_1_2.csv", table);
  write_atomic(folder / "G_allgather_fp16_1_2.csv", table);
  write_atomic(folder / "G_allgather_large_fp16_1_2.csv", table);
  const SampledData data = SampledData::open_folder(folder.path());
  EXPECT_EQ(data.find("G", "allreduce_large", "fp16", 1, 2).stem(), "G_allreduce_fp16_1_2");
  EXPECT_EQ(data.find("G", "allgather_large", "fp16", 1, 2).stem(), "G_allgather_large_fp16_1_2");
  EXPECT_THROW(data.find("G", "allreduce_large", "bf16", 1, 2), Error);
}

TEST(SampledData, NamesWhatIsNear) {
  const SampledData data = SampledData::open_named("Perlmutter/operator", {});
  try {
    data.find("NVIDIAA100-SXM4-80GB", "linear9", "fp16");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("available: linear1"), std::string::npos) << error.line();
  }
  EXPECT_THROW(data.find("H900", "linear1", "fp16"), Error);
  EXPECT_THROW(data.find("NVIDIAA100-SXM4-80GB", "linear1", "bf16"), Error);
}

}  // namespace
}  // namespace kjoule
