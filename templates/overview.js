(() => {
  // What a cell is sorted by, by the kind of its column; null where there is nothing.
  const KEYS = {
    text: (text) => text,
    number: (text) => (text === "–" ? null : Number(text)),
    mark: (text, { marks }) => (text === "" ? null : marks.indexOf(text)),
  };
  // Cells have no end tags, so that the last one of a row ends in a line end.
  const textOf = (row, i) => row.cells[i].textContent.trim();

  function students(table, input) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const output = document.querySelector("output[for=filter]");
    const all = document.querySelector("[data-do=all]");
    const compare = new Intl.Collator(document.documentElement.lang, { numeric: true }).compare;
    // Name, id and outcome: marks, points and times are no words that one would look for.
    const filtered = heads.findIndex((head) => head.dataset.sort === "number");
    const rows = [...body.rows].map((row) => {
      const words = heads.slice(0, filtered).map((_, i) => textOf(row, i));
      return { row, words: words.join(" ").toLowerCase() };
    });

    // The style draws but the first few hundred rows until all are asked for: thousands take a
    // browser seconds to lay out.
    function show() {
      const wanted = input.value.trim().toLowerCase();
      const found = rows.filter(({ words }) => words.includes(wanted));
      body.replaceChildren(...found.map(({ row }) => row));
      output.textContent = wanted && output.dataset.said.replace("{shown}", found.length).replace("{total}", rows.length);
      all.hidden = !found.length || found.at(-1).row.checkVisibility();
    }

    function sort(head, i, down) {
      const key = KEYS[head.dataset.sort];
      const keys = new Map(rows.map((one) => [one, key(textOf(one.row, i), table.dataset)]));
      rows.sort((one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        if (a === null || b === null) return (a === null) - (b === null); // last, whichever way
        const order = typeof a === "string" ? compare(a, b) : a - b;
        return down ? -order : order;
      });
      for (const other of heads) other.removeAttribute("aria-sort");
      head.ariaSort = down ? "descending" : "ascending";
    }

    heads.forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        sort(head, i, head.ariaSort === "ascending");
        show();
      });
    });
    input.addEventListener("input", show);
    all.addEventListener("click", () => {
      table.classList.add("whole");
      show();
      table.parentElement.focus();
    });
    show(); // a browser may have kept what was typed before
  }

  document.addEventListener("DOMContentLoaded", () => {
    students(document.querySelector("table.all"), document.querySelector("#filter"));
  });
})();
