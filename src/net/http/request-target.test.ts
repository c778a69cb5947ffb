import { describe, expect, it } from 'vitest';
import { splitTarget } from './request-target.ts';

describe('a request target', () => {
  it.each([
    ['a path', '/a/b', '/a/b', ''],
    ['a path with a query', '/a?b=c&d', '/a', 'b=c&d='],
    ['a question mark in the query', '/a?b=?', '/a', 'b=%3F'],
    ['two slashes', '//', '//', ''],
    ['what would be a host in a link', '//[::1/a', '//[::1/a', ''],
    ['dots', '/a/../b', '/a/../b', ''],
    ['an absolute target', 'http://host:1/a?b=c', '/a', 'b=c'],
    ['an absolute target without a path', 'https://host', '', ''],
    ['an absolute target with a broken host', 'http://[/a', '/a', ''],
    ['a target of OPTIONS', '*', '*', ''],
    ['a broken escape', '/%zz?a=%zz&b=c', '/%zz', 'b=c'],
    ['a semicolon', '/?a=1;b=2&c=3', '/', 'c=3'],
    ['nothing', '', '', ''],
  ])('is split: %s', (_name, target, path, query) => {
    const split = splitTarget(target);
    expect([split.path, split.query.toString()]).toEqual([path, query]);
  });
});
