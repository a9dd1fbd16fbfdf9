"use strict";
const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("table.verdicts tbody tr")];
const show = () => {
  const wanted = [...new FormData(form)].filter(([, value]) => value);
  const fits = (row) => wanted.every(([name, value]) => row.dataset[name] === value);
  for (const row of rows) row.hidden = !fits(row);
  document.getElementById("count").textContent =
    `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
};
form.hidden = false;
form.addEventListener("change", show);
form.addEventListener("submit", (event) => event.preventDefault());
show();
// A link to a table behind a click opens it.
const open = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  document.getElementById(id)?.querySelectorAll(":scope > details").forEach((part) => (part.open = true));
};
addEventListener("hashchange", open);
open();
