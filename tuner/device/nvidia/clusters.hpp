#pragma once

namespace hiptune::nvidia {

// The most blocks of a cluster that every GPU with clusters has; more must be asked for, kernel by kernel.
inline constexpr int kPortableCluster = 8;

// `capability` is 90 of sm_90. CUDA C++ Programming Guide 13.0, "Thread Block Clusters": a cluster has up to 8 blocks,
// and on the large GPUs of compute capability 9.0 and 10.x up to 16 where a kernel allows it.
constexpr int max_cluster(int capability) {
  if (capability < 90) return 1;
  return capability == 90 || capability == 100 || capability == 103 ? 2 * kPortableCluster : kPortableCluster;
}

}  // namespace hiptune::nvidia
