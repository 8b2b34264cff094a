#pragma once

// Everything an application includes.
#include "hiptune/dispatcher.hpp"
#include "hiptune/error.hpp"
#include "hiptune/options.hpp"
