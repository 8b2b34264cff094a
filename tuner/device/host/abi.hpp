#pragma once

// The section of the device layer that compiled kernels and this runtime share, and nothing else of it.
#define HIPTUNE_HOST_RUNTIME
#include "hiptune_device.h"
#undef HIPTUNE_HOST_RUNTIME
