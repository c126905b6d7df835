/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page around the graph: head, ledger, receipt, trail, status, tooltip; then the start. */
const crumbs = () => {
	const trail = [], nav = $("crumbs");
	for (let i = state.zoom; i >= 0; i = tree.parent[i]) trail.unshift(i);
	const backButton = button("‹ Back", "", back);
	backButton.disabled = !state.zoom && !steps();
	nav.replaceChildren(backButton);
	trail.forEach((i, k) => {
		const b = button(clip(nameOf(tree.frame[i]), 400), "", () => go({ zoom: i, from: 0, to: 1 }));
		b.title = clip(nameOf(tree.frame[i]), NAME_MAX);
		if (i === state.zoom) b.setAttribute("aria-current", "location");
		if (k) nav.append(el("span", "›"));
		nav.append(b);
	});
	nav.scrollLeft = nav.scrollWidth;
};
const sourceOf = (i) => tree.file && tree.file[i] >= 0 ? data.files[tree.file[i]] + (tree.line[i] ? ":" + tree.line[i] : "") : "";
const amount = (v, w) => v.unit === "ns" ? time(w) : v.unit === "bytes" ? bytes(w) : count(w) + " " + (v.unit || "");
const showWeight = (v) => v.unit && v.unit !== "events" && v.unit !== "samples";
const figures = (i) => {
	const v = views[state.tab], list = [["Samples", count(tree.counts[i])]];
	if (showWeight(v)) list.push(["Weight", amount(v, tree.total[i])]);
	list.push(["Of all", percent(tree.total[i], tree.whole)]);
	if (tree.before) {
		list.push(["Before", percent(tree.totalBefore[i], tree.wholeBefore)]);
		list.push(["Change", points(changeOf(tree, i)) + " points"]);
	}
	if (state.zoom && i > state.zoom && i < tree.end[state.zoom]) list.push(["Of the view", percent(tree.total[i], tree.total[state.zoom])]);
	if (i && tree.parent[i]) list.push(["Of the parent", percent(tree.total[i], tree.total[tree.parent[i]])]);
	list.push(["Self", percent(tree.self[i], tree.whole) + (tree.count[i] ? " (" + plural(tree.count[i], "sample") + ")" : "")]);
	return list;
};
const say = () => {
	const f = tree.frame[selected], s = $("status"), name = nameOf(f);
	const list = figures(selected).map(([k, v]) => k === "Before" || k === "Change" ? k.toLowerCase() + " " + v :
		v + (k === "Samples" ? (tree.counts[selected] === 1 ? " sample" : " samples") : k === "Weight" ? "" : " " + k.toLowerCase()));
	const where = [objOf(f), sourceOf(selected)].filter(Boolean).map((text) => clip(text, NAME_MAX)).join(", ");
	s.replaceChildren(el("b", clip(name, NAME_MAX)), " " + list.join(", ") + (where ? " · " + where : ""));
	s.dataset.node = selected;
	s.dataset.name = name;
	s.dataset.percent = (tree.whole ? 100 * tree.total[selected] / tree.whole : 0).toFixed(4);
};
const hideTip = () => { $("tip").hidden = true; };
const showTip = ({ node: i, under }, x, y) => {
	const tip = $("tip"), v = views[state.tab];
	if (i === IDLE) {
		tip.replaceChildren(el("b", idleText()), el("div", "Off the CPUs in one stack for " + 100 * IDLE_SHARE + " % of the run or more: " + amount(v, tree.idleWeight) + ", which no share here includes. Click to open.", "where"));
	} else if (i === SMALL) {
		tip.replaceChildren(el("b", "Frames too small to draw"), el("div", "Zoom into " + clip(nameOf(tree.frame[under]), 200) + " to see them.", "where"));
	} else {
		const f = tree.frame[i], dl = el("dl");
		pairs(dl, figures(i));
		tip.replaceChildren(el("b", clip(nameOf(f), NAME_MAX)), el("div", clip([KIND_TEXT[frames.kind[f]], objOf(f)].filter(Boolean).join(" · "), NAME_MAX), "where"));
		if (sourceOf(i)) tip.append(el("div", sourceOf(i), "where"));
		tip.append(dl);
	}
	tip.hidden = false;
	const w = tip.offsetWidth, h = tip.offsetHeight;
	tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - w - 8)) + "px";
	tip.style.top = (y + 18 + h < innerHeight ? y + 18 : Math.max(8, y - h - 12)) + "px";
};

