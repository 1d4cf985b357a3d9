#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/process/process.hpp"
#include "base/process/tcp_socket.hpp"

namespace kjoule {

/// What helps if a kjoule-nccl has ended.
inline constexpr const char* kNcclEndRemedy = "NCCL_DEBUG=WARN lets NCCL print the reason";

/// How a rank ended, and what helps.
struct RankEnd {
  std::string how, remedy;
};

/// The connection of kjoule to the kjoule-nccl of one rank, which may run on another machine.
class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual int socket() const = 0;
  /// Ends the rank's work without an error.
  virtual void finish() {}

  int gpu() const { return gpu_; }
  /// Returns the name of the rank's machine; empty if all ranks are processes of this kjoule.
  const std::string& machine() const { return machine_; }
  /// Returns the rank in messages: "rank 3 (GPU 1 of NAME)".
  const std::string& name() const { return name_; }
  /// Waits for a reply, and returns its result. Throws Error with the rank's name if the reply is an error,
  /// or if the rank has ended before it could do `doing`.
  nlohmann::json receive_result(const std::string& doing);

 protected:
  RankLink(int rank, int gpu, std::string machine);
  /// Returns how the rank ended, after its socket was closed.
  virtual RankEnd end() = 0;

 private:
  int gpu_;
  std::string machine_, name_;
};

/// A kjoule-nccl that is a child of this process.
class ChildRank final : public RankLink {
 public:
  /// Starts the process. Throws Error if this is not possible.
  ChildRank(int rank, int ranks, int gpu, std::string machine = {});
  int socket() const override { return process_.socket(); }
  /// Returns how the process ended, and the last line of its output.
  RankEnd end() override;

 private:
  ChildProcess process_;
};

/// A kjoule-nccl of another kjoule, which forwards the messages of a TCP connection.
class RemoteRank final : public RankLink {
 public:
  RemoteRank(TcpSocket socket, int rank, int gpu, std::string machine)
      : RankLink(rank, gpu, std::move(machine)), socket_(std::move(socket)) {}
  int socket() const override { return socket_.descriptor(); }
  void finish() override;

 private:
  RankEnd end() override {
    return {"the connection to it was lost", "see what this rank printed; check its machine and the network"};
  }

  TcpSocket socket_;
};

}  // namespace kjoule
