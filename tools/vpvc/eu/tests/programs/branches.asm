// SPDX-License-Identifier: MIT
// r2: a number a lane; r10: the sum. Nested if and else.
	mov (32|M0) r10.0<1>:d 0:d
	cmp (32|M0) (gt)f0.0 null<1>:d r2.0<1;1,0>:d 10:d
	(f0.0) if (32|M0) ELSE_1 END_1
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1:d
	cmp (32|M0) (gt)f1.0 null<1>:d r2.0<1;1,0>:d 20:d
	(f1.0) if (32|M0) END_2 END_2
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10:d
END_2:
	endif (32|M0) ELSE_0
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100:d
ELSE_0:
	else (32|M0) END_1 END_1
ELSE_1:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000:d
	cmp (32|M0) (lt)f1.0 null<1>:d r2.0<1;1,0>:d 5:d
	(~f1.0) if (32|M0) ELSE_3 END_3
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 10000:d
	else (32|M0) END_3 END_3
ELSE_3:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 100000:d
END_3:
	endif (32|M0) END_1
END_1:
	endif (32|M0) NEXT
NEXT:
	add (32|M0) r10.0<1>:d r10.0<1;1,0>:d 1000000:d
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
