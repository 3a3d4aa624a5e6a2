/* SPDX-License-Identifier: MIT */
/*
 * Error texts: each thread has the text of its last failure. Every file of the library that can
 * fail sets the text with xt_error() and returns the same error.
 */
#ifndef _XETILE_ERROR_H_
#define _XETILE_ERROR_H_

/* Set the text of the calling thread. Returns @err. */
int xt_error(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Say that @text is no @what, with a caret under @at, which points into it. @name says whose it is,
 * like the name of a variable. Returns -EINVAL.
 */
int xt_error_at(const char *name, const char *text, const char *at, const char *what);
/* Put a text and ": " in front of the thread's text. Returns @err. */
int xt_error_add(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The meaning of an errno value that the driver returned. Never NULL. */
const char *xt_driver_error(int err);
/* The meaning of an errno value that a fence carries. Never NULL. */
const char *xt_fence_error(int err);

#endif
