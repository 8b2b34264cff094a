#ifndef HIPTUNE_TESTS_C_CALLER_H
#define HIPTUNE_TESTS_C_CALLER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Binds two_step of the folder `kernels`, launches it, and checks the result. NULL: all is well; else what is not. */
const char* c_caller_runs_two_step(const char* cache, const char* kernels, char* explanation, size_t size);

#ifdef __cplusplus
}
#endif

#endif
