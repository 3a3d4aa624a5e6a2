// SPDX-License-Identifier: MIT
// r2: a number a lane; r10: the sum. Some channels return early.
	mov (32|M0) r10.0<1>:d 0:d
	call (32|M0) r4.0 FUNCTION
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f0.0 null<1>:d r2.0<1;1,0>:d 12:d
	(f0.0) call (32|M0) r4.0 FUNCTION
	join (32|M0) END
END:
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
FUNCTION:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10:d
	cmp (32|M0) (gt)f1.0 null<1>:d r2.0<1;1,0>:d 16:d
	(f1.0) ret (32|M0) r4.0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	cmp (32|M0) (lt)f1.0 null<1>:d r2.0<1;1,0>:d 5:d
	(f1.0) ret (32|M0) r4.0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
	ret (32|M0) r4.0
