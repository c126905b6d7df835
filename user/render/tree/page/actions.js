/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The menu of a frame; copying; export of what is seen. */
const PNG_MAX = 16000, SVG_CHAR = 6.6; /* pixels: browsers refuse a canvas that is larger; of a character in 11 px */
let menuFrom = null;

const closeMenu = (andFocus) => {
	if ($("menu").hidden) return;
	$("menu").hidden = true;
	for (const id of ["actions", "export"]) $(id).setAttribute("aria-expanded", "false");
	if (andFocus && menuFrom) menuFrom.focus();
};
/* items: [text, action], null for a line, or a text alone for a heading */
const openMenu = (items, x, y, from) => {
	const menu = $("menu");
	hideTip();
	menuFrom = from;
	menu.replaceChildren(...items.map((it) => {
		if (!it) return el("hr");
		if (typeof it === "string") return el("div", it, "of");
		const b = button(it[0], "", () => { closeMenu(true); it[1](); });
		b.setAttribute("role", "menuitem");
		b.tabIndex = -1;
		return b;
	}));
	menu.hidden = false;
	menu.style.left = Math.max(8, Math.min(x, innerWidth - menu.offsetWidth - 8)) + "px";
	menu.style.top = Math.max(8, Math.min(y, innerHeight - menu.offsetHeight - 8)) + "px";
	if (from.hasAttribute("aria-haspopup")) from.setAttribute("aria-expanded", "true");
	menu.querySelector("button").focus({ preventScroll: true });
};
$("menu").addEventListener("keydown", (ev) => {
	const list = [...$("menu").querySelectorAll("button")], at = list.indexOf(document.activeElement);
	const to = { ArrowDown: at + 1, ArrowUp: at - 1 + list.length, Home: 0, End: list.length - 1 }[ev.key];
	ev.stopPropagation();
	if (ev.key === "Escape" || ev.key === "Tab") { ev.preventDefault(); closeMenu(true); }
	if (to === undefined) return;
	ev.preventDefault();
	list[to % list.length].focus();
});
addEventListener("pointerdown", (ev) => { if (!$("menu").contains(ev.target)) closeMenu(false); }, true);
addEventListener("blur", () => closeMenu(false));

