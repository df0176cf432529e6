/* The page of the rules: it opens the rule or the reason that the address names, and filters the rules by words. */
"use strict";
const field = document.querySelector("#words");
const rules = [...document.querySelectorAll(".rule")];
const topics = [...document.querySelectorAll(".topic")];
const texts = rules.map((rule) => `${rule.parentElement.firstElementChild.textContent}\n${rule.textContent}`.toLowerCase());

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  rules.forEach((rule, place) => { rule.hidden = !words.every((word) => texts[place].includes(word)); });
  for (const topic of topics) topic.hidden = !topic.querySelector(".rule:not([hidden])");
  document.querySelector(".contents").hidden = words.length > 0;
  const found = rules.filter((rule) => !rule.hidden).length;
  document.querySelector("#found").textContent = words.length ? `${found} of ${rules.length} rules` : `${rules.length} rules`;
}

function openAddressed() {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* Not encoded. */ }
  const target = name && document.getElementById(name);
  if (!target) return;
  field.value = "";
  filter();
  const rule = target.closest(".rule");
  if (rule) rule.open = true;
  target.scrollIntoView();
  rule?.querySelector("summary").focus({ preventScroll: true });
}

field.addEventListener("input", filter);
addEventListener("hashchange", openAddressed);
if (field.value) filter();
if (matchMedia("(max-width: 46rem)").matches) document.querySelector(".contents").open = false;
openAddressed();
