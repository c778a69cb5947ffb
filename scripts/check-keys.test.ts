import { describe, expect, it } from 'vitest';
import { checkText } from './check-keys.mjs';

const codes = (text: string): string[] => checkText('a.ts', text).map(({ code }) => code);

describe('lookups of texts in plain objects', () => {
  it.each([
    ['a table', 'const T: Record<string, number> = { a: 1 }; export const f = (k: string) => T[k];', ['T[k]']],
    ['a readonly table', 'const T: Readonly<Record<string, number>> = { a: 1 }; f(T[g(k)] ?? 0);', ['T[g(k)]']],
    ['an exported table', 'export const T: { readonly [key: string]: number } = {}; T[`a/${k}`];', ['T[`a/${k}`]']],
    ['a table that is filled on demand', 'const T: Record<string, string[]> = {}; (T[k] ??= []).push(1);', ['T[k]']],
    ['a literal', 'const f = (k: string) => ({ a: 1, b: 2 })[k];', ['({ a: 1, b: 2 })[k]']],
    ['labels', 'pod.metadata.labels?.[key] === x', ['pod.metadata.labels?.[key]']],
    ['subresources', 'served.subresources[info.subresource]', ['served.subresources[info.subresource]']],
    ['a variable of labels', 'labels[requirement.key]', ['labels[requirement.key]']],
    ['in', 'if (label in served.fields) f();', ['label in served.fields']],
  ])('%s', (_name, text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  it.each([
    [
      'a key that is written there',
      "const T: Record<string, number> = {}; T['a']; metadata.labels?.['app']; labels[APP_LABEL];",
    ],
    ['a constant key', 'metadata.annotations?.[LAST_APPLIED]'],
    ['keys that the compiler knows', 'const T: Record<Kind, number> = { a: 1 }; T[kind];'],
    ['a list', 'const T: readonly string[] = []; T[i];'],
    ['a write', 'const T: Record<string, number> = {}; T[k] = 1; delete T[k]; metadata.labels[key] = x;'],
    ['a Map', 'const T: ReadonlyMap<string, number> = new Map(Object.entries<number>({ a: 1 })); T.get(k);'],
    ['own values', 'ownValue(metadata.labels, key); Object.hasOwn(T, k);'],
    ['a field that is written there', "if ('spec' in object) f(); if (#a in b) f();"],
  ])('allows %s', (_name, text) => {
    expect(codes(text)).toEqual([]);
  });
});
