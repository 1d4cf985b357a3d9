// Makes the page of its data. All texts are set as text, so that nothing in them is markup.
"use strict";
(() => {
  const make = (tag, attributes, ...content) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const fewestSearched = 8; // rows of a table that can be searched
  const mostShown = 100; // rows of a sorted table that are shown at first, because laying out their cells takes longest
  let tables = 0;

  // The value by which a cell is sorted: its number, otherwise its text.
  const valueOf = (cell) => {
    if (Array.isArray(cell)) return cell[1];
    const number = parseFloat(String(cell).replace(/^< /, ""));
    return Number.isNaN(number) ? cell : number;
  };
  const textOf = (cell) => (Array.isArray(cell) ? cell[0] : cell) || "-";

  const rowName = (row) => {
    const head = make("th", { scope: "row" });
    if (row.depth) head.style.paddingLeft = 10 + 18 * row.depth + "px";
    if (row.full) head.append(make("details", {}, make("summary", {}, row.name), make("div", { class: "full" }, row.full)));
    else head.append(row.name);
    return head;
  };

  const rowElement = (row, table, largest) => {
    const element = make("tr", {}, rowName(row));
    row.cells.forEach((cell, i) => {
      const column = table.columns[i];
      const td = make("td", { class: column.bar ? "bar" : column.number ? "number" : "text" }, textOf(cell));
      if (column.bar && largest[i] > 0) td.style.backgroundSize = Math.max(0, (100 * valueOf(cell)) / largest[i]) + "% calc(100% - 4px)";
      element.append(td);
    });
    return element;
  };

  // A row of a table, with what it is sorted and searched by. Its element is made when it is shown first.
  const tableRow = (row, table, largest) => {
    let made;
    const element = () => (made ||= rowElement(row, table, largest));
    return { element, values: [row.name, ...row.cells.map(valueOf)], text: (row.name + " " + (row.full || "") + " " + row.cells.map(textOf).join(" ")).toLowerCase() };
  };

  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const isMissing = (value) => value === null || value === "" || value === "-";

  // Shows the rows that are not hidden by a search, but only the first ones unless the reader wants all.
  const show = (list) => {
    const found = list.rows.filter((row) => !row.isHidden);
    const shown = list.isWhole ? found : found.slice(0, mostShown);
    list.body.replaceChildren(...shown.map((row) => row.element()));
    list.more.hidden = shown.length === found.length;
    list.more.textContent = "Show all " + found.length + " rows";
  };

  // Sorts the rows; those without a value come last in either direction.
  const sort = (list, place, descending) => {
    list.rows.sort((a, b) => {
      const [x, y] = [a.values[place], b.values[place]];
      if (isMissing(x) || isMissing(y)) return isMissing(x) - isMissing(y);
      return descending ? compare(y, x) : compare(x, y);
    });
    show(list);
  };

  const headCell = (table, place, list) => {
    const column = place === 0 ? { head: table.nameHead, meaning: "" } : table.columns[place - 1];
    const head = make("th", { scope: "col", class: place > 0 && (column.number || column.bar) ? "number" : "text" });
    if (!table.sorted) {
      head.append(column.head);
      if (column.meaning) head.title = column.meaning;
      return head;
    }
    const button = make("button", { type: "button", title: column.meaning || "name" }, column.head);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : place > 0 && column.number;
      for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sort(list, place, descending);
    });
    if (column.head === table.sorted) head.setAttribute("aria-sort", "descending");
    head.append(button);
    return head;
  };

  const searchField = (list, id) => {
    const input = make("input", { type: "search", id: id + "-search", autocomplete: "off" });
    const shown = make("span", { role: "status" }, list.rows.length + " rows");
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const row of list.rows) {
        const matches = words.every((word) => row.text.includes(word));
        row.isHidden = !matches;
        count += matches;
      }
      show(list);
      shown.textContent = count === list.rows.length ? count + " rows" : count + " of " + list.rows.length + " rows";
    });
    return make("div", { class: "tools" }, make("label", { for: input.id }, "Search in names and cells"), input, shown);
  };

  const meanings = (table) => {
    const terms = make("dl", { class: "terms" });
    for (const column of table.columns) if (column.meaning) terms.append(make("dt", {}, column.head), make("dd", {}, column.meaning));
    return make("details", { class: "meanings" }, make("summary", {}, "What the columns mean"), terms);
  };

  // Charts are drawn when they are in the page, because the library measures their places, and again in other colours.
  const charts = [], undrawn = [];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const chartColours = (block) => ({
    gridLineColor: colour("--line"), axisLineColor: colour("--quiet"), colors: ["--curve", "--curve-2", "--curve-3", "--curve-4"].map(colour),
    series: block.line ? { [block.line]: { color: colour("--quiet"), drawPoints: false, strokeWidth: 1, pointSize: 0, highlightCircleSize: 0 } } : {} });
  // The range of the points on a logarithmic axis, wider by 2 % of its length on both sides, so that no point is cut.
  const widened = (points) => {
    const [first, last] = [points[0][0], points[points.length - 1][0]];
    const factor = Math.max(1.1, (last / first) ** 0.02);
    return [first / factor, last * factor];
  };
  const drawChart = (block, place, legend) => {
    const windows = (canvas, area, chart) => {
      canvas.fillStyle = colour("--bar");
      canvas.globalAlpha = 0.5;
      for (const [from, to] of block.windows) {
        const left = chart.toDomXCoord(from);
        canvas.fillRect(left, area.y, Math.max(1, chart.toDomXCoord(to) - left), area.h);
      }
      canvas.globalAlpha = 1;
    };
    const options = block.style === "curves" ? { customBars: true, includeZero: true, connectSeparatedPoints: true }
      : { drawPoints: true, strokeWidth: 0, pointSize: 2.5, highlightCircleSize: 4, logscale: true, yRangePad: 8, dateWindow: widened(block.points), axes: { x: { logscale: true, drawGrid: true } } };
    const chart = new Dygraph(place, block.points, {
      labels: [block.x, ...block.series], xlabel: block.x, ylabel: block.y, labelsDiv: legend, legend: "always", underlayCallback: windows,
      digitsAfterDecimal: 3, ...chartColours(block), ...options });
    charts.push([chart, block]);
  };

  const region = (label, content) => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, content);

  const blocks = {
    verdict: (block) => make("div", { class: "verdict " + block.state }, make("strong", {}, block.words), block.reason),
    paragraph: (block) => make("p", {}, block.text),
    screen: (block) => region(block.label, make("pre", {}, block.lines)),
    list: (block) => make("ul", {}, ...block.items.map((item) => make("li", {}, item))),
    figures: (block) =>
      make("dl", { class: "figures" }, ...block.figures.map((figure) =>
        make("div", {}, make("dt", {}, figure.label), make("dd", { class: figure.value.length > 12 ? "long value" : "value" }, figure.value), make("dd", { class: "note" }, figure.note)))),
    terms: (block) => make("dl", { class: "terms" }, ...block.terms.flatMap((one) => [make("dt", {}, one.term), make("dd", {}, one.value)])),
    table: (block) => {
      const id = "table-" + ++tables;
      const largest = block.columns.map((column, i) => (column.bar ? Math.max(...block.rows.map((row) => valueOf(row.cells[i]) || 0)) : 0));
      if (block.sharedBars) largest.fill(Math.max(...largest));
      const rows = block.rows.map((row) => tableRow(row, block, largest));
      const more = make("button", { type: "button", class: "more" });
      const list = { rows, body: make("tbody"), more, isWhole: !block.sorted };
      more.addEventListener("click", () => {
        list.isWhole = true;
        show(list);
      });
      show(list);
      const heads = make("tr", {}, ...[...block.columns.keys(), block.columns.length].map((place) => headCell(block, place, list)));
      const table = make("table", { id }, make("caption", {}, block.caption), make("thead", {}, heads), list.body);
      const parts = [region(block.caption, table)];
      if (rows.length > mostShown) parts.push(more);
      if (block.sorted && rows.length >= fewestSearched) parts.unshift(searchField(list, id));
      if (block.sorted) parts.push(meanings(block));
      return make("div", {}, ...parts);
    },
    picture: (block) => {
      const url = URL.createObjectURL(new Blob([block.svg], { type: "image/svg+xml" }));
      return region(block.text, make("img", { src: url, alt: block.text }));
    },
    chart: (block) => {
      const place = make("div", { class: "plot", role: "img", "aria-label": block.text });
      const legend = make("div", { class: "legend" });
      const names = [...new Set(block.windows.map((one) => one[2]).filter(Boolean))];
      const shaded = names.length ? " Shaded: " + names.join(", ") + "." : "";
      undrawn.push(() => drawChart(block, place, legend));
      return make("figure", {}, legend, place, make("figcaption", {}, block.text + shaded + " Drag to zoom, double-click to zoom out."));
    },
    download: (block) => {
      const button = make("button", { type: "button" }, block.label);
      button.addEventListener("click", () => {
        const url = URL.createObjectURL(new Blob([block.content], { type: "application/octet-stream" }));
        make("a", { href: url, download: block.file }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
      });
      return make("p", { class: "tools" }, button);
    },
  };

  const themeButton = () => {
    const button = make("button", { type: "button", id: "theme" });
    const isDark = () => {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    };
    const name = () => (button.textContent = isDark() ? "Light colours" : "Dark colours");
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      show();
    });
    const show = () => {
      name();
      for (const [chart, block] of charts) chart.updateOptions(chartColours(block));
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    // Paper is light.
    let chosen;
    addEventListener("beforeprint", () => {
      chosen = document.documentElement.dataset.theme;
      document.documentElement.dataset.theme = "light";
      show();
    });
    addEventListener("afterprint", () => {
      if (chosen) document.documentElement.dataset.theme = chosen;
      else delete document.documentElement.dataset.theme;
      show();
    });
    name();
    return button;
  };

  const page = JSON.parse(document.getElementById("data").textContent);
  const title = make("div", {}, make("h1", {}, page.title), make("p", { class: "subtitle" }, page.subtitle));
  const links = page.sections.map((section) => make("li", {}, make("a", { href: "#" + section.id }, section.heading)));
  const main = make("main", {});
  for (const section of page.sections)
    main.append(make("section", { id: section.id, "aria-labelledby": section.id + "-heading" },
      make("h2", { id: section.id + "-heading" }, section.heading), ...section.blocks.map((block) => blocks[block.kind](block))));
  document.getElementById("page").append(make("header", {}, title, themeButton()),
    make("nav", { "aria-label": "Sections" }, make("ul", {}, ...links)), main,
    make("footer", {}, "Made by kjoule. This page is one file and loads nothing."));
  for (const draw of undrawn) draw();
})();
