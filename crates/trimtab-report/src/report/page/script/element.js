// Elements. Texts of recordings become text nodes only, so that none of them is read as markup.

/** An element with attributes, listeners (`onclick`) and children: elements and texts. */
const element = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** An element of a drawing. */
const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Sets the attributes and listeners of an element and adds its children. */
function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A name that breaks into lines behind its separators rather than anywhere. */
const breakable = (name) => name.split(/(?<=[_/])/).flatMap((part, at) => (at === 0 ? [part] : [element("wbr"), part]));

let lastId = 0;

/** An id that no other element has. */
const newId = () => `id-${(lastId += 1)}`;

/** A section of the page with its heading. */
function section(id, title, ...children) {
  const heading = element("h2", { id: `${id}-heading`, tabindex: "-1" }, title);
  return element("section", { id, "aria-labelledby": heading.id }, heading, ...children);
}

/** A control with its label. */
function labelled(text, control) {
  control.id ||= newId();
  return element("span", { class: "field" }, element("label", { for: control.id }, text), control);
}

/** A choice among options; `change` gets the index of the chosen one. */
function choice(options, chosen, change) {
  const made = options.map((text, at) => element("option", { value: at, selected: at === chosen }, text));
  return element("select", { onchange: (event) => change(Number(event.target.value)) }, made);
}

/** Content that may be wider than the screen, and that the keyboard can scroll. */
const scrollable = (label, ...children) =>
  element("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, ...children);

/** Shows the sections of the page, with a link to each of them at its head. */
function showSections(sections) {
  document.getElementById("content").append(...sections);
  const links = sections.map((one) => element("li", {}, element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
  document.getElementById("navigation").append(element("ul", {}, links));
}

