#pragma once
#include <mutex>

// These macros state which mutex protects which data, in a form that clang checks at compile time
// (-Wthread-safety). GCC ignores them.
#ifdef __clang__
#define KJOULE_LOCKS(attribute) __attribute__((attribute))
#else
#define KJOULE_LOCKS(attribute)
#endif

/// After a member: the member may be used only while the mutex is locked.
#define KJOULE_GUARDED_BY(mutex) KJOULE_LOCKS(guarded_by(mutex))
/// After the parameters of a function or lambda: the caller must have locked the mutex.
#define KJOULE_REQUIRES(mutex) KJOULE_LOCKS(requires_capability(mutex))
/// After a function's parameters: the caller must not have locked the mutex, because the function locks it.
#define KJOULE_EXCLUDES(mutex) KJOULE_LOCKS(locks_excluded(mutex))
/// After a function's parameters: the function's body is not checked, for a reason that its comment states.
#define KJOULE_UNCHECKED_LOCKS KJOULE_LOCKS(no_thread_safety_analysis)

namespace kjoule {

/// A std::mutex that clang's check of locks recognises.
class KJOULE_LOCKS(capability("mutex")) Mutex {
 public:
  void lock() KJOULE_LOCKS(acquire_capability()) { mutex_.lock(); }
  void unlock() KJOULE_LOCKS(release_capability()) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Locks a mutex until the end of its scope. The mutex may be unlocked and locked again before that.
class KJOULE_LOCKS(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KJOULE_LOCKS(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() KJOULE_LOCKS(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() KJOULE_LOCKS(acquire_capability()) { lock_.lock(); }
  void unlock() KJOULE_LOCKS(release_capability()) { lock_.unlock(); }
  /// For condition variables only, which have locked the mutex whenever they call the condition:
  /// `changed_.wait(lock.to_wait(), [&]() KJOULE_REQUIRES(mutex_) { return is_over_; })`.
  std::unique_lock<std::mutex>& to_wait() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace kjoule
