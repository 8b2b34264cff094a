/* hiptune for C, and for every language that calls C: opens a device, binds kernels, and launches them with the
 * configurations that the caches hold. C99; the C++ interface is hiptune.hpp.
 *
 * Returns. Functions return a hiptune_status unless they say otherwise; nothing is thrown, and a pointer argument that
 * is NULL where it may not be is HIPTUNE_FAILED. hiptune_last_error() has the words.
 * Ownership. What hiptune_open and hiptune_bind hand out is the caller's, to be released once. Text that is returned
 * belongs to hiptune. Strings that are passed are UTF-8, end with NUL, and need not outlive the call.
 * Threads. All functions may be called from many threads at once, also on the same dispatcher or kernel; only
 * hiptune_close and hiptune_release need that nobody uses what they release.
 * Compatibility. The two handles are opaque, functions and codes are only ever added, and HIPTUNE_ABI_VERSION changes
 * where that cannot be kept. */
#ifndef HIPTUNE_HIPTUNE_H
#define HIPTUNE_HIPTUNE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HIPTUNE_ABI_VERSION 1
/* What the library that is loaded has; compare it with HIPTUNE_ABI_VERSION, which the program was compiled with. */
int hiptune_abi_version(void);
/* "0.1.0": of the library that is loaded. */
const char* hiptune_version(void);

/* As hiptune::Status, and HIPTUNE_FAILED for what C++ throws. hiptune::Status may grow and leaves that one alone. */
typedef enum hiptune_status {
  HIPTUNE_SUCCESS = 0,
  HIPTUNE_INVALID_DIMENSION = 1,  /* negative, below its minimum, or above its maximum */
  HIPTUNE_INVALID_STRIDE = 2,     /* shorter than a row; in place: not the same for both buffers */
  HIPTUNE_INVALID_SCALAR = 3,     /* outside the range that the kernel's space declares, NaN included */
  HIPTUNE_NULL_POINTER = 4,       /* a buffer is null though the problem is not empty */
  HIPTUNE_UNEXPECTED_POINTER = 5, /* a buffer is not null though a trait of hiptune_bind says that there is none */
  HIPTUNE_MISALIGNED_POINTER = 6, /* a buffer does not begin at a multiple of its element's size */
  HIPTUNE_NOT_READY = 7,          /* no plan for these dimensions yet, and no fallback; see hiptune_prepare */
  HIPTUNE_LAUNCH_FAILED = 8,      /* the device refused */
  HIPTUNE_KERNEL_FAULT = 9,       /* the kernel broke a rule that the device checks */
  HIPTUNE_FAILED = 255 /* everything else: a device, kernel, type or trait that is not there, no memory, … */
} hiptune_status;

/* A sentence for any code, unknown ones included. Never NULL. */
const char* hiptune_status_text(int status);
/* What was wrong with the calling thread's last call that did not succeed: "rmsnorm: cols is 0, and must be from 1 to
 * 16777216". Never NULL; valid until the thread's next call that does not succeed. */
const char* hiptune_last_error(void);

typedef struct hiptune_dispatcher hiptune_dispatcher;
typedef struct hiptune_kernel hiptune_kernel;

/* Opens a device. `device`: "host", "host:wave64", "amd:0", "nvidia", …; NULL or "auto": the best there is.
 * `cache`: the folder that `hiptune tune` wrote, laid over the shipped one; NULL: as HIPTUNE_CACHE says, else
 * ~/.cache/hiptune; "": the shipped one alone. `kernel_path`: folders of kernels of the caller's own, separated by ':',
 * searched before the shipped ones; NULL: none. What the environment says besides (HIPTUNE_KERNEL_PATH, HIPTUNE_CXX,
 * TMPDIR) counts, too.
 * On success *dispatcher is to be released with hiptune_close; else it is NULL. */
int hiptune_open(const char* device, const char* cache, const char* kernel_path, hiptune_dispatcher** dispatcher);
/* The id of the device in use, "host"; valid until the dispatcher is closed. NULL for NULL. */
const char* hiptune_device(const hiptune_dispatcher* dispatcher);
/* NULL is allowed. Kernels bound by the dispatcher go on working until they are released themselves. */
void hiptune_close(hiptune_dispatcher* dispatcher);

/* A fact of a call that decides which configurations are valid: {"WEIGHT", "f32"}. */
typedef struct hiptune_trait {
  const char* name;
  const char* value;
} hiptune_trait;

/* Binds a kernel for elements of `dtype` ("f32", …), and reads the caches and compiles or loads the fallback: that
 * takes a while. `traits`: the `trait_count` ones that a caller gives, the others have their defaults or are found from
 * each call; NULL where trait_count is 0. On success *kernel is to be released with hiptune_release; else it is NULL.
 */
int hiptune_bind(const hiptune_dispatcher* dispatcher, const char* name, const char* dtype, const hiptune_trait* traits,
                 size_t trait_count, hiptune_kernel** kernel);
/* NULL is allowed. Releases the kernel's workspaces and code, which launches still queued may use: wait for those. */
void hiptune_release(hiptune_kernel* kernel);

/* How many arguments the kernel takes; 0 for NULL. */
size_t hiptune_argument_count(const hiptune_kernel* kernel);
/* The argument's name in the kernel's space: "x", "rows". Valid until the kernel is released; NULL beyond the last. */
const char* hiptune_argument_name(const hiptune_kernel* kernel, size_t index);

/* The arguments of a call: arguments[i] is the address of the i-th value, in the space's order and type. A buffer's
 * value is its pointer (device memory on a GPU, ordinary memory on the host device), dimensions and strides are
 * int64_t, strides count elements. Read before the function returns, never written. The array has
 * hiptune_argument_count entries. */

/* Launches the best configuration known on a stream of the device, a hipStream_t or cudaStream_t; NULL: the default
 * stream. Does not wait for the kernel. A batch dimension of 0 is success and launches nothing.
 * Takes no lock, allocates nothing, compiles nothing, and may be captured into a graph; a configuration with workspaces
 * allocates them at the first call of a thread and stream, and at one that needs larger ones. For dimensions never seen
 * before the fallback serves, until something better is built in the background; hiptune_prepare builds it at once. */
int hiptune_launch(const hiptune_kernel* kernel, void* stream, void* const* arguments);
/* Builds what calls with these dimensions and alignments need, now. Launches nothing and reads no buffer. */
int hiptune_prepare(const hiptune_kernel* kernel, void* const* arguments);
/* Releases the workspaces that calls on the stream made, when its work has ended and nobody calls on it. */
int hiptune_forget(const hiptune_kernel* kernel, void* stream);

/* Which configuration such a call uses, and why; prepares it. Four lines, each ended with '\n': "exact", "nearest" or
 * "fallback"; the configuration (empty where nothing is launched); the problem that it was tuned for (empty for the
 * fallback); the reason, a sentence. As snprintf: at most `size` bytes with the NUL are written to `text`, which may be
 * NULL where size is 0; *length gets the whole text's bytes without the NUL, and may be NULL. */
int hiptune_explain(const hiptune_kernel* kernel, void* const* arguments, char* text, size_t size, size_t* length);

#ifdef __cplusplus
}
#endif

#endif
