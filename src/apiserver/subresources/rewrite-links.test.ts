import { describe, expect, it } from 'vitest';
import { rewriteLinks } from './rewrite-links.ts';

describe('links of a proxied page', () => {
  it.each([
    ['<a href="/x">', '<a href="/base/x">'],
    ["<img src='/x'>", "<img src='/base/x'>"],
    ['<a href="x">', '<a href="x">'],
    ['<a href="//other/x">', '<a href="//other/x">'],
    ['<a href="/base/x">', '<a href="/base/x">'],
    ['<form action=/x>', '<form action="/base/x">'],
  ])('%s', (page, expected) => {
    expect(rewriteLinks(Buffer.from(page), '/base').toString()).toBe(expected);
  });
});
