// SPDX-License-Identifier: MIT
#include "card.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ask(const char *path, struct text *to)
{
	struct pollfd fd = { .fd = open(path, O_RDWR | O_CLOEXEC), .events = POLLIN };
	double end = now() + 10;
	char s[65536];

	if (fd.fd < 0)
		return;
	if (write(fd.fd, "counters\n", 9) == 9) {
		while (now() < end && poll(&fd, 1, 1000) >= 0) {
			ssize_t n = fd.revents ? read(fd.fd, s, sizeof(s)) : 0;

			if (n < 0 || (!n && fd.revents))
				break;
			text_add(to, s, n);
			if (n && memchr(s, '\n', n))
				break;
		}
	}
	close(fd.fd);
	if (to->len && to->s[to->len - 1] != '\n')
		text_add(to, "\n", 1);
}

void cards_ask(struct cards *c)
{
	glob_t g;

	text_clear(&c->answers);
	if (glob(c->ports, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		ask(g.gl_pathv[i], &c->answers);
	globfree(&g);
}

bool cards_any(const struct cards *c, const char *state)
{
	char *wanted = format("\"state\":\"%s\"", state);
	bool any = strstr(text_get(&c->answers), wanted);

	free(wanted);
	return any;
}

void cards_moves(const struct cards *c, struct text *to)
{
	static const char * const names[] = {
		"\"elsq_loads\":", "\"context_switches\":", "\"preemptions\":"
	};

	text_add(to, "", 0);
	for (unsigned int i = 0; i < 3; i++) {
		const char *s = text_get(&c->answers);

		while ((s = strstr(s, names[i]))) {
			s += strlen(names[i]);
			text_addf(to, "%.*s ", (int)strspn(s, "0123456789"), s);
		}
	}
}

/* Returns the value of "NAME":VALUE or "NAME":"VALUE" in the object @s, and its length, @len. */
static const char *value(const char *s, const char *name, int *len)
{
	char *key = format("\"%s\":", name);
	const char *at = strstr(s, key);

	at = at ? at + strlen(key) : "";
	free(key);
	if (*at == '"')
		at++;
	*len = strcspn(at, "\",}");
	return at;
}

/*
 * Calls @engine for each engine of the answers. An engine's object begins with a brace, as its
 * tile's does, and no other object of an answer has a name.
 */
static void each_engine(const struct cards *c, struct text *to,
			void (*engine)(const char *where, const char *s, struct text *to))
{
	char *all = copy(text_get(&c->answers)), *lines = all, *line, *object;
	unsigned int card = 0;

	while ((line = strsep(&lines, "\n")) && *line) {
		unsigned int tile = 0;

		while ((object = strsep(&line, "{"))) {
			char *where;
			int len;
			const char *name;

			sscanf(object, "\"tile\":%u", &tile);
			if (strncmp(object, "\"name\":", 7))
				continue;
			name = value(object, "name", &len);
			where = format("card %u tile %u %.*s", card, tile, len, name);
			engine(where, object, to);
			free(where);
		}
		card++;
	}
	free(all);
}

static void restless(const char *where, const char *s, struct text *to)
{
	int state_len, commands_len;
	const char *state = value(s, "state", &state_len);
	const char *commands = value(s, "commands", &commands_len);

	if (!strncmp(state, "active\"", 7) || !strncmp(state, "stopped\"", 8))
		text_addf(to, "%s: %.*s, commands run: %.*s\n", where, state_len, state,
			  commands_len, commands);
}

void cards_restless(const struct cards *c, struct text *to)
{
	each_engine(c, to, restless);
}

static void preempted(const char *where, const char *s, struct text *to)
{
	int len;
	const char *number = value(s, "preemptions", &len);

	if (*number >= '1' && *number <= '9')
		text_addf(to, "%s: contexts preempted: %.*s\n", where, len, number);
}

void cards_preempted(const struct cards *c, struct text *to)
{
	each_engine(c, to, preempted);
}
