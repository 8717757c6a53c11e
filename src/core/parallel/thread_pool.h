// A thread pool: threads that sleep until there is work. We keep our own and do not use OpenMP's, because
//  * whoever gives the work waits only for those that have begun. A thread that the machine has no core for at the
//  moment comes too
//    late, and nobody minds; OpenMP waits for each of its threads, and spins, so that with more processes than cores
//    small fits were many times slower than on one thread (bench/notes/speed.md, "Threads");
//  * a fork (parallel::mclapply(), future's "multicore") gets a thread pool of its own. GCC's OpenMP hangs there.
#pragma once

#include <functional>

namespace neargp {
namespace thread_pool {

// Runs work() on the calling thread and, as they get there, on up to `helpers` others, and returns once all that began
// have ended: work() is to return when nothing is left to do. It must not throw. Where the system has no more threads
// to give, there are fewer; within work(), and while another thread runs something here, there are none.
void run(int helpers, const std::function<void()>& work);

// Ends all threads, before the library that holds their code is unloaded. The next run() starts new ones.
void stop();

}  // namespace thread_pool
}  // namespace neargp
