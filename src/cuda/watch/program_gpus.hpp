#pragma once
#include <cupti.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/process/mutex.hpp"
#include "cuda/session/accompanying_session.hpp"
#include "cuda/session/rank_position.hpp"
#include "device/rank_board.hpp"

namespace kjoule::cuda {

class ProgramMonitor;

/// A further GPU on which a process works, with a monitor and a position among the ranks of its own.
struct FurtherGpu {
  FurtherGpu(int number, const std::string& board);
  ~FurtherGpu();

  int number;  ///< device number in the process
  SharedRankBoard board;
  RankPosition position;
  std::unique_ptr<ProgramMonitor> monitor;
  bool is_served = false;  ///< whether it is known to kjoule
};

/// The GPUs on which one process of the program works. The first one leads: when its iteration begins, all
/// further GPUs that work in this loop begin to record, each from its own place in its own loop. Each GPU has
/// a ProgramMonitor, and is a rank on the board. All driver calls arrive at one subscription of CUPTI, whose
/// callbacks this class passes to the monitor of the GPU whose context is current.
class ProgramGpus {
 public:
  struct Actions {
    /// Returns the session that searches for the loop of a further GPU.
    std::function<std::unique_ptr<Session>()> make_session;
    /// Connects a further GPU to kjoule; called once for each, when it begins to record.
    std::function<void(FurtherGpu&)> serve;
  };
  /// `first` is the monitor of the first GPU. `board` is the path of the RankBoard.
  ProgramGpus(ProgramMonitor& first, std::string board, Actions actions);
  ~ProgramGpus();

  /// Passes a callback to the monitors. Returns false if the process has a single GPU: then only the first
  /// monitor needs the callback.
  bool pass(CUpti_CallbackId id, const CUpti_CallbackData& call);
  /// Returns whether the process works on several GPUs.
  bool are_several() const { return count_ > 1; }
  /// Registers machine code that the driver has loaded, for the further GPUs.
  void add_module(const void* cubin, size_t bytes);

  /// What happens when an iteration of the first GPU may be recorded.
  struct Beginning {
    enum class Kind {
      later,     ///< it passes, because a further GPU is not ready
      alone,     ///< it is recorded, and no further GPU works in this loop
      together,  ///< it is recorded with those of further GPUs
      refused,   ///< it is recorded, but cannot be replayed because of `why`
    } kind = Kind::alone;
    std::string why;  ///< completes "the iteration cannot be replayed: it ..."
  };
  /// Decides whether the iteration that begins with the next launch of the first GPU is recorded. `place` is
  /// that of the first GPU. With `may_wait`, a later iteration may be recorded instead. With `is_shared`,
  /// other processes of the program record their iteration at the same time.
  Beginning begin(const RankPlace& place, bool may_wait, bool is_shared);
  /// Registers that the first GPU has reached the end of its iteration.
  void end();
  /// Returns why the recorded launches of `monitor` depend on another GPU other than by collectives; nothing
  /// if they do not. All GPUs must have recorded.
  std::optional<std::string> dependence_of(const ProgramMonitor& monitor);
  /// Returns the device number of the GPU of `monitor`.
  int number_of(const ProgramMonitor& monitor);
  /// Returns whether the monitors of all further GPUs have released the program.
  bool are_released();

 private:
  /// Returns the device number of a context, which is current; nothing if it is not known.
  std::optional<int> gpu_of(CUcontext context);
  /// Returns the monitor of a GPU, which is created if the GPU is new.
  ProgramMonitor& monitor_of(int gpu);
  std::vector<FurtherGpu*> further();
  /// Makes a GPU the first one if the first one has launched nothing yet.
  void lead(int gpu);
  void begin_together(const std::vector<FurtherGpu*>& gpus, const RankPlace& place, uint64_t collectives);

  ProgramMonitor& first_;
  std::string board_;
  Actions actions_;
  std::atomic<int> visible_ = 0;  ///< number of GPUs that the process sees; 0: not known yet
  std::atomic<int> first_number_ = -1;
  std::atomic<int> count_ = 1;
  std::atomic<bool> first_has_ended_ = false;
  Mutex mutex_;
  std::unordered_map<CUcontext, int> gpus_ KJOULE_GUARDED_BY(mutex_);
  std::deque<FurtherGpu> further_ KJOULE_GUARDED_BY(mutex_);  ///< addresses stay valid
  struct BegunIteration {
    RankPlace place;
    int64_t time_ns;
  };
  std::optional<BegunIteration> last_begin_;  ///< the first GPU's last iteration
  std::optional<std::chrono::steady_clock::time_point> waits_since_;
};

}  // namespace kjoule::cuda
