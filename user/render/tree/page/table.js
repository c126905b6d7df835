/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of functions beside the graph, and callers and callees of the one that is selected. */
const TABLE_ROWS = 300, AROUND_ROWS = 40;
let order = "self", ascending = false, rowsShown = TABLE_ROWS;

/* Sums by frame over the zoomed subtree. A function that recurses counts once in its total. */
const functions = () => {
	const sums = new Map(), open = new Int32Array(frames.name.length), path = [];
	const z = isSandwich() ? 0 : state.zoom, t = isSandwich() ? processTree(state) : tree;
	for (let i = z; i < t.end[z]; i++) {
		const f = t.frame[i], d = t.depth[i] - t.depth[z];
		while (path.length > d) open[path.pop()]--;
		if (frames.kind[f] !== KIND.mark) {
			let row = sums.get(f);
			if (!row) sums.set(f, row = { f, self: 0, total: 0, n: 0, before: 0 });
			row.self += ownOf(t, i);
			row.n += t.isTurned ? (t.depth[i] === 1 ? t.counts[i] : 0) : t.count[i];
			if (!open[f]) { row.total += t.total[i]; if (t.before) row.before += t.totalBefore[i]; }
		}
		open[f]++;
		path.push(f);
	}
	for (const r of sums.values()) r.change = t.before ? r.total / (t.whole || 1) - r.before / (t.wholeBefore || 1) : 0;
	/* what a span of time, a filter or the sleepers have left nothing of is not there */
	return [...sums.values()].filter((r) => r.total || r.n || r.before);
};
const figure = (part, all) => {
	const td = el("td", percent(part, all)), share = all > 0 ? Math.min(100, 100 * part / all) : 0;
	td.style.background = "linear-gradient(to left, color-mix(in srgb, var(--honey) 30%, transparent) " + share.toFixed(1) + "%, transparent 0)";
	return td;
};
const changeCell = (x) => el("td", points(x), Math.abs(x) < 5e-5 ? "" : x > 0 ? "grew" : "shrank");
const nameCell = (f, title, action) => {
	const td = el("td", undefined, "name"), both = el("div"), b = button(undefined, "", action), key = el("i", undefined, "key");
	key.style.background = state.colour === "object" ? objectFill(frames.obj[f]) : shades[frames.kind[f]][3];
	b.append(...shortened(nameOf(f)));
	b.title = title + clip(nameOf(f), NAME_MAX);
	b.addEventListener("contextmenu", (ev) => { ev.preventDefault(); frameMenu({ f, node: -1 }, ev.clientX, ev.clientY, b); });
	both.append(key, b);
	td.append(both);
	return td;
};
const heading = (text, key, cls) => {
	const th = el("th", undefined, cls), mine = order === key;
	th.scope = "col";
	if (!key) { th.textContent = text; return th; }
	const b = button(text + (mine ? ascending ? " ↑" : " ↓" : ""), "", () => {
		ascending = mine ? !ascending : key === "name";
		order = key;
		drawTable();
		$("table").querySelector("[data-key=" + key + "]").focus();
	});
	b.dataset.key = key;
	th.setAttribute("aria-sort", mine ? ascending ? "ascending" : "descending" : "none");
	th.append(b);
	return th;
};
const drawTable = () => {
	const all = functions().filter((r) => !match || match[r.f]), of = isSandwich() ? processTree(state) : tree, isDiff = !!of.before;
	const table = el("table"), head = table.createTHead().insertRow(), body = table.createTBody(), sign = ascending ? -1 : 1;
	const weigh = order === "change" ? (r) => Math.abs(r.change) : (r) => r[order];
	if (order === "name") all.sort((a, b) => sign * (nameOf(a.f) < nameOf(b.f) ? 1 : -1));
	else all.sort((a, b) => sign * (weigh(b) - weigh(a)) || b.total - a.total || (nameOf(a.f) < nameOf(b.f) ? -1 : 1));
	head.append(heading("Self", "self"), heading("Total", "total"), ...(isDiff ? [heading("Change", "change")] : []), heading("Function", "name", "name"), heading("Object", "", "obj"));
	for (const r of all.slice(0, rowsShown)) {
		const tr = body.insertRow(), isOn = frames.name[r.f] === state.func;
		if (isOn) tr.className = "current";
		const self = figure(r.self, of.whole), total = figure(r.total, of.whole);
		self.title = plural(r.n, "sample");
		const cell = nameCell(r.f, "Callers and callees of ", () => go({ func: isOn ? -1 : frames.name[r.f], zoom: 0 }));
		cell.querySelector("button").setAttribute("aria-pressed", String(isOn));
		const obj = objOf(r.f), td = el("td", obj.slice(obj.lastIndexOf("/") + 1), "obj");
		td.title = clip(obj, NAME_MAX);
		tr.append(self, total, ...(isDiff ? [changeCell(r.change)] : []), cell, td);
	}
	$("table").replaceChildren(table);
	if (all.length > rowsShown) {
		const p = el("p", undefined, "more");
		p.append(button("Show more", "plain", () => { rowsShown += TABLE_ROWS; drawTable(); }), " " + plural(all.length - rowsShown, "more function") + ": search to narrow the list.");
		$("table").append(p);
	}
	drawAround();
};

/* ---- callers and callees ---- */
const children = (root, from, end) => {
	const list = [];
	for (let i = from; i < end; i = tree.end[i]) list.push(i);
	return list.sort((a, b) => tree.total[b] - tree.total[a]).map((i) => ({ i, w: tree.total[i], before: tree.before ? tree.totalBefore[i] : 0 }));
};
const listOf = (title, none, list, own) => {
	const box = document.createDocumentFragment(), h = el("h2", title), table = el("table"), body = table.createTBody();
	h.append(el("span", list.length ? String(list.length) : none));
	box.append(h);
	for (const { i, w } of list.slice(0, AROUND_ROWS)) {
		const f = tree.frame[i], tr = body.insertRow();
		tr.append(figure(w, own), ...(tree.before ? [changeCell(changeOf(tree, i))] : []), isRoot(f) ? el("td", nameOf(f), "name") :
			nameCell(f, "Callers and callees of ", () => go({ func: frames.name[f], zoom: 0 })));
	}
	if (list.length) box.append(table);
	if (list.length > AROUND_ROWS) box.append(el("p", count(list.length - AROUND_ROWS) + " more", "more"));
	return box;
};
const drawAround = () => {
	const box = $("around");
	box.hidden = !isSandwich();
	if (box.hidden) return;
	const own = tree.total[0], s = tree.split;
	const callees = children(0, 1, tree.end[0]), callers = children(s, s + 1, tree.n);
	const head = el("h2", clip(data.names[state.func] ?? "", 80));
	head.append(el("span", percent(own, tree.whole) + " of all, " + percent(tree.self[0], own) + " of that itself"));
	box.replaceChildren(head, listOf("Callers", "none: it is at the root", callers, own), listOf("Callees", "none: it is a leaf", callees, own));
};
