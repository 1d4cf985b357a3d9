#include "sampling/configuration.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "device/operator_table.hpp"
#include "sampling/shipped_configurations.hpp"

namespace kjoule {
namespace {

// Returns a configuration in the layout of estimate-train-time: one flow mapping, quoted keys and a trailing
// comma.
std::string external_configuration(const std::string& replace = {}, const std::string& by = {}) {
  std::string yaml = R"({
  # a comment
  "module_name": "target_functions",
  "kernel_name": "flash_atten",
  "function_name": "flash_atten",
  "columns_name": ['mp', 'b', 'h', 'l', 'dim', 'F_dur(us)', 'B_dur(us)'],
  "targets": [['built-in method apply', 'FlashAttnFunc'], ['FlashAttnFuncBackward']],
  "first_n_column": 5,
  "starts":[1, 4, 16, 1024, 2048],
  "steps":[2, 2, 8, 512, 512],
  "ends":[16, 8, 80, 5120, 8192],
  "operators":['mul', 'mul', 'add', 'add', 'add'],
  "warmup_shapes":[1, 4, 16, 1024, 2048],
  "wait": 2,
  "warmup": 2,
  "active": 10,
  "shapes":[1, 4, 16, 1024, 2048],
  "run": "get_all",
})";
  if (!replace.empty()) yaml.replace(yaml.find(replace), replace.size(), by);
  return yaml;
}

std::string error_of(const std::string& yaml) {
  try {
    read_sampling_configuration(yaml, "c.yml");
  } catch (const Error& error) {
    return error.line();
  }
  return "none";
}

TEST(SamplingConfiguration, ReadsTheGuidesFormUnchanged) {
  const SamplingConfiguration read = read_sampling_configuration(external_configuration(), "c.yml");
  EXPECT_EQ(read.parameters, (std::vector<std::string>{"mp", "b", "h", "l", "dim"}));
  EXPECT_EQ(read.columns().back(), "B_dur(us)");
  EXPECT_EQ(read.warmup_passes, 4);
  EXPECT_EQ(read.active, 10);
  const Sweep sweep(read.swept);
  EXPECT_EQ(sweep.size(), 10530u);
  EXPECT_EQ(sweep.shape(0), (SampleShape{1, 4, 16, 1024, 2048}));
  EXPECT_EQ(sweep.shape(1), (SampleShape{1, 4, 16, 1024, 2560}));
  EXPECT_EQ(sweep.shape(13), (SampleShape{1, 4, 16, 1536, 2048}));
  EXPECT_EQ(sweep.shape(10529), (SampleShape{16, 8, 80, 5120, 8192}));
}

TEST(SamplingConfiguration, ListsOfATooSmallNumberOfSizesAreCompleted) {
  std::string yaml = external_configuration("\"first_n_column\": 5", "\"first_n_column\": 3");
  const auto replace = [&yaml](const std::string& old, const std::string& by) {
    yaml.replace(yaml.find(old), old.size(), by);
  };
  replace("['mul', 'mul', 'add', 'add', 'add']", "['mul', 'mul', 'add']");
  replace("\"warmup_shapes\":[1, 4, 16, 1024, 2048]", "\"warmup_shapes\":[2, 8, 24]");
  const SamplingConfiguration read = read_sampling_configuration(yaml, "c.yml");
  EXPECT_EQ(Sweep(read.swept).size(), 10530u);
  EXPECT_EQ(read.warmup_shape, (SampleShape{2, 8, 24, 1024, 2048}));
  EXPECT_EQ(
      read.completed,
      "c.yml:8: first_n_column: 3 is less than the 5 sizes in columns_name; all of these are used; "
      "operators was completed to mul, mul, add, add, add; warmup_shapes was completed to 2, 8, 24, 1024, "
      "2048");
  EXPECT_EQ(read_sampling_configuration(yaml, "c.yml", "get_one").shape, (SampleShape{1, 4, 16, 1024, 2048}));
  replace("[2, 8, 24]", "[2, 8]");
  EXPECT_EQ(
      error_of(yaml),
      "c.yml:13: warmup_shapes: has 2 numbers, but columns_name has 5 sizes; write 5 numbers, one for each "
      "size");
  EXPECT_EQ(read_sampling_configuration(external_configuration(), "c.yml").completed, "");
}

TEST(SamplingConfiguration, CollectivesAreNoOperators) {
  EXPECT_EQ(
      error_of("{kernel_name: p2p, function_name: p2p, columns_name: [shape, nodes, GPUsPerNode, dur(us)]}"),
      "c.yml:1: function_name: kjoule sample measures operators of one GPU, but p2p is a collective; measure "
      "it in a program that calls it: kjoule compare -- torchrun .. (docs/guide/ranks.md)");
}

TEST(SamplingConfiguration, OneShapeNeedsNoSweep) {
  const std::string yaml =
      "{kernel_name: gelu, function_name: gelu, columns_name: [mp, b, l, dim, F_dur(us), B_dur(us)], "
      "first_n_column: 4, warmup_shapes: [1, 1, 8, 8], wait: 0, warmup: 1, active: 6, shapes: [1, 2, 8, 8], "
      "run: get_one}";
  EXPECT_EQ(read_sampling_configuration(yaml, "c.yml").shape, (SampleShape{1, 2, 8, 8}));
  EXPECT_THROW(read_sampling_configuration(yaml, "c.yml", "get_all"), Error);
}

