/* SPDX-License-Identifier: MIT */
/* DOC: the runner's verbs; each takes the words behind it and returns the exit status. */
#ifndef RUNNER_VERBS_H
#define RUNNER_VERBS_H

int verb_suite(int argc, char **argv);
int verb_together(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_todo(int argc, char **argv);
int verb_plan(int argc, char **argv);
int verb_judge(int argc, char **argv);
int verb_unused(int argc, char **argv);
int verb_complaints(int argc, char **argv);

#endif
