/* SPDX-License-Identifier: MIT */
/*
 * Included before every file of the peer driver: its display part shares
 * sources with another driver and is of no use on a card without outputs.
 */
#undef CONFIG_DRM_XE_DISPLAY
#undef CONFIG_DRM_XE_KUNIT_TEST
#undef CONFIG_DRM_XE_KUNIT_TEST_MODULE
