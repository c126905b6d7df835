/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
(() => {
"use strict";
const LEFT = 12, WIDE = 1176, CHAR = 7.25, SLACK = 0.03;
const NS = "http://www.w3.org/2000/svg";
const frames = [...document.querySelectorAll("#f > g")].map((g) => {
	const rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
	return { g, rect, name: title.slice(0, title.indexOf("\n")), y: +rect.getAttribute("y"),
		x: +rect.getAttribute("x") - LEFT, w: +rect.getAttribute("width") };
});
/* Gaps between frames are drawn, not counted. */
for (const f of frames) if (f.w > 2.5) f.w += 0.5;
const root = frames[0];
const label = (f, x, w) => {
	let text = f.g.querySelector("text");
	const chars = Math.floor((w - 6) / CHAR), letters = [...f.name];
	if (chars < 3) { if (text) text.remove(); return; }
	if (!text) { text = document.createElementNS(NS, "text"); text.setAttribute("y", f.y + 13); f.g.append(text); }
	text.setAttribute("x", LEFT + x + 3);
	text.textContent = letters.length > chars ? letters.slice(0, chars - 1).join("") + "…" : f.name;
};
const zoom = (to) => {
	const k = WIDE / to.w, side = Math.sign(root.y - to.y);
	for (const f of frames) {
		const around = f.x <= to.x + SLACK && f.x + f.w >= to.x + to.w - SLACK && (f.y - to.y) * side > 0;
		const x = around ? 0 : (f.x - to.x) * k, w = around ? WIDE : f.w * k;
		const inside = around || f === to || ((f.y - to.y) * side < 0 && x >= -1 && x + w <= WIDE + 1 + SLACK * k) || to === root;
		f.g.style.display = inside ? "" : "none";
		f.g.classList.toggle("up", around);
		if (!inside) continue;
		f.rect.setAttribute("x", LEFT + x);
		f.rect.setAttribute("width", Math.max(w - (w > 3 ? 0.5 : 0), 0.1));
		label(f, x, w);
	}
};
for (const f of frames) f.g.addEventListener("click", () => zoom(f));
/* A flame grows upwards and may be taller than the window: its root is what the reader sees first. */
const tall = document.documentElement.height.baseVal.value;
if (root.y > tall / 2) scrollTo(0, tall);
const buttons = document.getElementById("b"), [reset, search] = buttons.querySelectorAll("text");
const stick = () => buttons.setAttribute("transform", "translate(" + Math.min(0, scrollX + innerWidth - LEFT - LEFT - WIDE) + "," + scrollY + ")");
addEventListener("scroll", stick);
addEventListener("resize", stick);
stick();
buttons.setAttribute("visibility", "visible");
/* Below the buttons: the share of all that the outermost matching frames have. */
const found = document.createElementNS(NS, "text");
found.setAttribute("id", "found");
found.setAttribute("text-anchor", "end");
found.setAttribute("x", LEFT + WIDE);
found.setAttribute("y", 40);
buttons.append(found);
const sayFound = (hits, text) => {
	let w = 0, right = -1;
	/* frames of one place lie on top of each other: what begins before the end of the last one is inside it */
	for (const f of [...hits].sort((a, b) => a.x - b.x || b.w - a.w)) if (f.x >= right - SLACK) { w += f.w; right = f.x + f.w; }
	found.textContent = text ? (100 * w / WIDE).toFixed(2) + " % matched" : "";
};
/* where frames lie when nothing is zoomed */
const all = frames.map((f) => ({ name: f.name, x: f.x, w: f.w }));
search.addEventListener("click", () => {
	const text = prompt("Search, a regular expression");
	let re;
	if (text === null) return;
	try { re = new RegExp(text); } catch (e) { return; }
	for (const f of frames) f.g.classList.toggle("hit", f !== root && text !== "" && re.test(f.name));
	sayFound(all.slice(1).filter((f) => text !== "" && re.test(f.name)), text);
});
reset.addEventListener("click", () => {
	zoom(root);
	for (const f of frames) f.g.classList.remove("hit");
	found.textContent = "";
});
})();
