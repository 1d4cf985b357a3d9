#pragma once
#include "hooks.hpp"

namespace stand_in {

/// Keeps the activity for the next flush, if activities of its kind are enabled.
void keep_activity(const Activity& activity);

}  // namespace stand_in
