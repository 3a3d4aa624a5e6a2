/* SPDX-License-Identifier: MIT */
/*
 * Values as short texts, for tables. Pure. All functions end what they write with a 0.
 */
#ifndef _XETILECTL_TEXT_H_
#define _XETILECTL_TEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <xetile.h>

/* What another user chose, without a byte that a terminal could obey: '?' stands for each. */
void text_clean(char *out, size_t size, const char *text);
/* "0", "64 B", "512 KiB", "6.5 GiB": 8 characters at most */
void text_bytes(char *out, size_t size, uint64_t bytes);
/* "3.1%", "100%", "-" for LOAD_UNKNOWN: 5 characters at most */
void text_share(char *out, size_t size, double share);
/* "0.123", "12.3", "4:05", "7:00:12": a time as people write it; 9 characters for ten years */
void text_seconds(char *out, size_t size, double seconds);
/* Nanoseconds in us, ms or s: 4 or more digits of "12.34 us" */
void text_ns(char *out, size_t size, uint64_t ns);
/*
 * "000111": of each of @width equal parts of a buffer, the tile that holds its middle; "s" is
 * system memory. Of a short buffer each page is shown once.
 */
void text_runs(char *out, size_t size, const struct xetile_run *runs, unsigned int num,
	       unsigned int width);
/* "0-3", "1,3", "-" */
void text_mask(char *out, size_t size, uint32_t mask);

#endif
