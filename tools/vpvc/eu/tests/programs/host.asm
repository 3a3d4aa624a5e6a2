// SPDX-License-Identifier: MIT
// Waits for the host.
	sync.host null
	(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}
