// Sorts and filters the table of a page of trends, and opens a page's own graphs, which the reader zooms.
// All names come from the data and become text nodes or attributes, never markup.
(() => {
  "use strict";
  const [width, ...records] = document.getElementById("data").textContent.split("\n");
  const base = 90, levels = base ** width - 1;
  const groups = [...document.querySelectorAll("section.group")];
  document.documentElement.classList.add("scripted");

  const node = (space, name, attributes, children) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const html = (name, attributes, ...children) => node("http://www.w3.org/1999/xhtml", name, attributes, children);
  const svg = (name, attributes, ...children) => node("http://www.w3.org/2000/svg", name, attributes, children);

  // The fragment of a page, or of one of its metrics, as the program encodes it.
  const encoded = text => encodeURIComponent(text).replace(/[!'()*]/g, sign => "%" + sign.charCodeAt(0).toString(16).toUpperCase());
  const fragment = (group, page, metric) => "page=" + encoded(page)
    + (metric === undefined ? "" : "&metric=" + encoded(metric)) + (group ? "&group=" + (group + 1) : "");

  // The groups of the data: {labels, releases: [name, share, ...], metrics: [id, title, unit], pages: {name, figures}}.
  const data = [];
  for (const record of records) {
    const [kind, ...fields] = record.split("\t"), group = data.at(-1), page = group && group.pages.at(-1);
    const words = /^[0-9]/.test(kind) ? [] : fields.map(decodeURIComponent);
    if (kind === "group") data.push({ labels: words, releases: [], metrics: [], pages: [] });
    else if (kind === "release") group.releases.push([words[0], ...words.slice(1).map(Number)]);
    else if (kind === "metric") group.metrics.push(words);
    else if (kind === "page") group.pages.push({ name: words[0], figures: [] });
    else if (kind === "figure") {
      page.figures.push({
        lower: Number(words[0]), upper: Number(words[1]), steps: Number(words[2]), curves: [],
        metrics: words[3].split(".").map(metric => group.metrics[metric]),
        changes: words.slice(4).map(change => change.split(".").map(Number)),
      });
    } else if (kind) page.figures.at(-1).curves.push([kind, decodeURIComponent(fields[0]), fields[1]]);
  }

  // The indices in a text, one for each column; NaN where there is none.
  const decoded = (text, count) => {
    const numbers = [];
    for (let at = 0; at < text.length; at += Number(width)) {
      let number = 0;
      for (const sign of text.slice(at, at + Number(width))) {
        number = sign === " " ? NaN : number * base + (sign === "!" ? 23 : sign.charCodeAt(0) - 37);
      }
      numbers.push(number);
    }
    return numbers.length === count ? numbers : Array(count).fill(numbers[0]);
  };

  const line = numbers => numbers.map((number, at) => isNaN(number) ? ""
    : at && !isNaN(numbers[at - 1]) ? "L" + at + " " + (levels - number) : "M" + at + " " + (levels - number) + "h0").join("");

  // A number with the decimals of a step.
  const text = (number, step, unit) => {
    const places = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const shown = Math.abs(number) < 1e15 ? String(Number(number.toFixed(places))) : number.toPrecision(3);
    return shown.replace("-", "\u2212") + (unit ? " " + unit : "");
  };

  const label = (words, x, y) => svg("text", {
    x: x + "%", y, "text-anchor": x < 8 ? "start" : x > 92 ? "end" : "middle", fill: "currentColor", "font-size": 13,
  }, words);

  // A page's own graphs over one axis, with controls to zoom and to read values.
  const view = (number, page) => {
    const group = data[number], { name, figures } = page, count = group.labels.length, rim = levels / 45;
    const frames = [], keys = [];
    let [from, to, at] = [0, count - 1, count - 1];

    const figure = ({ metrics, lower, upper, steps, curves, changes }) => {
      const [id, title, unit] = metrics[0], step = (upper - lower) / steps;
      const caption = html("figcaption", {}, ...(title ? [html("b", {}, title), " "] : []), ...metrics.flatMap(
        ([id], at) => [at ? ", " : "", html("code", { id: fragment(number, name, id), tabindex: -1 }, id)]));
      const inner = svg("svg", { class: "h90", y: 14, width: "100%", height: 94, preserveAspectRatio: "none", fill: "none", stroke: "currentColor" });
      for (const [column, isWorse] of changes) {
        inner.append(svg("path", { class: "mark " + (isWorse ? "worse" : "good"), d: "M" + Math.max(0, column - 0.5) + " 0V" + levels }));
      }
      for (const [kind, curve, signs] of curves) {
        const numbers = decoded(signs, count), value = html("span");
        inner.append(svg("path", { class: "k" + kind, d: line(numbers) }));
        caption.append(" ", html("span", {}, svg("svg", { width: 28, height: 10, fill: "none", stroke: "currentColor" },
          svg("path", { class: "k" + kind, d: "M0 5h28" })), curve + " ", value));
        keys.push(at => {
          const read = lower + numbers[at] / levels * (upper - lower);
          value.textContent = isNaN(read) ? "\u2013" : text(read, Math.abs(read) < 100 ? step / 10 : 1, unit);
        });
      }
      const cursor = svg("path", { class: "cursor" });
      inner.append(cursor);
      keys.push(at => cursor.setAttribute("d", "M" + at + " 0V" + levels));
      frames.push(inner);
      const ends = [[upper, 16, unit], [lower, 106, ""]];
      const grid = ends.map(([, y]) => svg("line", { x2: "100%", y1: y, y2: y, stroke: "currentColor", "stroke-opacity": 0.18 }));
      const texts = ends.map(([value, y, unit]) => svg("text", { x: 0, y, dy: -3, fill: "currentColor", "font-size": 12 }, text(value, step, unit)));
      const gap = lower > 0 ? [svg("path", { class: "gap", d: "M48 106l4-6 7 12 7-12 7 12 4-6", fill: "none", stroke: "currentColor" })] : [];
      const plot = svg("svg", { class: "plot", width: "100%", height: 110, role: "img" },
        svg("title", {}, title || id), ...grid, ...gap, inner, ...texts);
      plot.addEventListener("pointermove", event => {
        const box = plot.getBoundingClientRect();
        at = Math.min(to, Math.max(from, Math.round(from + (to - from) * (event.clientX - box.left) / box.width)));
        draw();
      });
      return html("figure", {}, caption, plot);
    };

    const axis = svg("svg", { class: "axis", width: "100%", height: group.releases.length ? 50 : 20, role: "img" });
    const range = (title, set) => {
      const input = html("input", { type: "range", min: 0, max: count - 1, step: 1 });
      input.addEventListener("input", () => { set(Number(input.value)); draw(); });
      return [html("label", {}, title + " ", input), input];
    };
    const [fromLabel, fromInput] = range("From", value => { from = Math.min(value, count - 2); to = Math.max(to, from + 1); });
    const [toLabel, toInput] = range("To", value => { to = Math.max(value, 1); from = Math.min(from, to - 1); });
    const [atLabel, atInput] = range("Values of", value => { at = value; from = Math.min(from, at); to = Math.max(to, at); });
    const day = html("output");
    atLabel.append(" ", day);

    const drawAxis = () => {
      const x = column => to > from ? 100 * (column - from) / (to - from) : 0;
      const middle = Math.round((from + to) / 2), dates = [...new Set([from, middle, to])];
      axis.replaceChildren(svg("title", {}, "dates and releases"), ...dates.map(at => label(group.labels[at], x(at), 14)));
      if (!group.releases.length) return;
      axis.append(svg("svg", { class: "strip", y: 21, width: "100%", height: 10, viewBox: from + " 0 " + Math.max(1, to - from) + " 100", preserveAspectRatio: "none" },
        svg("use", { href: "#strip-" + number, width: Math.max(1, count - 1), height: 100 })));
      const leader = at => group.releases.reduce((best, release) => release[at + 1] > best[at + 1] ? release : best);
      let start = from, end = -Infinity;
      for (let at = from; at <= to; at += 1) {
        if (at < to && leader(at + 1) === leader(at)) continue;
        const place = x((start + at) / 2), [release] = leader(at);
        start = at + 1;
        // A character is as wide as 2.4 % of a phone's drawing.
        if (place - 1.2 * release.length < end) continue;
        axis.append(label(release, place, 46));
        end = place + 1.2 * release.length;
      }
    };
    const draw = () => {
      at = Math.min(to, Math.max(from, at));
      for (const frame of frames) frame.setAttribute("viewBox", from + " " + -rim + " " + Math.max(1, to - from) + " " + (levels + 2 * rim));
      for (const key of keys) key(at);
      [fromInput.value, toInput.value, atInput.value, day.value] = [from, to, at, group.labels[at]];
      for (const [input, at] of [[fromInput, from], [toInput, to]]) input.setAttribute("aria-valuetext", group.labels[at]);
      drawAxis();
    };

    const close = html("button", { type: "button" }, "Close");
    const section = html("section", { class: "own open", id: fragment(number, name), tabindex: -1 },
      html("h3", {}, html("bdi", {}, name), " ", close), ...figures.map(figure),
      html("div", { class: "foot" }, axis, ...(count > 2 ? [fromLabel, toLabel, atLabel] : [])));
    close.addEventListener("click", () => {
      section.classList.remove("open");
      const row = groups[number].querySelectorAll("table.sparks tbody tr")[0];
      const link = [...groups[number].querySelectorAll("table.sparks tbody a")].find(link => link.textContent === name);
      (link || row).scrollIntoView({ block: "center" });
      if (link) link.focus();
    });
    draw();
    return section;
  };

  const views = new Map();
  const show = (number, page) => {
    const place = groups[number].querySelector(".views"), name = page.name;
    for (const open of place.querySelectorAll(".own.open")) open.classList.remove("open");
    if (!views.has(page)) {
      const known = document.getElementById(fragment(number, name)), made = view(number, page);
      views.set(page, made);
      if (known) known.replaceWith(made); else place.append(made);
    }
    views.get(page).classList.add("open");
    return views.get(page);
  };

  // Follows a link such as #page=Search&metric=ttil.
  const follow = () => {
    const fields = new Map();
    try {
      for (const part of location.hash.slice(1).split("&")) {
        const [key, ...value] = part.split("=");
        fields.set(key, decodeURIComponent(value.join("=")));
      }
    } catch { return; }
    const number = Number(fields.get("group") || 1) - 1;
    const page = (data[number] || data[0]).pages.find(page => page.name === fields.get("page"));
    if (!page) return;
    const section = show(data[number] ? number : 0, page);
    const metric = [...section.querySelectorAll("code")].find(code => code.textContent === fields.get("metric"));
    (metric ? metric.closest("figure") : section).scrollIntoView();
    (metric || section).focus({ preventScroll: true });
  };

  groups.forEach((section, number) => {
    const group = data[number], body = section.querySelector("table.sparks tbody"), rows = [...body.rows];
    rows.forEach((row, at) => {
      const name = row.cells[0];
      if (name.querySelector("a")) return;
      const link = html("a", { href: "#" + fragment(number, group.pages[at].name) });
      link.append(...name.childNodes);
      name.append(link);
    });
    section.addEventListener("click", event => {
      const link = event.target.closest("a");
      if (link && link.hash === location.hash) follow();
    });
    if (group.pages.length < 2) {
      show(number, group.pages[0]);
      return;
    }

    const input = html("input", { type: "search", placeholder: "part of a name" });
    const found = html("output");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      found.value = wanted ? rows.filter(row => !row.hidden).length + " of " + rows.length + " pages" : "";
    });
    const controls = section.querySelector(".controls");
    controls.append(html("label", {}, "Pages with ", input), found);
    controls.hidden = false;

    const heads = [...section.querySelectorAll("table.sparks thead th")];
    const orders = new Map(rows.map((row, at) => [row, at]));
    heads.forEach((head, column) => {
      const button = html("button", { type: "button", title: column ? "Sort by change" : "Sort by name" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const steps = column ? [null, "descending", "ascending"] : [null, "ascending", "descending"];
        const next = steps[(steps.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        const sign = next === "descending" ? -1 : 1;
        const change = row => row.cells[column].dataset.c === undefined ? Infinity * sign : Number(row.cells[column].dataset.c);
        const compare = (first, second) => column ? sign * (change(first) - change(second)) || 0
          : sign * first.cells[0].textContent.localeCompare(second.cells[0].textContent, undefined, { numeric: true });
        body.append(...[...rows].sort((first, second) => (next ? compare(first, second) : 0) || orders.get(first) - orders.get(second)));
      });
    });
  });

  addEventListener("hashchange", follow);
  follow();
})();
