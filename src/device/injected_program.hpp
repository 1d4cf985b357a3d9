#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/program.hpp"
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/link.hpp"
#include "device/measured_process.hpp"
#include "device/rank_board.hpp"
#include "device/ranked_program.hpp"
#include "device/rendezvous.hpp"

namespace kjoule {

/// Returns the path of the injected library, which is in the folder of this executable or in ../lib. Throws
/// Error if neither folder contains the library, or if the environment already injects another tool.
std::string find_injected_library();
/// Returns the environment variables that make the CUDA driver load the library into a program.
Environment environment_with_library(const std::string& library);
/// Returns the environment variables that turn off NVLink multicast in NCCL, PyTorch and NVSHMEM. kjoule
/// cannot restore the memory of multicast.
Environment environment_without_multicast();

/// A user's unmodified program, into which the CUDA driver loads the injected library, and the link to that
/// process of the program whose device is measured. The destructor ends the program and all processes that it
/// started, unless run_to_end() was called.
///
/// If kjoule itself searches for the iteration, the program's processes on other GPUs are also linked,
/// because the ranks of a program may have to be measured together.
class InjectedProgram final : public Link, public RankedProgram {
 public:
  /// Starts the program with the additional environment variables `more`, and waits until one of its
  /// processes uses the device. Sets `options.socket` and `options.rank_board` itself. Throws Error if the
  /// program ends first, or if the library answers the greeting with an error.
  InjectedProgram(std::vector<std::string> command, const std::string& library, InjectionOptions options,
                  ProgramStreams streams = {}, Environment more = {});
  ~InjectedProgram() override;

  /// Returns the program's name.
  const std::string& name() const { return program_->name(); }
  /// Returns the measured process's answer to the greeting.
  const DeviceInfo& info() const { return info_; }
  const std::vector<LinkedRank>& other_ranks() override;
  void link_no_more() override { rendezvous_->accept_no_more(); }
  RankBoard* board() const override { return board_ ? &**board_ : nullptr; }
  void await(const std::vector<int>& descriptors, int milliseconds) override {
    rendezvous_->await(descriptors, milliseconds);
  }
  void check_alone() const override {}
  /// Lets ranks that still wait for others end.
  void part() override;
  MeasuredProcess& process() { return *measured_; }
  int socket() const override { return measured_->socket(); }
  bool await_message(const std::string& operation) override;
  void wait_for_exit() override;
  std::string how_it_ended() override;
  std::optional<int> exit_code() override { return program_->exit_code(); }
  std::string remedy_of_early_end() const override { return "check that it runs without kjoule"; }

  /// Closes the connection to the program, waits until the program ends by itself, and returns its exit code
  /// (128 + signal if a signal ended it).
  int run_to_end();
  /// Closes the connection to the program, and waits at most `patience` until the program ends by itself.
  /// Returns its exit code; nothing if it still runs.
  std::optional<int> run_for(std::chrono::milliseconds patience);

 private:
  /// Waits until one process has answered the greeting. Throws Error if the program ends before.
  void wait_for_measured_process();
  [[noreturn]] void throw_ended_before(const std::string& end) const;

  std::unique_ptr<SharedRankBoard> board_;
  std::unique_ptr<Rendezvous> rendezvous_;  ///< null once run_to_end() was called
  std::unique_ptr<Program> program_;
  std::optional<int> rank_;
  std::optional<MeasuredProcess> measured_;
  DeviceInfo info_;
  std::vector<LinkedRank> others_;
};

}  // namespace kjoule
