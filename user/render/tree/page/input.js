/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keyboard, pointer and wheel. */
const DRAG_PX = 5, WHEEL_STEP = 1.2, SPAN_LEAST = 1e-4;
let dragged = null; /* over the graph: from x0 to x1; isPan: it moves what is in sight */

const select = (node) => {
	selected = node;
	reveal(false);
	draw();
	say();
};
const beside = (step) => {
	const row = rows.get(tree.depth[selected]);
	for (let i = row ? row.node.indexOf(selected) + step : -1; row && i >= 0 && i < row.node.length; i += step)
		if (row.node[i] >= 0) return select(row.node[i]);
};
const outward = () => { if (selected) select(tree.parent[selected]); };
/* side: in a sandwich, which half the root leads into */
const inward = (side) => {
	const up = isSandwich() && !selected && side < 0, from = up ? tree.split + 1 : selected + 1, end = up ? tree.n : !selected ? tree.split : tree.end[selected];
	let best = -1;
	for (let i = from; i < end; i = tree.end[i])
		if (best < 0 || tree.width[i] > tree.width[best]) best = i;
	/* above the zoomed frame only the way to it is drawn */
	if (selected < state.zoom && tree.end[selected] > state.zoom) for (best = state.zoom; tree.parent[best] !== selected; best = tree.parent[best]);
	if (best >= 0 && isDrawn(best)) select(best);
};
const vertically = (up) => {
	if (isSandwich()) {
		const d = tree.depth[selected];
		if (!selected) inward(up ? -1 : 1);
		else if ((d < 0) === up) inward(0);
		else outward();
	} else if (upwards() === up) inward(0);
	else outward();
};
/* What is in sight: a part of the zoomed frame, 0 to 1. */
const look = (from, to) => {
	const long = Math.min(1, Math.max(SPAN_LEAST, to - from)), a = Math.max(0, Math.min(1 - long, from));
	go({ from: a, to: a + long }, true);
};
const zoomAt = (factor, where) => {
	const long = state.to - state.from, at = state.from + where * long;
	if (factor < 1 && long >= 1 && state.zoom) { go({ zoom: tree.parent[state.zoom] }, true); return; }
	look(at - where * long / factor, at + (1 - where) * long / factor);
};
const pan = (part) => { const long = state.to - state.from; look(state.from + part * long, state.from + part * long + long); };
const menuAtSelected = () => {
	const r = canvas.getBoundingClientRect(), at = rows.get(tree.depth[selected]), k = at ? at.node.indexOf(selected) : -1;
	actionsMenu(r.left + (k < 0 ? 8 : Math.max(0, at.x[k]) + 12), r.top + rowTop(tree.depth[selected]) - $("graph").scrollTop + ROW, canvas);
};
const graphKeys = {
	ArrowUp: () => vertically(true),
	ArrowDown: () => vertically(false),
	ArrowLeft: (ev) => ev.shiftKey ? pan(-.2) : beside(-1),
	ArrowRight: (ev) => ev.shiftKey ? pan(.2) : beside(1),
	Home: () => select(state.zoom),
	Enter: () => go({ zoom: selected }),
	" ": () => go({ zoom: selected }),
	ContextMenu: menuAtSelected,
};
canvas.addEventListener("keydown", (ev) => {
	if (ev.ctrlKey || ev.altKey || ev.metaKey || !graphKeys[ev.key]) return;
	ev.preventDefault();
	graphKeys[ev.key](ev);
});
const toSearch = () => { $("search").focus(); $("search").select(); };
const pageKeys = {
	"/": toSearch,
	Backspace: back,
	n: () => toMatch(1),
	N: () => toMatch(-1),
	m: menuAtSelected,
	s: () => { const f = tree.frame[selected]; if (frames.kind[f] !== KIND.mark && frames.name[f] >= 0) go({ func: frames.name[f], zoom: 0 }); },
	i: () => go({ root: state.root === "inverted" ? "process" : "inverted", func: -1 }),
	"+": () => zoomAt(WHEEL_STEP, .5),
	"=": () => zoomAt(WHEEL_STEP, .5),
	"-": () => zoomAt(1 / WHEEL_STEP, .5),
};
const searchKeys = {
	Escape: () => { if (state.query) go({ query: "" }, true); else canvas.focus(); },
	Enter: (ev) => { go({ query: $("search").value }); toMatch(ev.shiftKey ? -1 : 1); },
};
document.addEventListener("keydown", (ev) => {
	const typing = ev.target === $("search"), chosen = ev.target.tagName === "SELECT";
	/* the second time, in the search already, it is the browser's */
	if ((ev.ctrlKey || ev.metaKey) && !ev.altKey && !ev.shiftKey && ev.key.toLowerCase() === "f" && !typing) { ev.preventDefault(); toSearch(); return; }
	if (ev.ctrlKey || ev.altKey || ev.metaKey) return;
	if (typing) { if (searchKeys[ev.key]) { ev.preventDefault(); searchKeys[ev.key](ev); } return; }
	if (ev.key === "Escape") { hideTip(); back(); return; }
	if (chosen || !pageKeys[ev.key]) return;
	ev.preventDefault();
	pageKeys[ev.key]();
});

