/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The graph: which frames are wide enough, where they are, and how they are painted. */
const stacked = matchMedia("(max-width: 760px)"), GRAPH_LEAST = 160, GRAPH_MOST = 400;
const ROW = 19, LEAST_PX = 0.5, LABEL_PX = 26, IDLE_PX = 150;
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif";
const canvas = $("canvas"), ctx = canvas.getContext("2d");
let rows = new Map(), lowest = 0, deepest = 0, width = 0, height = 0, fromEnd = 0, drawn = 0, pending = false;
let spent = { layout: 0, paint: 0 }; /* milliseconds of the last */
const textWidth = new Map();

/* Rows by depth, each from left to right. SMALL stands for a run of frames that are too small. */
const layoutRows = (wide, floor) => {
	const z = state.zoom, out = new Map();
	const put = (depth, node, x, w) => {
		let r = out.get(depth);
		if (!r) out.set(depth, r = { node: [], x: [], w: [] });
		const last = r.node.length - 1;
		if (node === SMALL && last >= 0 && r.node[last] === SMALL && x - r.x[last] - r.w[last] < floor) { r.w[last] = x + w - r.x[last]; return; }
		r.node.push(node); r.x.push(x); r.w.push(w);
	};
	const run = (from, end, left, k, room) => {
		for (let i = from; i < end;) {
			const x = (tree.start[i] - left) * k, w = tree.width[i] * k;
			if (x + w < 0 || x > room) { i = tree.end[i]; continue; }
			const a = Math.max(x, -4), b = Math.min(x + w, room + 4);
			if (w >= floor || i === z) { put(tree.depth[i], i, a, b - a); i++; } else { put(tree.depth[i], SMALL, a, b - a); i = tree.end[i]; }
		}
	};
	const idle = !z && tree.idleWeight > 0 ? Math.min(IDLE_PX, wide / 3) : 0, room = wide - idle;
	for (let i = tree.parent[z]; i >= 0; i = tree.parent[i]) put(tree.depth[i], i, 0, wide);
	const left = tree.start[z] + state.from * tree.width[z], k = tree.width[z] > 0 ? room / (tree.width[z] * (state.to - state.from)) : 0;
	run(z, z < tree.split ? Math.min(tree.end[z], tree.split) : tree.end[z], left, k, room);
	if (!z && tree.split < tree.n) run(tree.split + 1, tree.n, tree.start[tree.split] + state.from * tree.width[tree.split], k, room);
	if (idle) {
		const base = out.get(0);
		if (base) { base.x[0] = 0; base.w[0] = wide; }
		put(tree.depth[z] + 1, IDLE, room + 2, idle - 2);
	}
	return out;
};
const layout = (jump) => {
	const box = $("graph"), style = getComputedStyle(box), began = performance.now();
	if ($("picture").hidden) return;
	width = Math.max(40, box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
	rows = layoutRows(width, LEAST_PX);
	lowest = deepest = 0;
	for (const d of rows.keys()) { lowest = Math.min(lowest, d); deepest = Math.max(deepest, d); }
	const tall = rowsTall();
	/* where the table is below, the graph takes what it needs */
	box.style.height = stacked.matches ? Math.max(GRAPH_LEAST, Math.min(GRAPH_MOST, tall)) + "px" : "";
	const room = box.clientHeight;
	height = Math.max(1, room);
	$("space").style.height = Math.max(tall, room) + "px";
	const dpr = devicePixelRatio || 1, cw = Math.round(width * dpr), ch = Math.round(height * dpr);
	if (canvas.width !== cw || canvas.height !== ch) {
		canvas.width = cw;
		canvas.height = ch;
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	spent.layout = performance.now() - began;
	if (jump) reveal(true);
	else if (upwards()) box.scrollTop = box.scrollHeight - room - fromEnd;
	drawMap();
	draw();
};
/* A sandwich has callers on top and callees below, whatever the rest of the graphs do. */
const isSandwich = () => tree.split < tree.n;
const upwards = () => state.view === "flame" && !isSandwich();
const rowsTall = () => (deepest - lowest + 1) * ROW + 8;
const spaceHeight = () => Math.max(rowsTall(), height);
const rowTop = (depth) => upwards() ? spaceHeight() - 4 - (depth + 1) * ROW : 4 + (depth - lowest) * ROW;
const rowAt = (y) => upwards() ? Math.floor((spaceHeight() - 4 - y) / ROW) : Math.floor((y - 4) / ROW) + lowest;
const reveal = (jump) => {
	const box = $("graph"), y = rowTop(tree.depth[selected]), few = Math.min(Math.abs(tree.depth[selected]), 3) * ROW;
	if (jump && isSandwich()) box.scrollTop = y - box.clientHeight / 2;
	else if (jump) box.scrollTop = upwards() ? y + ROW + 4 - box.clientHeight + few : y - few - 4;
	else if (y < box.scrollTop) box.scrollTop = y - ROW;
	else if (y + ROW > box.scrollTop + box.clientHeight) box.scrollTop = y + 2 * ROW - box.clientHeight;
};
const isDrawn = (node) => {
	const row = rows.get(tree.depth[node]);
	return !!row && row.node.includes(node);
};

/* ---- painting ---- */
const labelOf = (f, node) => nameOf(f) + (state.colour === "change" && tree.before && node ? "  " + points(changeOf(tree, node)) : "");
const label = (c, text, w) => {
	let full = textWidth.get(text);
	if (full === undefined) textWidth.set(text, full = c.measureText(clip(text, NAME_MAX)).width);
	if (full <= w) return text;
	let n = Math.floor(Math.min(text.length, NAME_MAX) * w / full);
	while (n > 0 && c.measureText(text.slice(0, n) + "…").width > w) n--;
	return n > 1 ? text.slice(0, n) + "…" : "";
};
const hatch = (c, x, y, w, h) => {
	c.save();
	c.beginPath();
	c.rect(x, y, w, h);
	c.clip();
	c.strokeStyle = inks.hatch;
	c.lineWidth = 1;
	c.beginPath();
	for (let at = x - x % 7 - h; at < x + w; at += 7) { c.moveTo(at, y + h); c.lineTo(at + h, y); }
	c.stroke();
	c.restore();
};
const idleText = () => { const v = views[state.tab]; return "idle: " + plural(v.idle.threads, "thread"); };
const drawBox = (c, node, x, y, w, dpr) => {
	const left = Math.round(x * dpr) / dpr, right = Math.round((x + w) * dpr) / dpr, gap = w > 3 ? 1 : 0;
	const bw = Math.max(right - left - gap, 1 / dpr), bh = ROW - 1, inset = Math.max(0, -left);
	c.globalAlpha = 1;
	if (node === SMALL || node === IDLE) {
		c.fillStyle = inks.faint;
		c.fillRect(left, y, bw, bh);
		if (node === SMALL) return;
		hatch(c, left, y, bw, bh);
		c.fillStyle = inks.ink;
		c.fillText(label(c, idleText(), bw - 9), left + 5, y + bh / 2 + .5);
		if (hovered === IDLE) { c.strokeStyle = inks.ink; c.lineWidth = 1; c.strokeRect(left + .5, y + .5, bw - 1, bh - 1); }
		return;
	}
	const f = tree.frame[node], kind = frames.kind[f], hit = match && node && match[f], outer = node < state.zoom && tree.end[node] > state.zoom;
	c.globalAlpha = outer ? .45 : match && !hit ? .38 : 1;
	c.fillStyle = hit ? inks.hit : fillOf(f, node);
	if (bw > 5) { c.beginPath(); c.roundRect(left, y, bw, bh, 2); c.fill(); } else c.fillRect(left, y, bw, bh);
	if (kind === KIND.mark && !hit && bw > 3) hatch(c, left, y, bw, bh);
	if (bw - inset > LABEL_PX) {
		const text = label(c, labelOf(f, node), bw - inset - 9), dim = c.globalAlpha < 1;
		if (dim) c.globalAlpha = .8;
		c.fillStyle = hit ? "#fff" : kind === KIND.mark || dim ? inks.ink : textOn(f, node);
		if (text) c.fillText(text, left + inset + 5, y + bh / 2 + .5);
	}
	c.globalAlpha = 1;
	if (!node && isSandwich()) { c.strokeStyle = inks.ink; c.lineWidth = 1.5; c.strokeRect(left + .75, y + .75, Math.max(bw - 1.5, 1), bh - 1.5); }
	if (c !== ctx) return;
	if (node === hovered) { c.strokeStyle = inks.ink; c.lineWidth = 1; c.strokeRect(left + .5, y + .5, Math.max(bw - 1, 1), bh - 1); }
	if (node === selected && (document.activeElement === canvas || (matchAt >= 0 && matches[matchAt] === node))) {
		c.strokeStyle = inks.focus; c.lineWidth = 2.5; c.strokeRect(left + 1, y + 1, Math.max(bw - 2, 1), bh - 2);
	}
};
const paintRows = (c, list, top, high, dpr) => {
	c.font = FONT;
	c.textBaseline = "middle";
	for (const [depth, row] of list) {
		const y = rowTop(depth) - top;
		if (y + ROW < 0 || y > high) continue;
		for (let i = 0; i < row.node.length; i++)
			if (row.node[i] !== SMALL || row.w[i] >= 1) drawBox(c, row.node[i], row.x[i], y, row.w[i], dpr);
	}
};
const paint = () => {
	const dpr = devicePixelRatio || 1, top = $("graph").scrollTop, began = performance.now();
	pending = false;
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.clearRect(0, 0, width, height);
	paintRows(ctx, rows, top, height, dpr);
	if (dragged) {
		ctx.fillStyle = inks.span;
		ctx.fillRect(Math.min(dragged.x0, dragged.x1), 0, Math.abs(dragged.x1 - dragged.x0), height);
	}
	spent.paint = performance.now() - began;
	if (!drawn) drawn = performance.now();
};
const draw = () => {
	if (pending || $("picture").hidden) return;
	pending = true;
	requestAnimationFrame(paint);
};

/* ---- what is under a point ---- */
const rowFind = (row, x) => {
	let lo = 0, hi = row.x.length - 1;
	while (lo < hi) { const mid = lo + hi + 1 >> 1; if (row.x[mid] <= x) lo = mid; else hi = mid - 1; }
	return x >= row.x[lo] && x < row.x[lo] + row.w[lo] ? lo : -1;
};
/* { node, under }, node SMALL for a run of small ones and then under is the frame that called them; or null. */
const frameAt = (x, y) => {
	const depth = rowAt(y + $("graph").scrollTop), toRoot = depth < 0 ? 1 : -1;
	const nodeIn = (row) => {
		const i = row ? rowFind(row, x) : -1;
		return i < 0 ? null : row.node[i];
	};
	const node = nodeIn(rows.get(depth));
	if (node === null) return null;
	let under = node;
	for (let k = depth + toRoot; under === SMALL && k * toRoot <= 0; k += toRoot) under = nodeIn(rows.get(k)) ?? SMALL;
	return { node, under: Math.max(under, 0) };
};

/* ---- the small map of all ---- */
const MAP_ROW = 3;
const drawMap = () => {
	const map = $("map"), c = map.getContext("2d"), dpr = devicePixelRatio || 1, wide = map.clientWidth, high = map.clientHeight;
	map.hidden = isSandwich() || !tree.width[0];
	if (!wide || !high || map.hidden) return;
	map.width = Math.round(wide * dpr);
	map.height = Math.round(high * dpr);
	c.setTransform(dpr, 0, 0, dpr, 0, 0);
	const k = wide / tree.width[0], most = Math.floor(high / 1.5), lines = Math.min(deepestOf(tree), most), tall = Math.min(MAP_ROW, high / Math.max(lines, 1));
	for (let i = 0; i < tree.n;) {
		const w = tree.width[i] * k, d = tree.depth[i];
		if (w < 1 || d >= lines) { i = tree.end[i]; continue; }
		c.fillStyle = match && i && match[tree.frame[i]] ? inks.hit : i ? fillOf(tree.frame[i], i) : inks.faint;
		c.fillRect(tree.start[i] * k, upwards() ? high - (d + 1) * tall : d * tall, Math.max(w - .3, .7), tall - .3);
		i++;
	}
	const z = state.zoom, x = (tree.start[z] + state.from * tree.width[z]) * k, w = Math.max(2, tree.width[z] * (state.to - state.from) * k);
	if (!z && state.from === 0 && state.to === 1) return;
	c.fillStyle = inks.veil;
	c.fillRect(0, 0, x, high);
	c.fillRect(x + w, 0, wide - x - w, high);
	c.strokeStyle = inks.focus;
	c.lineWidth = 1.5;
	c.strokeRect(x + .75, .75, Math.max(w - 1.5, 1), high - 1.5);
};
const deepestOf = (t) => {
	if (t.levels === undefined) { t.levels = 0; for (let i = 0; i < t.n; i++) if (t.depth[i] >= t.levels) t.levels = t.depth[i] + 1; }
	return t.levels;
};
