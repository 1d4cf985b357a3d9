#include "device/injected_program.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/process/descendants.hpp"
#include "base/process/process.hpp"
#include "device/protocol.hpp"

namespace kjoule {

namespace {

constexpr const char* kLibrary = "libkjoule_inject.so";
constexpr const char* kInjectionPath = "CUDA_INJECTION64_PATH";
constexpr const char* kRangesPath = "NVTX_INJECTION64_PATH";
constexpr auto kQuitPatience = std::chrono::milliseconds(2000);
/// Longest wait for the program's end after its connection was closed.
constexpr auto kEndPatience = std::chrono::milliseconds(5000);
/// Longest wait for the end of the program that started the measured process, after that process has ended.
constexpr auto kParentPatience = std::chrono::milliseconds(1000);

constexpr int kLookAgain_ms = 50;
constexpr int kFirstRankPatience_ms = 10'000;

DeviceInfo info_in(const nlohmann::json& answer) {
  if (answer.contains("error")) throw_from_message(answer.at("error"));
  return read_fields<DeviceInfo>(answer.at("result"), "the program's reply");
}

/// The link to a rank other than the one with which InjectedProgram is linked.
class RankLink final : public Link {
 public:
  RankLink(InjectedProgram& program, const AnsweringProcess& answering)
      : program_(program),
        process_(answering.process, program.name()),
        rank_(rank_name(info_in(answering.answer).rank, process_.pid())) {}
  MeasuredProcess& process() { return process_; }
  int socket() const override { return process_.socket(); }
  bool await_message(const std::string& operation) override {
    return process_.await_message(operation, [this](const std::vector<int>& descriptors, int milliseconds) {
      program_.await(descriptors, milliseconds);
    });
  }
  std::string how_it_ended() override {
    const bool gone = process_.has_ended(kEndPatience);
    return fmt::format("{} of {} {}", rank_, program_.name(),
                       gone ? "ended" : "closed its connection to kjoule but did not end");
  }
  std::string remedy_of_early_end() const override { return "check that it runs without kjoule"; }

