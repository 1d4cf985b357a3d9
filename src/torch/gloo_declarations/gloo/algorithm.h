// ProcessGroupGloo.hpp includes this header of gloo, but uses nothing of it.
#pragma once
