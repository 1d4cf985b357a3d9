#pragma once
#include <gtest/gtest.h>

/// Expects that `text` contains `part`.
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