/* ---- pointer ---- */
const inCanvas = (ev) => ev.clientX - canvas.getBoundingClientRect().left;
canvas.addEventListener("pointerdown", (ev) => {
	if (ev.pointerType === "touch" || ev.button > 1) return;
	dragged = { x0: inCanvas(ev), x1: inCanvas(ev), from: state.from, isPan: ev.shiftKey || ev.button === 1, isMoved: false };
});
addEventListener("pointermove", (ev) => {
	if (!dragged || !ev.buttons) return;
	dragged.x1 = Math.max(0, Math.min(width, inCanvas(ev)));
	if (!dragged.isMoved && Math.abs(dragged.x1 - dragged.x0) >= DRAG_PX) { dragged.isMoved = true; hideTip(); }
	if (!dragged.isMoved) return;
	const long = state.to - state.from;
	if (dragged.isPan) { const a = dragged.from - (dragged.x1 - dragged.x0) / width * long; look(a, a + long); } else draw();
});
addEventListener("pointerup", () => {
	const d = dragged;
	dragged = null;
	if (!d || !d.isMoved) return;
	skipClick = true;
	setTimeout(() => { skipClick = false; }, 0);
	if (!d.isPan) { const long = state.to - state.from, [a, b] = [d.x0, d.x1].sort((p, q) => p - q); look(state.from + a / width * long, state.from + b / width * long); }
	draw();
});
let skipClick = false;
canvas.addEventListener("pointermove", (ev) => {
	if (dragged && dragged.isMoved) return;
	const at = frameAt(ev.offsetX, ev.offsetY), now = at ? at.node : SMALL;
	if (now !== hovered) { hovered = now; draw(); }
	canvas.style.cursor = now >= 0 || now === IDLE ? "pointer" : "default";
	if (!at || ev.pointerType === "touch") hideTip();
	else showTip(at, ev.clientX, ev.clientY);
});
canvas.addEventListener("pointerleave", () => { hovered = SMALL; hideTip(); draw(); });
canvas.addEventListener("click", (ev) => {
	const at = frameAt(ev.offsetX, ev.offsetY);
	if (skipClick || !at) return;
	if (at.node === IDLE) go({ idle: true });
	else go({ zoom: at.under, from: 0, to: 1 });
});
canvas.addEventListener("contextmenu", (ev) => {
	const at = frameAt(ev.offsetX, ev.offsetY);
	ev.preventDefault();
	if (!at || at.node < 0) return;
	select(at.node);
	actionsMenu(ev.clientX, ev.clientY, canvas);
});
canvas.addEventListener("wheel", (ev) => {
	const box = $("graph"), isAcross = Math.abs(ev.deltaX) > Math.abs(ev.deltaY) || ev.shiftKey, by = isAcross && !ev.deltaX ? ev.deltaY : ev.deltaX;
	/* where there is nothing to scroll, the wheel alone zooms */
	if (isAcross) { if (state.to - state.from >= 1) return; ev.preventDefault(); pan(by / width); return; }
	if (!ev.ctrlKey && box.scrollHeight > box.clientHeight + 1) return;
	ev.preventDefault();
	hideTip();
	zoomAt(ev.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, Math.max(0, Math.min(1, ev.offsetX / width)));
}, { passive: false });
for (const name of ["focus", "blur"]) canvas.addEventListener(name, draw);
$("graph").addEventListener("scroll", () => {
	const box = $("graph");
	/* a scroll that a new size forced is not where the reader wants to be */
	if (box.clientHeight === height) fromEnd = box.scrollHeight - height - box.scrollTop;
	hideTip();
	draw();
});
/* The small map: a press or a drag puts the middle of what is in sight there, of all of the tree. */
const fromMap = (ev) => {
	const map = $("map"), at = (ev.clientX - map.getBoundingClientRect().left) / map.clientWidth, z = state.zoom;
	const a = (tree.start[z] + state.from * tree.width[z]) / tree.width[0], long = (state.to - state.from) * tree.width[z] / tree.width[0];
	if (long >= 1) return;
	const from = Math.max(0, Math.min(1 - long, at - long / 2));
	if (Math.abs(from - a) > 1e-6) go({ zoom: 0, from, to: from + long }, true);
};
$("map").addEventListener("pointerdown", (ev) => { $("map").setPointerCapture(ev.pointerId); fromMap(ev); });
$("map").addEventListener("pointermove", (ev) => { if (ev.buttons) fromMap(ev); });

$("search").addEventListener("input", () => go({ query: $("search").value }, true));
$("next").addEventListener("click", () => toMatch(1));
$("previous").addEventListener("click", () => toMatch(-1));
$("reset").addEventListener("click", () => go({ zoom: 0, from: 0, to: 1, query: "", chips: [], span: null, who: "", cpu: "", func: -1, kernel: true, recursion: true, idle: false }));
for (const b of document.querySelectorAll("button[data-set]"))
	b.addEventListener("click", () => go({ [b.dataset.set]: b.dataset.to, ...(b.dataset.set === "root" ? { func: -1 } : {}) }));
for (const name of ["popstate", "hashchange"])
	addEventListener(name, () => apply(decode(location.hash)));