/* ---- what the file says of itself ---- */
const factsOf = (v) => {
	const facts = [["event", visible(v.event || "-")], ["samples", count(v.kept)]];
	if (showWeight(v)) facts.push(["weight", amount(v, v.weight)]);
	if (v.before) facts.push(["before", showWeight(v) ? amount(v, v.before_weight) : plural(v.before_count, "sample")]);
	if (v.duration_ns) facts.push(["over", time(v.duration_ns)]);
	return facts;
};
const ledgerOf = (v) => {
	const list = [], lost = v.seen - v.kept;
	if (lost > 0) list.push(["of " + plural(v.seen, "sample") + " lost (" + percent(lost, v.seen) + ")", count(lost), "whole"]);
	for (const [text, n, isWhole] of v.ledger) list.push([text, count(n), isWhole ? "whole" : ""]);
	if (!list.length) list.push(["nothing lost", "", "none"]);
	return list;
};
const notesOf = (v) => {
	const list = [...v.notes], cut = v.left_out, sl = v.slices;
	if (cut) list.push("this page leaves out " + plural(cut.frames, "frame") + " below " + few(cut.below, v.weight) + " of all, with " + percent(cut.weight, v.weight) + " of it all: they are [left out] frames");
	if (sl && sl.left_out) list.push("time, process and CPU are known of all but " + percent(sl.left_out, v.weight) + ": there were too many to keep");
	return list;
};
const head = (v) => {
	const r = v.receipt, machine = r.wall_ns * r.cpus, notes = notesOf(v);
	document.title = clip(visible(v.title || "flame graph"), 300) + " · skep";
	$("title").textContent = $("title").title = visible(v.title || "flame graph");
	$("facts").replaceChildren(...factsOf(v).map(([k, text]) => {
		const d = el("div");
		d.append(el("dt", k), el("dd", text));
		return d;
	}));
	$("ledger").replaceChildren(...ledgerOf(v).map(([text, n, cls]) => {
		const li = el("li", undefined, cls);
		if (n) li.append(el("b", n), " ");
		li.append(text);
		return li;
	}));
	$("note").hidden = !notes.length;
	$("note").textContent = notes.join("\n");
	pairs($("receipt"), [
		["command", visible(v.title || "-")],
		["wall time", time(r.wall_ns)],
		["own CPU time", time(r.own_cpu_ns) + (machine ? ", " + percent(r.own_cpu_ns, machine) + " of " + plural(r.cpus, "CPU") : "")],
		["BPF programs", r.bpf_runs ? time(r.bpf_ns) + " in " + plural(r.bpf_runs, "run") + ", " + time(r.bpf_ns / r.bpf_runs) + " each" + (machine ? ", " + percent(r.bpf_ns, machine) + " of the machine" : "") : "not measured"],
		["BPF maps", bytes(r.map_bytes)],
		["peak memory", bytes(r.peak_rss_bytes)],
	]);
	for (const [k, b] of [...$("tabs").children].entries()) {
		b.setAttribute("aria-selected", String(k === state.tab));
		b.tabIndex = k === state.tab ? 0 : -1;
	}
	$("empty").hidden = !!v.sum;
};
const tabs = () => {
	$("tabs").hidden = views.length < 2;
	$("tabs").replaceChildren(...views.map((v, k) => {
		const b = button(visible(v.event || "view " + (k + 1)), "", () => go({ tab: k }));
		b.setAttribute("role", "tab");
		b.setAttribute("aria-controls", "panes");
		b.title = plural(v.kept, "sample");
		return b;
	}));
};
$("tabs").addEventListener("keydown", (ev) => {
	const step = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
	if (!step) return;
	ev.preventDefault();
	go({ tab: (state.tab + step + views.length) % views.length });
	$("tabs").children[state.tab].focus();
});

const empty = el("p", "No samples: the ledger above has the reasons.");
empty.id = "empty";
$("panes").append(empty);
setTheme();
tabs();
apply(decode(location.hash));
new ResizeObserver(() => { layout(false); drawStrip(); }).observe($("graph"));

/* For tests and the curious: read only. */
const locate = (name) => {
	let best = null;
	const r = canvas.getBoundingClientRect();
	for (const [depth, row] of rows) row.node.forEach((node, i) => {
		const mine = node === IDLE ? idleText() : node >= 0 ? nameOf(tree.frame[node]) : "";
		if (mine === name && (!best || row.w[i] > best.width))
			best = { node, depth, x: row.x[i] + r.left, y: rowTop(depth) - $("graph").scrollTop + r.top, width: row.w[i], height: ROW };
	});
	return best;
};
window.skep = Object.freeze({
	locate, get drawn() { return drawn; }, get nodes() { return tree.n; }, get state() { return { ...state, selected }; }, get spent() { return { ...spent }; }, get copied() { return copied; },
	percent: (name) => { let w = 0; for (let i = 1; i < (isSandwich() ? tree.split : tree.n); i++) if (nameOf(tree.frame[i]) === name) { w += tree.total[i]; i = tree.end[i] - 1; } return 100 * w / tree.whole; },
	exported: async (ending) => { const blob = await exports[ending](); return ending === "png" ? blob.size : blob.text(); },
});
