// SPDX-License-Identifier: MIT
// Stores where the thread began, relative to the general state base.
	nop
	(W) mov (1|M0) r10.0<1>:ud dbg0.1<0;1,0>:ud
	(W) send.ugm (1|M0) null r1 r10:1 0xFF000000 0x62000504
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
