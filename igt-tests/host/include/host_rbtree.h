/* SPDX-License-Identifier: MIT */
/*
 * The kernel's ordered trees, for the host: a treap. The order of its nodes is what the driver sees
 * of it, not its shape.
 */
#ifndef HOST_RBTREE_H
#define HOST_RBTREE_H

#include <stdbool.h>
#include <stddef.h>

struct rb_node {
	struct rb_node *parent, *child[2];
	unsigned int heat;
};

struct rb_root_cached {
	struct rb_node *top, *first;
};

#define RB_ROOT_CACHED	((struct rb_root_cached) { NULL, NULL })
#define rb_entry(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define rb_entry_safe(p, type, member) ({					\
	const struct rb_node *node__ = (p);					\
	node__ ? rb_entry(node__, type, member) : NULL;				\
})
#define rb_first_cached(root)	((root)->first)

/* The pointer to @node in its parent, or in the tree */
static inline struct rb_node **rb_link_of(struct rb_root_cached *root, const struct rb_node *node)
{
	if (!node->parent)
		return &root->top;
	return &node->parent->child[node->parent->child[1] == node];
}

/* @node and its parent change places; the order stays. */
static inline void rb_lift(struct rb_root_cached *root, struct rb_node *node)
{
	struct rb_node *parent = node->parent, **link = rb_link_of(root, parent);
	int side = parent->child[1] == node;
	struct rb_node *inner = node->child[!side];

	node->parent = parent->parent;
	*link = node;
	node->child[!side] = parent;
	parent->parent = node;
	parent->child[side] = inner;
	if (inner)
		inner->parent = parent;
}

static inline void rb_find_first(struct rb_root_cached *root)
{
	struct rb_node *node = root->top;

	while (node && node->child[0])
		node = node->child[0];
	root->first = node;
}

static inline struct rb_node *rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
					    bool (*less)(struct rb_node *, const struct rb_node *))
{
	static unsigned int heat = 1;
	struct rb_node **link = &root->top, *parent = NULL;

	while (*link) {
		parent = *link;
		link = &parent->child[!less(node, parent)];
	}
	heat = heat * 1664525 + 1013904223;
	*node = (struct rb_node) { .parent = parent, .heat = heat };
	*link = node;
	while (node->parent && node->parent->heat < node->heat)
		rb_lift(root, node);
	rb_find_first(root);
	return root->first == node ? node : NULL;
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	while (node->child[0] || node->child[1]) {
		struct rb_node *a = node->child[0], *b = node->child[1];

		rb_lift(root, !b || (a && a->heat > b->heat) ? a : b);
	}
	*rb_link_of(root, node) = NULL;
	rb_find_first(root);
}

static inline void rb_replace_node_cached(struct rb_node *old, struct rb_node *node,
					  struct rb_root_cached *root)
{
	*rb_link_of(root, old) = node;
	*node = *old;
	for (int side = 0; side < 2; side++)
		if (node->child[side])
			node->child[side]->parent = node;
	rb_find_first(root);
}

/* The node behind @node, or NULL */
static inline struct rb_node *rb_next(const struct rb_node *node)
{
	if (node->child[1]) {
		for (node = node->child[1]; node->child[0]; )
			node = node->child[0];
		return (struct rb_node *)node;
	}
	while (node->parent && node->parent->child[1] == node)
		node = node->parent;
	return node->parent;
}

#endif