TEST(SamplingConfiguration, ErrorsNameFileLineAndField) {
  EXPECT_EQ(
      error_of(external_configuration("\"wait\": 2,", "")),
      "c.yml:1: wait: this field is missing; docs/guide/sampling.md lists the fields of a configuration");
  EXPECT_EQ(
      error_of(external_configuration("[2, 2, 8, 512, 512]", "[2, 2, 8, 512]")),
      "c.yml:10: steps: has 4 numbers, but columns_name has 5 sizes; write 5 numbers, one for each size");
  EXPECT_EQ(error_of(external_configuration("'mul', 'mul', 'add'", "'mul', 'add'")),
            "c.yml:12: operators: has 4 words, but columns_name has 5 sizes; write add or mul for each size");
  EXPECT_EQ(error_of(external_configuration("'mul', 'mul'", "'mul', 'pow'")),
            "c.yml:12: operators: pow is not a known step from one size to the next; use add or mul");
  EXPECT_NE(
      error_of(
          external_configuration("\"function_name\": \"flash_atten\"", "\"function_name\": \"flash_attn\""))
          .find("c.yml:5: function_name: flash_attn is not a known operator; did you mean flash_atten,"),
      std::string::npos);
  EXPECT_NE(error_of(external_configuration("[16, 8, 80", "[16, 2, 80"))
                .find("c.yml:9: starts: b: its start 4 is above"),
            std::string::npos);
  EXPECT_EQ(error_of(external_configuration("[1, 4, 16", "[1, 0, 16")),
            "c.yml:9: starts: b: its start is 0, but a size is at least 1; correct starts");
  EXPECT_NE(error_of(external_configuration("[2, 2, 8", "[1, 2, 8"))
                .find("mp: multiplying 1 by 1 never reaches its end"),
            std::string::npos);
  EXPECT_NE(error_of(external_configuration("[2, 2, 8", "[2, 2, 0"))
                .find("h: adding 0 to its start never reaches its end"),
            std::string::npos);
  EXPECT_EQ(error_of(external_configuration("\"active\": 10", "\"active\": 5")),
            "c.yml:16: active: 5 is less than 6; write at least 6");
  EXPECT_NE(error_of(external_configuration("first_n_column\": 5", "first_n_column\": 7"))
                .find("there is no column for a time"),
            std::string::npos);
  EXPECT_NE(error_of(external_configuration("\"wait\"", "\"wiat\""))
                .find("wiat: this field is not known; did you mean wait"),
            std::string::npos);
  EXPECT_NE(error_of(external_configuration("\"get_all\"", "\"get_al\"")).find("use get_all, get_one"),
            std::string::npos);
  EXPECT_NE(error_of("{a: [").find("c.yml:1: the text is not YAML"), std::string::npos);
  EXPECT_NE(error_of("").find("this file is not a map of fields"), std::string::npos);
  EXPECT_NE(error_of(external_configuration("\"kernel_name\": \"flash_atten\"", "\"kernel_name\": \"../x\""))
                .find("contains characters that are not allowed in this name"),
            std::string::npos);
}

TEST(SamplingConfiguration, AnOperatorOfOnesOwnHasSizesByFormula) {
  const std::string yaml =
      "{kernel_name: silu, function_name: silu, columns_name: [b, l, dim, F_dur(us), B_dur(us)], "
      "first_n_column: 3, starts: [1, 8, 8], steps: [2, 8, 8], ends: [2, 16, 8], operators: [mul, add, add], "
      "warmup_shapes: [1, 8, 8], wait: 0, warmup: 1, active: 6, run: get_all, operator: 'aten::silu', "
      "arguments: [{tensor: [b*l, 4*dim]}, {tensor: [2], dtype: Long}, dim, 0.5, true, ~]}";
  const SamplingConfiguration read = read_sampling_configuration(yaml, "c.yml");
  const OperatorCall call = read.call_of({2, 8, 16}, "Half");
  EXPECT_EQ(call.name, "aten::silu");
  EXPECT_EQ(call.arguments[0]["tensor"]["shape"], (std::vector<int64_t>{16, 64}));
  EXPECT_EQ(call.arguments[0]["tensor"]["strides"], (std::vector<int64_t>{64, 1}));
  EXPECT_EQ(call.arguments[0]["tensor"]["dtype"], "Half");
  EXPECT_EQ(call.arguments[1]["tensor"]["dtype"], "Long");
  EXPECT_EQ(call.arguments[2], 16);
  EXPECT_EQ(call.arguments[3]["double"], "0.5");
  EXPECT_EQ(call.arguments[4], true);
  EXPECT_TRUE(call.arguments[5].is_null());
  EXPECT_THROW(read_sampling_configuration(yaml, "c.yml").call_of({2, 8, int64_t{1} << 52}, "Half"), Error);
}

