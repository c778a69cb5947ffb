import { describe, expect, it } from 'vitest';
import { pemBlocks } from './pem.ts';

const block = (type: string, body = 'AAEC\n'): string => `-----BEGIN ${type}-----\n${body}-----END ${type}-----\n`;
const typesIn = (text: string): string[] => Array.from(pemBlocks(text), ({ type }) => type);

describe('PEM blocks', () => {
  it.each([
    ['one', block('A'), ['A']],
    ['several, with text between them', `x\n${block('A')}y\n${block('B')}`, ['A', 'B']],
    ['lines that end as on Windows', block('A').replaceAll('\n', '\r\n'), ['A']],
    ['no end of the last line', block('A').trimEnd(), ['A']],
    ['no body', block('A', ''), ['A']],
    ['headers', block('A', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAAEC\n'), ['A']],
    ['spaces after the dashes', '-----BEGIN A----- \nAAEC\n-----END A-----\t\n', ['A']],
    ['an end of another type', `-----BEGIN A-----\nAAEC\n-----END B-----\n${block('C')}`, ['C']],
    ['a beginning that is not ended', `-----BEGIN A-----\nAAEC\n${block('B')}`, ['B']],
    ['not base64', block('A', 'A!EC\n'), []],
    ['a beginning within a line', `x${block('A')}`, []],
    ['nothing', '', []],
  ])('%s', (_name, text, types) => {
    expect(typesIn(text)).toEqual(types);
  });

  it('have headers, bytes and the text that they were', () => {
    const text = block('A', '__proto__: x\nDEK-Info: y\n\nAAEC\n');
    const [found] = pemBlocks(`x\n${text}`);
    expect([...found!.headers]).toEqual([
      ['__proto__', 'x'],
      ['DEK-Info', 'y'],
    ]);
    expect([...found!.bytes]).toEqual([0, 1, 2]);
    expect(found!.text).toBe(text.trimEnd());
  });

  it.each([
    ['beginnings', '-----BEGIN A-----\n'],
    ['ends', '-----END A-----\n'],
    ['beginnings without an end of their line', '-----BEGIN A'],
    ['blocks that are broken', '-----BEGIN A-----\n!\n-----END A-----\n'],
    ['beginnings before an end', '-----BEGIN A-----\n-----BEGIN A-----\n!\n-----END A-----\n'],
    ['headers', 'a:b\n'],
  ])('are found quickly among many %s', (_name, part) => {
    const before = process.cpuUsage();
    expect(typesIn(`${part.repeat(1_000_000 / part.length)}\n${block('X')}`)).toEqual(['X']);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});
