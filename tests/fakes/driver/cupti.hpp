#pragma once
#include "hooks.hpp"

namespace stand_in {

/// Keeps the activity for the next flush, when its kind is wanted.
void keep_activity(const Activity& activity);

}  // namespace stand_in
