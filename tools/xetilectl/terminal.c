// SPDX-License-Identifier: MIT
/*
 * Signals are read from a file, beside the keys, so nothing is done in a handler. What is written
 * are the few sequences that every terminal of today knows (ECMA-48, and xterm's second screen).
 */
#include "terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* The second screen, without a cursor; and back */
#define ENTER	"\033[?1049h\033[?25l\033[2J"
#define LEAVE	"\033[?25h\033[?1049l"

static struct termios saved;
static int signals = -1;
static sigset_t masked;
static int ended_by;

static void say(const char *text, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(STDOUT_FILENO, text, size);
		if (n < 0 && errno != EINTR)
			return;
		if (n < 0)
			continue;
		text += n;
		size -= n;
	}
}

bool terminal_is_live(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

bool terminal_has_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb");
}

void terminal_size(unsigned int *width, unsigned int *height)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = { 0 };

	*width = columns ? strtoul(columns, NULL, 10) : 0;
	if (*width < 20 || *width > 1000)
		*width = 80;
	*height = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	if (size.ws_col)
		*width = size.ws_col;
	if (size.ws_row)
		*height = size.ws_row;
}

static void enter(void)
{
	struct termios raw = saved;

	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	say(ENTER, sizeof(ENTER) - 1);
}

static void leave(void)
{
	say(LEAVE, sizeof(LEAVE) - 1);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
}

int terminal_open(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;
	size_t i;

	if (tcgetattr(STDIN_FILENO, &saved))
		return -1;
	sigemptyset(&set);
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&set, caught[i]);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return -1;
	sigprocmask(SIG_BLOCK, &set, &masked);
	ended_by = 0;
	enter();
	return 0;
}

void terminal_close(void)
{
	leave();
	close(signals);
	signals = -1;
	if (ended_by) {
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	sigprocmask(SIG_SETMASK, &masked, NULL);
}

/*
 * The shell has the terminal as it was while the program is stopped. SIGCONT, which waits to be
 * read then, enters again. Where no shell could continue the program the kernel does not stop it,
 * so it enters at once. Returns whether it was stopped.
 */
static bool stop(void)
{
	sigset_t set;

	leave();
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigpending(&set);
	if (sigismember(&set, SIGCONT))
		return true;
	enter();
	return false;
}

static enum terminal_event read_signal(void)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return TERMINAL_TIMEOUT;
	switch (info.ssi_signo) {
	case SIGTSTP:
		return stop() ? read_signal() : TERMINAL_REDRAW;
	case SIGCONT:
		enter();
		return TERMINAL_REDRAW;
	case SIGWINCH:
		say("\033[2J", 4);
		return TERMINAL_REDRAW;
	default:
		ended_by = info.ssi_signo;
		return TERMINAL_END;
	}
}

/* What was read, and is not taken yet */
static char bytes[64];
static size_t num_bytes;

/*
 * How long the first key in @bytes is if we do not know it. What terminals send for a key must not
 * be taken apart: its bytes would be other keys.
 */
static size_t unknown_size(void)
{
	size_t size = 2;

	if (num_bytes < 2 || bytes[0] != '\033' || (bytes[1] != '[' && bytes[1] != 'O'))
		return 1;
	/* Parameters, and what ends them */
	while (bytes[1] == '[' && size < num_bytes && bytes[size] >= ' ' && bytes[size] < '@')
		size++;
	if (size < num_bytes && bytes[size] >= '@' && bytes[size] <= '~')
		size++;
	return size;
}

/* Takes the first key off @bytes: a character, or what terminals send for keys, in their two modes. */
static int take_key(void)
{
	static const struct {
		const char *bytes;
		int key;
	} keys[] = {
		{ "\033[A", TERMINAL_UP }, { "\033OA", TERMINAL_UP },
		{ "\033[B", TERMINAL_DOWN }, { "\033OB", TERMINAL_DOWN },
		{ "\033[C", TERMINAL_RIGHT }, { "\033OC", TERMINAL_RIGHT },
		{ "\033[D", TERMINAL_LEFT }, { "\033OD", TERMINAL_LEFT },
		{ "\033[5~", TERMINAL_PAGE_UP }, { "\033[6~", TERMINAL_PAGE_DOWN },
		{ "\033[H", TERMINAL_HOME }, { "\033OH", TERMINAL_HOME }, { "\033[1~", TERMINAL_HOME },
	};
	int key = (unsigned char)bytes[0];
	size_t i, size = unknown_size();

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t length = strlen(keys[i].bytes);

		if (length > num_bytes || memcmp(bytes, keys[i].bytes, length))
			continue;
		key = keys[i].key;
		size = length;
	}
	num_bytes -= size;
	memmove(bytes, bytes + size, num_bytes);
	return key;
}

enum terminal_event terminal_wait(int ms, int *key)
{
	struct pollfd files[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};
	ssize_t n;

	if (poll(files, 2, num_bytes ? 0 : ms) < 0)
		return TERMINAL_TIMEOUT;
	if (files[0].revents)
		return read_signal();
	if (!num_bytes && files[1].revents) {
		n = read(STDIN_FILENO, bytes, sizeof(bytes));
		if (n <= 0)
			return TERMINAL_END;
		num_bytes = n;
	}
	if (!num_bytes)
		return TERMINAL_TIMEOUT;
	*key = take_key();
	return TERMINAL_KEY;
}

void terminal_show(const char *text, size_t size, unsigned int height)
{
	char *out = NULL;
	size_t room = 0, length;
	FILE *stream = open_memstream(&out, &room);

	if (!stream)
		return;
	/* A line is erased before it is written: the cursor waits in the last column behind a full one. */
	fputs("\033[H", stream);
	for (; size && height; height--) {
		length = memchr(text, '\n', size) ? (size_t)((char *)memchr(text, '\n', size) - text) :
						    size;
		fprintf(stream, "\033[K%.*s%s", (int)length, text, height > 1 ? "\r\n" : "");
		text += length + (length < size);
		size -= length + (length < size);
	}
	/* Behind a full screen the cursor is still on the last character. */
	if (height)
		fputs("\033[J", stream);
	if (!fclose(stream))
		say(out, room);
	free(out);
}
