// SPDX-License-Identifier: MIT
#include "fake.h"
#include "test.h"
int main(void) { return test_end(); }
