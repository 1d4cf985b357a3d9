#include "device/protocol.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "device/serve.hpp"
#include "simulated/device.hpp"

namespace kjoule {
namespace {

struct Sockets {
  int ends[2];
  Sockets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
};

TEST(Messages, SurviveTheSocket) {
  const Sockets sockets;
  const TrackSpec spec = Sequence{{Segment{{1, 2}, {3}}, Segment{{}, {4, 5}}}};
  send_message(sockets.ends[0], write_fields(spec));
  const TrackSpec back = read_fields<TrackSpec>(*receive_message(sockets.ends[1]), "spec");
  const auto& segments = std::get<Sequence>(back).segments;
  EXPECT_EQ(segments[0].lead, (std::vector<LaunchIndex>{1, 2}));
  EXPECT_EQ(segments[1].timed, (std::vector<LaunchIndex>{4, 5}));
  const TrackSpec empty = read_fields<TrackSpec>(write_fields(TrackSpec{EmptyKernels{7}}), "spec");
  EXPECT_EQ(std::get<EmptyKernels>(empty).count, 7);
  const TrackTiming replayed{{0.1, 1.0 / 3}, {1.755e9}, 5, 7};
  send_message(sockets.ends[1], write_fields(replayed));
  const TrackTiming received = read_fields<TrackTiming>(*receive_message(sockets.ends[0]), "timing");
  EXPECT_EQ(received.seconds, replayed.seconds);
  EXPECT_EQ(received.clock_hz, replayed.clock_hz);
  DeviceInfo info;
  info.recordable = false;
  send_message(sockets.ends[1], write_fields(info));
  EXPECT_FALSE(read_fields<DeviceInfo>(*receive_message(sockets.ends[0]), "info").recordable);
}

TEST(Messages, TornAndAbsurdFramesAreErrors) {
  Sockets sockets;
  const unsigned char absurd[4]{0xff, 0xff, 0xff, 0xff};
  ASSERT_EQ(write(sockets.ends[0], absurd, 4), 4);
  EXPECT_THROW(receive_message(sockets.ends[1]), Error);
  const unsigned char torn[6]{100, 0, 0, 0, 1, 2};
  ASSERT_EQ(write(sockets.ends[0], torn, 6), 6);
  shutdown(sockets.ends[0], SHUT_WR);
  EXPECT_THROW(receive_message(sockets.ends[1]), Error);
  EXPECT_EQ(receive_message(sockets.ends[1]), std::nullopt);
}

/// Returns the most memory, in KiB, that this process has used so far.
int64_t most_memory_kb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

/// Sends a message to a served process that has no device, and returns why the service ended.
ServiceEnd end_after(const nlohmann::json& message) {
  const Sockets sockets;
  send_message(sockets.ends[0], message);
  return serve(sockets.ends[1], [] { return std::shared_ptr<Device>(); });
}

TEST(Messages, ADamagedRequestEndsTheServiceOnly) {
  EXPECT_EQ(end_after({{"id", 1}}), ServiceEnd::closed) << "no operation";
  EXPECT_EQ(end_after({{"op", "hello"}}), ServiceEnd::closed) << "no number";
  EXPECT_EQ(end_after({{"op", 7}, {"id", 1}}), ServiceEnd::closed);
  EXPECT_EQ(end_after(nlohmann::json::array({1, 2})), ServiceEnd::closed);
  EXPECT_EQ(end_after({{"op", "quit"}}), ServiceEnd::quit) << "takes no number";
}

TEST(Messages, MemoryIsAllocatedAsAMessageArrives) {
  Sockets sockets;
  const unsigned char head[4]{0, 0, 0, 0x3f};  // states 1008 MiB
  ASSERT_EQ(write(sockets.ends[0], head, 4), 4);
  shutdown(sockets.ends[0], SHUT_WR);
  const int64_t before_kb = most_memory_kb();
  EXPECT_THROW(receive_message(sockets.ends[1]), Error);
  EXPECT_LT(most_memory_kb() - before_kb, 256 << 10);
}

/// A simulated device in a served process, and its requests one after another.
class Served : public testing::Test {
 protected:
  nlohmann::json ask(nlohmann::json request) {
    request["id"] = 1;
    send_message(sockets_.ends[0], request);
    return *receive_message(sockets_.ends[0]);
  }
  ~Served() override {
    shutdown(sockets_.ends[0], SHUT_RDWR);
    server_.join();
  }
  Sockets sockets_;
  std::thread server_{[this] {
    serve(sockets_.ends[1], [] {
      return std::make_unique<SimulatedDevice>(parse_simulated_spec("seed=4,fail=3,edges=clean"));
    });
  }};
};

TEST_F(Served, AnswersAndReportsTheLaunchThatFails) {
  EXPECT_TRUE(ask({{"op", "record"}}).contains("error")) << "before the greeting";
  EXPECT_TRUE(ask({{"op", "hello"}, {"version", kProtocolVersion + 1}}).contains("error"));
  EXPECT_TRUE(ask({{"op", "hello"}, {"version", kProtocolVersion}}).contains("result"));
  ask({{"op", "record"}});
  EXPECT_TRUE(ask({{"op", "no such thing"}}).contains("error"));
  EXPECT_TRUE(ask({{"op", "enqueue"}, {"track", 99}, {"repeats", 1}}).contains("error"));
  const auto opened =
      ask({{"op", "open"}, {"spec", write_fields(TrackSpec{Sequence{{Segment{{}, {2, 3}}}}})}});
  EXPECT_FALSE(
      ask({{"op", "enqueue"}, {"track", opened["result"]["track"]}, {"repeats", 1}}).contains("error"));
  const auto reply = ask({{"op", "wait"}, {"track", opened["result"]["track"]}});
  ASSERT_TRUE(reply.contains("error"));
  try {
    throw_from_message(reply["error"]);
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.launch, std::optional<LaunchIndex>(3));
    EXPECT_FALSE(error.lost);
  }
}

}  // namespace
}  // namespace kjoule