/* The thread, process or label that node stands on, or "". */
const threadOf = (node) => {
	let i = node;
	while (i > 0 && tree.depth[i] !== 1 && tree.parent[i] > 0) i = tree.parent[i];
	return i > 0 && isRoot(tree.frame[i]) ? nameOf(tree.frame[i]) : "";
};
/* at: { f, node }, node -1 for a function of the table */
const frameMenu = ({ f, node }, x, y, from) => {
	const name = nameOf(f), obj = objOf(f), items = [clip(name, 120)], isCode = frames.kind[f] !== KIND.mark, thread = node > 0 ? threadOf(node) : "";
	if (node >= 0) items.push(["Zoom in", () => go({ zoom: node })]);
	if (isCode && frames.name[f] >= 0) items.push(["Callers and callees", () => go({ func: frames.name[f], zoom: 0 })]);
	items.push(["Search for it", () => go({ query: "^" + name.slice(0, NAME_MAX).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") + (name.length > NAME_MAX ? "" : "$") })]);
	if (isCode) {
		items.push(null, ["Only stacks with this function", () => addChip("o", "f", name)], ["Hide stacks with it", () => addChip("h", "f", name)], ["Fold it into its callers", () => addChip("d", "f", name)]);
		if (obj && frames.obj[f] >= 0) items.push(null, ["Only stacks with " + clip(obj, 60), () => addChip("o", "o", obj)], ["Hide stacks with " + clip(obj, 60), () => addChip("h", "o", obj)],
			["Fold " + clip(obj, 60) + " into callers", () => addChip("d", "o", obj)]);
	}
	if (thread) items.push(null, ["Only thread " + clip(thread, 60), () => addChip("o", "t", thread)], ["Hide thread " + clip(thread, 60), () => addChip("h", "t", thread)]);
	items.push(null, ["Copy name", () => copy(name, "name")]);
	if (node >= 0) items.push(["Copy stack", () => copy(stackText(node), "stack")]);
	items.push(["Copy command", () => copy(command(), "command")]);
	openMenu(items, x, y, from);
};

/* ---- copying ---- */
let copied = "";
const copy = async (text, what) => {
	copied = text;
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) {
		/* no permission, or no clipboard for pages of a file: the older way */
		const area = el("textarea", text), had = document.activeElement;
		area.style.position = "fixed";
		area.style.opacity = "0";
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
		if (had) had.focus();
	}
	$("status").append(el("span", " · " + what + " copied"));
};
/* Outermost first, a frame a line, as in the picture of the moment from its root. */
const stackText = (node) => {
	const list = [];
	for (let i = node; i > 0; i = tree.parent[i]) list.push(nameOf(tree.frame[i]) + (objOf(tree.frame[i]) ? " (" + objOf(tree.frame[i]) + ")" : ""));
	if (tree.split < tree.n) list.push(nameOf(tree.frame[0]));
	return (state.root === "inverted" || (isSandwich() && tree.depth[node] < 0) ? list : list.reverse()).join("\n");
};
const quoted = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
const hasOption = (option) => (data.options || []).includes(option);
/* What is chosen of all, as options of skep report, which has such, and in words. */
const choices = (v) => {
	const out = [], sl = v.slices;
	if (state.span) {
		const [from, to] = state.span.map((b) => ((sl.start_ns + Math.min(b * sl.bin_ns, sl.span_ns)) / 1e9).toFixed(9));
		out.push({ options: ["--time", from + "," + to], text: "from " + from + " to " + to + " s" });
	}
	if (state.who) out.push({ options: [state.who[0] === "p" ? "--pid" : "--tid", state.who.slice(1)], text: (state.who[0] === "p" ? "process " : "thread ") + state.who.slice(1) });
	if (state.cpu !== "") out.push({ options: ["--cpu", state.cpu], text: "CPU " + state.cpu });
	return out;
};
/* Of a chip that leaves one thread or process: how skep report names it; [] where it cannot. */
const threadOptions = (name) => {
	const [, pid, tid] = / \((\d+)(?:\/(\d+))?\)$/.exec(name) || [], by = data.by || "comm";
	if (by === "pid" && pid) return ["--pid", pid];
	if (by === "tid" && tid) return ["--tid", tid];
	return by === "comm" && !/[,\\]|^file:/.test(name) ? ["--comms", quoted(name)] : [];
};
const chipText = (c) => DOES[c.does] + " " + TO[c.to] + " " + c.name;
/* What the page shows that no option says. isReport: the command is skep report, which has neither trees nor idle threads. */
const seenText = (isReport) => {
	const list = [];
	if (!state.kernel || (isReport && hasOption("--no-kernel"))) list.push("without kernel frames");
	if (isReport && hasOption("--no-user")) list.push("without user frames");
	if (!state.recursion) list.push("without recursion");
	if (state.idle) list.push("with idle threads");
	else if (isReport && tree.idleWeight) list.push("without idle threads");
	if (isSandwich()) list.push("around " + data.names[state.func]);
	else if (state.root === "merged" || (state.root === "inverted" && !isReport)) list.push(state.root);
	if (state.side !== "after") list.push(state.side);
	if (!data.input && state.view !== first.view) list.push(state.view);
	if (state.query) list.push("search " + state.query);
	return list;
};
/*
 * What skep has to be called with to see this, as far as its options say it; the rest is a comment. skep flame draws all of a file, and skep
 * report reads a part of it, the shares of which are of that part. Of --wall it cannot, which adds up two events.
 */
const command = () => {
	const v = views[state.tab], chosen = choices(v), threads = state.chips.filter((c) => c.does === "o" && c.to === "t");
	const thread = !chosen.length && threads.length === 1 ? threadOptions(threads[0].name) : [];
	const isReport = !!data.input && !hasOption("--wall") && (chosen.length || thread.length) > 0;
	const words = data.input ? ["skep", isReport ? "report" : "flame", "-i", quoted(data.input)] : [v.title || "skep flame"];
	if (data.input && v.event_index !== undefined) words.push("--event-index", v.event_index);
	if (isReport) {
		words.push(...chosen.flatMap((c) => c.options), ...(chosen.length ? ["--percentage", "relative"] : thread));
		if (state.root === "inverted" || isSandwich()) words.push(isSandwich() ? "--children" : "--no-children", "-g");
		words.push(...["--inline", "--addresses"].filter(hasOption));
	} else if (data.input) {
		if (data.by) words.push("--by", quoted(data.by));
		words.push(...(data.options || []), ...(state.view === "icicle" ? ["--icicle"] : []), "-o", "flame.html");
	}
	const rest = isReport ? [] : chosen.map((c) => c.text);
	rest.push(...state.chips.filter((c) => !(isReport && thread.length && c === threads[0])).map(chipText), ...seenText(isReport));
	return words.join(" ") + (rest.length ? (isReport ? "  # the page also has: " : "  # then in the page: ") + clip(rest.join("; ").replace(/[\r\n]/g, " "), NAME_MAX) : "");
};

/* ---- export ---- */
const save = (blob, ending) => {
	const a = el("a"), url = URL.createObjectURL(blob);
	a.href = url;
	a.download = (document.title.replace(/[^\w.-]+/g, "_").slice(0, 60) || "flame") + "." + ending;
	document.body.append(a);
	a.click();
	a.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
};
/* Stacks of what is seen, from the zoomed frame on: names from the root on, and the weight; of a difference both, as skep diff and difffolded.pl write them. */
const foldedText = () => {
	const sides = tree.before && state.side === "difference" ? [tree.before, tree.self] : [tree.before && state.side === "before" ? tree.before : tree.self];
	const lines = [], path = [], z = state.zoom, end = isSandwich() && z < tree.split ? Math.min(tree.end[z], tree.split) : tree.end[z];
	const name = (i) => nameOf(tree.frame[i]).replaceAll(";", ":");
	for (let i = tree.parent[z]; i > 0; i = tree.parent[i]) path.unshift(name(i));
	const base = path.length;
	for (let i = z; i < end; i++) {
		path.length = base + Math.abs(tree.depth[i]) - Math.abs(tree.depth[z]);
		if (i || isSandwich()) path.push(name(i)); else path.push("");
		if (sides.some((s) => s[i] > 0)) lines.push((path[0] === "" ? path.slice(1) : path).join(";") + " " + sides.map((s) => Math.round(s[i])).join(" "));
	}
	return lines.join("\n") + "\n";
};
const xml = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
/* "#rrggbb": what writes colours as CSS has them since 2022 is read by browsers, and not by all viewers of images. */
const hexes = new Map();
const hexOf = (css) => {
	if (!hexes.has(css)) {
		const c = el("canvas").getContext("2d");
		c.fillStyle = css.trim();
		hexes.set(css, c.fillStyle);
	}
	return hexes.get(css);
};
const seenTitle = () => { const v = views[state.tab]; return visible(v.title || "flame graph") + " · " + visible(v.event || "") + (state.zoom ? " · " + nameOf(tree.frame[state.zoom]) : ""); };
/* What the width of node i is of. */
const seenShare = (i) => {
	if (tree.before && state.side === "difference") return points(changeOf(tree, i)) + " points";
	return tree.before && state.side === "before" ? percent(tree.totalBefore[i], tree.wholeBefore) : percent(tree.total[i], tree.whole);
};
/* All rows of the layout, also those that are scrolled out of sight. */
const svgText = () => {
	const top = 26, tall = spaceHeight() + top, out = [];
	out.push('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ' + width + " " + tall + '" width="' + width + '" height="' + tall + '" font-family="system-ui,sans-serif" font-size="11">');
	out.push('<rect width="100%" height="100%" fill="' + hexOf(inks.paper) + '"/><text x="4" y="17" font-weight="600" fill="' + hexOf(inks.ink) + '">' + xml(clip(seenTitle(), 400)) + "</text>");
	for (const [depth, row] of rows) for (let k = 0; k < row.node.length; k++) {
		const i = row.node[k], w = row.w[k], x = Math.max(row.x[k], 0);
		if (i < 0 && (i === SMALL || w < 1)) continue;
		const f = i < 0 ? -1 : tree.frame[i], text = i < 0 ? idleText() : labelOf(f, i), chars = Math.floor((w - 8) / SVG_CHAR);
		const hit = i > 0 && match && match[f];
		out.push("<g><title>" + xml(clip(i < 0 ? text : nameOf(f) + "\n" + seenShare(i), NAME_MAX)) + '</title><rect x="' + x.toFixed(2) + '" y="' + (rowTop(depth) + top) +
			'" width="' + Math.max(w - (w > 3 ? 1 : 0), .2).toFixed(2) + '" height="' + (ROW - 1) + '" rx="2" fill="' + hexOf(i < 0 ? "#bbb6aa" : hit ? inks.hit : fillOf(f, i)) + '"/>' +
			(chars > 2 ? '<text x="' + (x + 4).toFixed(2) + '" y="' + (rowTop(depth) + top + 13) + '" fill="' + hexOf(hit ? "#fff" : inks.text) + '">' + xml(clip(text, chars - 1)) + "</text>" : "") + "</g>");
	}
	out.push("</svg>");
	return out.join("\n") + "\n";
};
const pngBlob = () => {
	const top = 26, tall = Math.min(spaceHeight() + top, PNG_MAX), dpr = Math.min(2, PNG_MAX / tall, PNG_MAX / width), c = el("canvas");
	c.width = Math.round(width * dpr);
	c.height = Math.round(tall * dpr);
	const to = c.getContext("2d");
	to.scale(dpr, dpr);
	to.fillStyle = inks.paper;
	to.fillRect(0, 0, width, tall);
	to.fillStyle = inks.ink;
	to.font = "600 " + FONT;
	to.fillText(clip(seenTitle(), 200), 4, 17);
	to.translate(0, top);
	paintRows(to, rows, 0, tall, dpr);
	return new Promise((done) => c.toBlob(done, "image/png"));
};
const exports = {
	svg: async () => new Blob([svgText()], { type: "image/svg+xml" }),
	folded: async () => new Blob([foldedText()], { type: "text/plain" }),
	png: pngBlob,
};
$("export").addEventListener("click", () => {
	const r = $("export").getBoundingClientRect(), item = (text, ending) => [text, async () => { const blob = await exports[ending](); if (blob) save(blob, ending); }];
	openMenu(["What is seen, as", item("SVG picture", "svg"), item("PNG picture", "png"), item("Folded stacks", "folded"), null, ["Copy command", () => copy(command(), "command")]], r.left, r.bottom + 4, $("export"));
});
const actionsMenu = (x, y, from) => frameMenu({ f: tree.frame[selected], node: selected }, x, y, from);
$("actions").addEventListener("click", () => {
	const r = $("actions").getBoundingClientRect();
	actionsMenu(r.left, r.top - 8, $("actions"));
});