 private:
  InjectedProgram& program_;
  MeasuredProcess process_;
  std::string rank_;
};

}  // namespace

std::string find_injected_library() {
  for (const char* name : {kInjectionPath, kRangesPath})
    if (const char* other = std::getenv(name);
        other != nullptr && *other != '\0' && std::filesystem::path(other).filename() != kLibrary)
      throw Error(fmt::format("another tool is loaded into CUDA programs by the environment variable {}={}",
                              name, other),
                  fmt::format("unset {}, or run kjoule outside of that tool", name));
  const std::filesystem::path folder = executable_folder();
  for (const auto& path : {folder / kLibrary, folder.parent_path() / "lib" / kLibrary})
    if (std::filesystem::exists(path)) return path;
  throw Error("kjoule was built without CUDA",
              fmt::format("the file {} is missing next to it: install the CUDA toolkit and build kjoule "
                          "again; kjoule doctor reports what is missing",
                          kLibrary));
}

Environment environment_without_multicast() {
  return {
      {"NCCL_NVLS_ENABLE", "0"}, {"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"}, {"NVSHMEM_DISABLE_NVLS", "1"}};
}

Environment environment_with_library(const std::string& library) {
  return {{kInjectionPath, library}, {kRangesPath, library}};
}

InjectedProgram::InjectedProgram(std::vector<std::string> command, const std::string& library,
                                 InjectionOptions options, ProgramStreams streams, Environment more)
    : board_(options.may_have_ranks() ? std::make_unique<SharedRankBoard>() : nullptr),
      rendezvous_(std::make_unique<Rendezvous>(board_ != nullptr)),
      rank_(options.rank) {
  options.socket = rendezvous_->name();
  if (board_) options.rank_board = board_->path();
  Environment environment = options.to_environment();
  environment.merge(environment_with_library(library));
  environment.merge(environment_without_multicast());
  environment.merge(more);
  program_ = std::make_unique<Program>(std::move(command), environment, streams);
  wait_for_measured_process();
  info_ = info_in(rendezvous_->measured()->answer);
  measured_.emplace(rendezvous_->measured()->process, name());
  if (board_ && info_.rank.board) (*board_)->lead(*info_.rank.board);
}

InjectedProgram::~InjectedProgram() {
  if (!rendezvous_) return;
  // The other processes are ended first: a shell script would continue with its next command when the
  // measured process ends.
  signal_descendants(SIGTERM, measured_->pid());
  try {
    send_message(socket(), {{"op", "quit"}});
  } catch (const Error&) {  // the process has ended by itself
  }
  program_->end(kQuitPatience);
}

void InjectedProgram::wait_for_measured_process() {
  while (rendezvous_->measured() == nullptr) {
    const auto end = program_->how_it_ended(std::chrono::milliseconds(0));
    if (!end) {
      // Rank 0 connects soon after the other ranks, if it uses a GPU at all.
      const bool others_wait = !rendezvous_->accepted().empty();
      if (!rendezvous_->await({program_->end_event()}, others_wait ? kFirstRankPatience_ms : -1))
        rendezvous_->measure_first();
      continue;
    }
    // A shell script may end before processes that it started in the background.
    const bool all_ended = running_descendants().empty();
    while (rendezvous_->measured() == nullptr && rendezvous_->await({}, 0)) {
    }
    if (rendezvous_->measure_first()) return;
    if (all_ended || !rendezvous_->has_waiting()) throw_ended_before(*end);
    rendezvous_->await({}, kLookAgain_ms);
  }
}

void InjectedProgram::throw_ended_before(const std::string& end) const {
  if (!rendezvous_->last_report().empty())
    throw EndedError(fmt::format("{} ended ({}) before an iteration was found: {}", name(), end,
                                 rendezvous_->last_report()),
                     "choose the iteration with --range NAME or --iterations A..B, or list the whole run "
                     "with kjoule kernels -- PROGRAM",
                     program_->exit_code());
  const std::string who = rank_ ? fmt::format("its rank {}", *rank_) : "it";
  if (rendezvous_->gone() > 0)
    throw Error(fmt::format("{} ended ({}) before {} ran anything on a GPU", name(), end, who),
                fmt::format("{} of its processes initialised CUDA, but launched no work: check the program's "
                            "options for the GPU",
                            rendezvous_->gone()));
  throw Error(fmt::format("{} ended ({}) before {} used CUDA", name(), end, who),
              "check that the program uses the GPU without kjoule, and that it passes its environment "
              "variables on to the programs that it starts");
}

bool InjectedProgram::await_message(const std::string& operation) {
  return measured_->await_message(operation, [this](const std::vector<int>& descriptors, int milliseconds) {
    rendezvous_->await(descriptors, milliseconds);
  });
}

void InjectedProgram::wait_for_exit() {
  while (!measured_->has_ended(std::chrono::milliseconds(0)))
    rendezvous_->await({measured_->end_event()}, -1);
}

std::string InjectedProgram::how_it_ended() {
  const pid_t process = measured_->pid();
  if (process == program_->pid()) {
    if (const auto end = program_->how_it_ended(kEndPatience))
      return fmt::format("{} ended ({})", name(), *end);
    return fmt::format("{} closed its connection to kjoule but did not end", name());
  }
  const bool gone = measured_->has_ended(kEndPatience);
  const auto end = program_->how_it_ended(kParentPatience);
  return fmt::format("process {} of {} {}{}", process, name(),
                     gone ? "ended" : "closed its connection to kjoule but did not end",
                     end ? fmt::format(", which ended ({})", *end) : "");
}

const std::vector<LinkedRank>& InjectedProgram::other_ranks() {
  const auto& accepted = rendezvous_->accepted();
  size_t known = 0;
  for (const AnsweringProcess& answering : accepted) {
    if (&answering == rendezvous_->measured() || ++known <= others_.size()) continue;
    const auto link = std::make_shared<RankLink>(*this, answering);
    others_.push_back({link, &link->process(), info_in(answering.answer)});
  }
  return others_;
}

void InjectedProgram::part() {
  if (!others_.empty()) (*board_)->give_up();
}

int InjectedProgram::run_to_end() {
  rendezvous_.reset();
  return program_->run_to_end();
}

std::optional<int> InjectedProgram::run_for(std::chrono::milliseconds patience) {
  rendezvous_.reset();
  if (!program_->how_it_ended(patience)) return {};
  return program_->exit_code();
}

}  // namespace kjoule
