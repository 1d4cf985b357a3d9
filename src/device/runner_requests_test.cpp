#include "device/runner_requests.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "device/protocol.hpp"
#include "device/serve.hpp"
#include "simulated/device.hpp"

namespace kjoule {
namespace {

const ReplayCall kAdd = OperatorCall{"aten::add", {{{"tensor", {{"shape", {2}}}}}, 1}};

template <class T>
T sent(const T& value) {
  return read_fields<T>(nlohmann::json::from_cbor(nlohmann::json::to_cbor(write_fields(value))), "sent");
}

template <class T>
std::string reading_error(const nlohmann::json& json) {
  try {
    read_fields<T>(json, "work");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(RunnerWork, SurvivesMessagesAndFiles) {
  const TemporaryFolder folder;
  const auto written = [&](const RunnerWork& work) {
    write_work(folder / "work.json", work);
    const RunnerWork read = read_work(folder / "work.json");
    EXPECT_EQ(write_fields(sent(work)), write_fields(read));
    return read;
  };
  RunnerWork work{.device = "cuda:1",
                  .threads = 3,
                  .allowed_operators = {"mine::step"},
                  .what = ModelWork{"m.pt", 7, {}, {"int64:1x5"}, 11, false}};
  const RunnerWork read = written(work);
  EXPECT_EQ(read.device, "cuda:1");
  EXPECT_EQ(read.threads, 3);
  EXPECT_EQ(read.allowed_operators, std::vector<std::string>{"mine::step"});
  const auto& model = std::get<ModelWork>(read.what);
  EXPECT_EQ(model.path, "m.pt");
  EXPECT_EQ(model.seq_len, 7);
  EXPECT_FALSE(model.batch);
  EXPECT_EQ(model.inputs, std::vector<std::string>{"int64:1x5"});
  EXPECT_EQ(model.seed, 11u);
  EXPECT_FALSE(model.fuses_operators);

  const std::vector<ReplayCall> calls{kAdd, MemoryCopy{8, true, false, true}, MemorySet{4}};
  work.what = calls;
  EXPECT_EQ(std::get<std::vector<ReplayCall>>(written(work).what), calls);

  SampleRequest request;
  request.shape = {1, 2};
  request.call = std::get<OperatorCall>(kAdd);
  work.what = std::vector{request};
  const auto back = std::get<std::vector<SampleRequest>>(written(work).what).at(0);
  EXPECT_EQ(back.call, request.call);
  EXPECT_FALSE(back.warmup_call);
  EXPECT_EQ(back.shape, request.shape);

  // Traces contain names that are not UTF-8.
  const ReplayCall no_utf8 = OperatorCall{"\xff", nlohmann::json::array()};
  EXPECT_EQ(sent(no_utf8), no_utf8);
  work.what = std::vector{no_utf8};
  EXPECT_NO_THROW(write_work(folder / "work.json", work));

  work.what = {};
  EXPECT_TRUE(std::holds_alternative<std::monostate>(written(work).what));
}

TEST(RunnerWork, NamesTheFieldThatIsWrong) {
  const auto with = [](const char* name, nlohmann::json what) {
    return nlohmann::json{{"device", "cpu"}, {"threads", 1}, {name, std::move(what)}};
  };
  EXPECT_EQ(reading_error<RunnerWork>({{"threads", 1}}), "work.device: missing");
  EXPECT_EQ(reading_error<RunnerWork>({{"device", "cpu"}, {"threads", "many"}}),
            "work.threads: not a whole number in the allowed range");
  EXPECT_EQ(reading_error<RunnerWork>(
                with("model", {{"inputs", nlohmann::json::array()}, {"seed", 0}, {"fuses_operators", true}})),
            "work.model.path: missing");
  EXPECT_EQ(reading_error<RunnerWork>(with("calls", {{{"set", {{"bytes", 1}}}}, {{"set", 1}}})),
            "work.calls[1].set: not an object");
  EXPECT_EQ(reading_error<RunnerWork>(with("calls", {{{"get", 1}}})), "work.calls[0].operator: missing");
  auto both = with("calls", nlohmann::json::array());
  both["operators"] = nlohmann::json::array();
  EXPECT_NE(reading_error<RunnerWork>(both).find("several of model, calls and operators"), std::string::npos);
}

TEST(SampleAnswer, SurvivesMessages) {
  SampleAnswer answer{.status = SampleStatus::too_large, .why = "out of memory", .kernels = 3};
  answer.directions["forward"] = {{1.5, 2}, 10.0, {}};
  const SampleAnswer back = sent(answer);
  EXPECT_EQ(back.status, SampleStatus::too_large);
  EXPECT_EQ(back.why, "out of memory");
  EXPECT_EQ(back.kernels, 3);
  EXPECT_FALSE(back.peak_memory_bytes);
  EXPECT_EQ(back.directions.at("forward").passes_us, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(back.directions.at("forward").flops, 10.0);
  EXPECT_FALSE(back.directions.at("forward").least_bytes);
}

/// A Runner on a simulated device. Trying a memset leaves it unusable.
class SimulatedRunner final : public Runner {
 public:
  std::unique_ptr<Device> start(const RunnerWork& work) override {
    if (std::holds_alternative<std::monostate>(work.what)) return nullptr;
    return std::make_unique<SimulatedDevice>(parse_simulated_spec("seed=4"));
  }
  double try_call(const ReplayCall& call) override {
    if (std::holds_alternative<OperatorCall>(call)) return 0.25;
    is_usable_ = false;
    throw std::runtime_error("cannot");
  }
  SamplingDevice sampling_device() override { return {"d", "t", 1, "w", 5}; }
  SampleAnswer sample(const SampleRequest& request) override {
    return {.status = SampleStatus::refused, .why = request.operator_name};
  }
  Roof roof(const std::string& type) override { return {type == "Half" ? 2e12 : 1e12, 3e9}; }
  nlohmann::json describe(const ModelWork& model) override { return {{"file", model.path}}; }
  bool is_usable() const override { return is_usable_; }

 private:
  bool is_usable_ = true;
};

/// A served process that is asked one request after another.
class AskedService : public testing::Test {
 protected:
  AskedService() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~AskedService() override {
    shutdown(ends_[0], SHUT_RDWR);
    if (server_.joinable()) server_.join();
    close(ends_[0]);
    close(ends_[1]);
  }
  void serve_runner() {
    server_ = std::thread([this] {
      serve(ends_[1], runner_, [](const std::exception& error) { return Error(error.what(), "explained"); });
    });
  }
  nlohmann::json ask(const char* operation, nlohmann::json body = nlohmann::json::object()) {
    body["op"] = operation;
    body["id"] = 1;
    send_message(ends_[0], body);
    return receive_message(ends_[0]).value();
  }
  std::string error(const char* operation, nlohmann::json body = nlohmann::json::object()) {
    return ask(operation, std::move(body)).at("error").at("cause");
  }
  nlohmann::json greet(const RunnerWork& work) {
    return ask("hello", {{"version", kProtocolVersion}, {"work", write_fields(work)}});
  }

  std::array<int, 2> ends_{};
  SimulatedRunner runner_;
  std::thread server_;
};

TEST_F(AskedService, ARunnerAnswersItsRequests) {
  serve_runner();
  EXPECT_EQ(error("roof", {{"type", "Half"}}), "kjoule sent roof before it opened the connection");
  EXPECT_TRUE(greet({}).at("result").is_null());
  EXPECT_EQ(ask("try_call", {{"call", write_fields(kAdd)}}).at("result"), 0.25);
  EXPECT_EQ(ask("sampling_device").at("result").at("free_bytes"), 5);
  SampleRequest request;
  request.operator_name = "gelu";
  EXPECT_EQ(ask("sample", {{"request", write_fields(request)}}).at("result").at("why"), "gelu");
  EXPECT_EQ(ask("roof", {{"type", "Half"}}).at("result").at("flop_per_s"), 2e12);
  EXPECT_EQ(ask("describe", {{"model", write_fields(ModelWork{"m.pt"})}}).at("result").at("file"), "m.pt");
  EXPECT_EQ(error("record"), "the process has no device for the request record");
}

TEST_F(AskedService, AMalformedRequestNamesItsField) {
  serve_runner();
  EXPECT_EQ(error("hello", {{"version", kProtocolVersion}}), "hello.work: missing");
  greet({});
  EXPECT_EQ(error("try_call"), "try_call.call: missing");
  EXPECT_EQ(error("sample", {{"request", 3}}), "sample.request: not an object");
  auto request = write_fields(SampleRequest{});
  request["shape"] = "large";
  EXPECT_EQ(error("sample", {{"request", request}}), "sample.request.shape: not a list");
  EXPECT_EQ(error("roof", {{"type", 16}}), "roof.type: not a text");
  EXPECT_EQ(ask("roof", {{"type", "Half"}}).at("result").at("byte_per_s"), 3e9) << "it goes on";
}

TEST_F(AskedService, WorkOpensADevice) {
  serve_runner();
  EXPECT_TRUE(greet({.what = ModelWork{"m.pt"}}).at("result").contains("description"));
  EXPECT_TRUE(ask("record").contains("result"));
  EXPECT_EQ(error("no such thing"), "the measured process does not know the request no such thing");
}

TEST_F(AskedService, ItsLastReplySaysSo) {
  serve_runner();
  EXPECT_FALSE(greet({}).contains("last"));
  const nlohmann::json reply = ask("try_call", {{"call", write_fields(ReplayCall(MemorySet{1}))}});
  EXPECT_EQ(reply.at("error").at("cause"), "cannot");
  EXPECT_EQ(reply.at("error").at("remedy"), "explained");
  EXPECT_EQ(reply.at("last"), true);
  server_.join();
}

TEST_F(AskedService, AMeasuredProgramRefusesThem) {
  server_ = std::thread([this] {
    serve(ends_[1], [] { return std::make_unique<SimulatedDevice>(parse_simulated_spec("seed=4")); });
  });
  EXPECT_TRUE(ask("hello", {{"version", kProtocolVersion}}).contains("result"));
  EXPECT_NE(error("sample").find("cannot answer the request sample"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