TEST(SamplingConfiguration, WhatDescribesATensorHasKnownFieldsOnce) {
  const auto error = [](const std::string& arguments) {
    return error_of(
        "kernel_name: own\nfunction_name: own\ncolumns_name: [b, F_dur(us)]\nfirst_n_column: 1\nstarts: [1]\n"
        "steps: [2]\nends: [2]\noperators: [mul]\nwarmup_shapes: [1]\nwait: 0\nwarmup: 1\nactive: 6\n"
        "run: get_all\noperator: aten::silu\narguments:\n  - 2\n  - " +
        arguments);
  };
  EXPECT_EQ(error("{tensor: [b], dtype: Long}"), "none");
  EXPECT_EQ(error("{tensor: [b], dtyp: Long}"),
            "c.yml:17: arguments: dtyp: this field is not known; did you mean dtype, tensor?");
  EXPECT_EQ(error("[{tensor: [b]}, {tensro: [b]}]"),
            "c.yml:17: arguments: tensro: this field is not known; did you mean tensor, dtype?");
  EXPECT_EQ(error("{tensor: [b], tensor: [2]}"),
            "c.yml:17: arguments: tensor is given twice; delete one of them");
  const std::string form = "; write {tensor: [SIZES], dtype: Long}; dtype may be omitted";
  EXPECT_EQ(error("{tensor: b}"), "c.yml:17: arguments: the value of tensor is not a list of sizes" + form);
  EXPECT_EQ(error("{tensor: [[b], 2]}"),
            "c.yml:17: arguments: the value of tensor is not a list of sizes" + form);
  EXPECT_EQ(error("{dtype: Long}"),
            "c.yml:17: arguments: an entry in braces lacks the key tensor with a list of sizes" + form);
  EXPECT_EQ(error("{tensor: [b], dtype: [Long]}"),
            "c.yml:17: arguments: the value of dtype is not the name of a type" + form);
}

TEST(SamplingConfiguration, FieldsThatWouldDoNothingAreRefused) {
  EXPECT_EQ(error_of(external_configuration("\"wait\": 2,", "\"wait\": 2, \"wait\": 3,")),
            "c.yml:14: wait is given twice; delete one of them");
  EXPECT_EQ(error_of(external_configuration("\"wait\": 2,", "\"wait\": 2, \"arguments\": [2],")),
            "c.yml:14: arguments: has no effect without operator; also write operator: aten::NAME");
}

TEST(SamplingConfiguration, EveryOperatorShipsWithOne) {
  std::set<std::string> shipped;
  for (const ShippedConfiguration& one : shipped_configurations()) {
    const SamplingConfiguration all = read_sampling_configuration(one.yaml, one.name);
    EXPECT_EQ(all.function_name, one.name);
    EXPECT_EQ(all.parameters, find_sampled_operator(one.name)->parameters);
    EXPECT_GT(Sweep(all.swept).size(), 0u);
    EXPECT_EQ(read_sampling_configuration(one.yaml, one.name, "get_one").shape.size(), all.parameters.size());
    shipped.insert(one.name);
  }
  for (const SampledOperator& one : sampled_operators()) EXPECT_TRUE(shipped.contains(one.name)) << one.name;
  const auto size = [](const char* name) {
    return Sweep(read_sampling_configuration(shipped_configuration(name).yaml, name).swept).size();
  };
  EXPECT_EQ(size("linear1"), 1755u);
  EXPECT_EQ(size("layernorm"), 351u);
  EXPECT_EQ(size("RoPE"), 10530u);
  EXPECT_THROW(shipped_configuration("gleu"), Error);
}

TEST(Sweep, NumbersEndWhereTheyShould) {
  using Growth = SweptNumber::Growth;
  const auto values = [](int64_t start, int64_t step, int64_t end, Growth growth) {
    return SweptNumber{"n", start, step, end, growth}.values();
  };
  EXPECT_EQ(values(1, 2, 17, Growth::mul), (std::vector<int64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(values(16, 8, 32, Growth::add), (std::vector<int64_t>{16, 24, 32}));
  EXPECT_EQ(values(3, INT64_MAX, 1 << 20, Growth::add), std::vector<int64_t>{3});
  EXPECT_EQ(values(3, INT64_MAX, 1 << 20, Growth::mul), std::vector<int64_t>{3});
  EXPECT_THROW(values(0, 2, 8, Growth::mul), Error);
  EXPECT_THROW(values(1, 1, INT64_MAX, Growth::add), Error);
}

TEST(Sweep, PartsPartitionTheSamples) {
  std::vector<int> seen(4);
  for (size_t sample = 1; sample <= 12; ++sample) ++seen.at(part_of_sample(sample, 4) - 1);
  EXPECT_EQ(seen, (std::vector<int>{3, 3, 3, 3}));
  EXPECT_EQ(part_of_sample(1, 4), 2u);
  EXPECT_EQ(part_of_sample(4, 4), 1u);
  EXPECT_EQ(part_of_sample(7, 1), 1u);
}

}  // namespace
}  // namespace kjoule
