// SPDX-License-Identifier: MIT
// r2, r3: floats; r4, r5: random bits; halves to r10; their bytes to r12.
	srnd (32|M0) r10.0<1>:hf r2.0<1;1,0>:f r4.0<1;1,0>:f
	srnd (32|M0) r12.0<1>:bf8 r10.0<1;1,0>:hf r4.0<1;1,0>:hf
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
