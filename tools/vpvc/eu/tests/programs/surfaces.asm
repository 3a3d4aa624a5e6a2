// SPDX-License-Identifier: MIT
// Addresses in r2 are offsets into surfaces: the binding table's entry 3, a
// bindless one, one by its offset; then blocks of entry 4.
	(W) mov (1|M0) a0.0<1>:ud r5.0<0;1,0>:ud
	(W) mov (1|M0) a0.2<1>:ud r5.1<0;1,0>:ud
	send.ugm (16|M0) r10 r2 null:0 0x03000000 0x62100500
	send.ugm (16|M0) r11 r2 null:0 a0.0 0x22100500 {ExBSO}
	send.ugm (16|M0) r12 r2 null:0 a0.2 0x42100500 {ExBSO}
	send.ugm (16|M0) null r3 r10:1 0x03000000 0x62000504
	(W) mov (1|M0) a0.0<1>:ud r5.2<0;1,0>:ud
	(W) send.ugm (16|M0) r13 r2 null:0 0x03000000 a0.0
	(W) send.dc1 (16|M0) r14 r6 null:0 0x0 0x02190004
	(W) send.dc1 (16|M0) null r7 null:0 0x0 0x040A8004
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
