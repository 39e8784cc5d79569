"use strict";

// Elements from data. Text gets in as text and nowhere else: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "text")
      node.textContent = value;
    else if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children || [])
    if (child !== null && child !== undefined && child !== "")
      node.append(child);
  return node;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

function code(text, attributes) {
  return el("code", { ...attributes, text });
}

// 12345 -> "12,345", in the same way everywhere.
function digits(number) {
  return Number(number).toLocaleString("en-US");
}

function count(number, noun) {
  return `${digits(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function shorten(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + "\u2026";
}

// Both ends of it: "acq(\u2026table_cache.mutex)".
function shortenMiddle(text, most, head) {
  return text.length <= most ? text : `${text.slice(0, head)}\u2026${text.slice(text.length - most + head + 1)}`;
}

// The end of a long name is what differs: "\u2026TableCache::FindTable".
function shortenStart(text, most) {
  return text.length <= most ? text : "\u2026" + text.slice(text.length - most + 1);
}

// key -> those that have it
function groupBy(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    if (groups.has(key))
      groups.get(key).push(item);
    else
      groups.set(key, [item]);
  }
  return groups;
}

function unique(list) {
  return [...new Set(list)];
}
