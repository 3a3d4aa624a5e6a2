/* SPDX-License-Identifier: MIT */
/* Open files that one process gives another by a socket */
#ifndef XETILE_FILES_H
#define XETILE_FILES_H

/* Sends a number, and @file with it unless it is negative. The sender's file stays open. */
void files_send(int socket, int number, int file);
/* Waits for a number. Returns the file that came with it, or -1. */
int files_receive(int socket, int *number);

#endif
