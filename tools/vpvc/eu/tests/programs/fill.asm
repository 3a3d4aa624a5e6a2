// SPDX-License-Identifier: MIT
// A thread of a fill: r1.0 the byte, r0.1 and r0.6 the group, which writes a row
// of 16 bytes. Nothing in it is NoMask.
	mov (4|M0) r1.0<1>:ub r1.0<0;1,0>:ub
	shl (1|M0) r2.0<1>:ud r0.1<0;1,0>:ud 0x4:ud
	mov (1|M0) r2.1<1>:ud r0.6<0;1,0>:ud
	mov (8|M0) r4.0<1>:ud 0x0:ud
	mov (16|M0) r5.0<1>:ud r1.0<0;1,0>:ud
	mov (2|M0) r4.0<1>:ud r2.0<2;2,1>:ud
	mov (1|M0) r4.2<1>:ud 0xF:ud
	mov (1|M0) r4.4<1>:ud r0.5<0;1,0>:ud
	send.dc1 (16|M0) null r4 null:0 0x0 0x040A8000
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
