// A thread pool: threads that sleep until there is work. We keep our own and do not use OpenMP's, for two reasons.
//
// The caller waits only for threads that have begun. A thread without a free core comes too late, which does no harm.
// OpenMP waits for each of its threads, and spins. With more processes than cores, small fits were then many times
// slower than on one thread (bench/notes/speed.md, "Threads").
//
// A fork, by parallel::mclapply() or future's "multicore", gets a thread pool of its own. GCC's OpenMP hangs there.
#pragma once

#include <functional>

namespace neargp {
namespace thread_pool {

// Runs work() on the calling thread and on up to `helpers` others, as they wake up. Returns once all threads that
// began have ended. work() must return when nothing is left to do, and must not throw. There are fewer helpers if the
// system cannot start more threads. There are none within work(), and none while another thread runs something here.
void run(int helpers, const std::function<void()>& work);

// Ends all threads. Must be called before the library with their code is unloaded. The next run() starts new ones.
void stop();

}  // namespace thread_pool
}  // namespace neargp
