// SPDX-License-Identifier: MIT
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "klog.h"

static void add_section(struct batch *b, const char *subtest)
{
	b->sections = realloc(b->sections, (b->num_sections + 1) * sizeof(*b->sections));
	if (!b->sections)
		die("out of memory");
	b->sections[b->num_sections++] = (struct section) { subtest ? copy(subtest) : NULL };
}

static void kernel_line(void *ctx, unsigned int level, const char *line)
{
	struct batch *b = ctx;
	const char *subtest = klog_begins(line, b->test);

	if (subtest)
		add_section(b, subtest);
	if (level <= b->most_level)
		text_addf(&b->sections[b->num_sections - 1].text, "%s\n", line);
}

static void nobodys_line(void *ctx, unsigned int level, const char *line)
{
}

char *batch_kernel(const struct batch *b, const char *subtest)
{
	bool first = b->num_results && !strcmp(b->results[0].subtest, subtest);
	struct text t = { 0 };

	text_add(&t, "", 0);
	for (unsigned int i = 0; i < b->num_sections; i++) {
		const struct section *s = &b->sections[i];

		if (s->subtest ? !strcmp(s->subtest, subtest) : first)
			text_add(&t, text_get(&s->text), s->text.len);
	}
	return t.s;
}

static void settle(struct batch *b)
{
	klog_read(b->log, kernel_line, b);
	for (; b->num_settled < b->num_results; b->num_settled++) {
		const struct result *r = &b->results[b->num_settled];
		char *kernel = batch_kernel(b, r->subtest);

		if (b->ops->settled)
			b->ops->settled(b, r, kernel);
		free(kernel);
	}
}

static void on_line(void *ctx, const char *line)
{
	struct batch *b = ctx;

	text_add(&b->text, line, strlen(line));
	if (b->ops->line)
		b->ops->line(b, line);
}

static void on_ends(void *ctx, const char *subtest, enum outcome outcome, const char *seconds)
{
	struct batch *b = ctx;
	struct result *r;

	settle(b);
	b->results = realloc(b->results, (b->num_results + 1) * sizeof(*b->results));
	if (!b->results)
		die("out of memory");
	r = &b->results[b->num_results++];
	*r = (struct result) { copy(subtest), outcome, copy(seconds) };
	text_add(&r->text, text_get(&b->common), b->common.len);
	text_add(&r->text, text_get(&b->text), b->text.len);
	/* A fixture that skips all subtests gives its reason once, before the first of them. */
	if (!b->running || strcmp(b->running, subtest))
		text_add(&b->common, text_get(&b->text), b->text.len);
	text_clear(&b->text);
	free(b->running);
	b->running = NULL;
	b->start = now();
	if (b->ops->ends)
		b->ops->ends(b, r);
}

static void on_begins(void *ctx, const char *subtest)
{
	struct batch *b = ctx;
	char *text = copy(text_get(&b->text)), *head = text + strlen(text), *seconds;

	settle(b);
	/* Text before a subtest's first line belongs to the subtest before it, or to all. */
	while (head > text && (head[-1] != '\n' || !*head))
		head--;
	text_clear(&b->text);
	if (b->running) {
		text_add(&b->text, text, head - text);
		text_addf(&b->text, "%s: said no end\n", b->running);
		seconds = format("%.3f", now() - b->start);
		on_ends(b, b->running, FAIL, seconds);
		free(seconds);
	} else {
		text_add(&b->common, text, head - text);
	}
	text_add(&b->text, head, strlen(head));
	free(text);
	free(b->running);
	b->running = copy(subtest);
	b->start = now();
	if (b->ops->begins)
		b->ops->begins(b, subtest);
}

static void piece(void *ctx, const char *s, size_t n)
{
	struct batch *b = ctx;

	words_feed(&b->words, s, n);
}

static bool enough(void *ctx, bool heard)
{
	struct batch *b = ctx;

	/* At each look, because the kernel may say more in one subtest than its log holds. */
	klog_read(b->log, kernel_line, b);
	b->hangs = b->ops->enough ? b->ops->enough(b, heard) : NONE;
	if (!b->hangs && b->limit > 0 && now() - b->start >= b->limit)
		b->hangs = TIMEOUT;
	return b->hangs;
}

void batch_run(struct batch *b, const char *root, char *const argv[])
{
	static const struct words_ops words_ops = { on_line, on_begins, on_ends };

	add_section(b, NULL);
	b->words = (struct words) { .ops = &words_ops, .ctx = b };
	b->start = now();
	klog_read(b->log, nobodys_line, NULL);
	process_start(&b->process, root, argv);
	process_read(&b->process, b->look, piece, enough, b);
	words_close(&b->words);
	if (b->hangs && b->ops->given_up)
		b->ops->given_up(b);
	settle(b);
}

void batch_free(struct batch *b)
{
	for (unsigned int i = 0; i < b->num_results; i++) {
		free(b->results[i].subtest);
		free(b->results[i].seconds);
		text_free(&b->results[i].text);
	}
	for (unsigned int i = 0; i < b->num_sections; i++) {
		free(b->sections[i].subtest);
		text_free(&b->sections[i].text);
	}
	free(b->results);
	free(b->sections);
	free(b->running);
	text_free(&b->common);
	text_free(&b->text);
}
