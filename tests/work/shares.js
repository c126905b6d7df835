// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c in JavaScript: run with node --perf-basic-prof.
let sink = 0;
function hotJs(n) { for (let i = 0; i < n; i++) sink = (sink + i) | 0; }
function coldJs(n) { for (let i = 0; i < n; i++) sink = (sink + i) | 0; }
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const want = Number(process.argv[2] || 2) * 1000;
let hot = 0, cold = 0;
for (let i = 0; i < 3000; i++) { hotJs(1000); coldJs(1000); }
while (hot + cold < want) {
	const n = 40000 + Math.floor(Math.random() * 800000);
	const t0 = cpuMs();
	hotJs(Math.floor(n * 7 / 10));
	const t1 = cpuMs();
	coldJs(Math.floor(n * 3 / 10));
	hot += t1 - t0;
	cold += cpuMs() - t1;
}
console.log(`share hotJs ${(100 * hot / (hot + cold)).toFixed(2)}`);
console.log(`share coldJs ${(100 * cold / (hot + cold)).toFixed(2)}`);
