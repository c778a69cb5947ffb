import { describe, expect, it } from 'vitest';
import { parseDockerfile } from './parse-dockerfile.ts';

const parsed = (source: string): unknown[] =>
  parseDockerfile(source).map(({ name, line, text, words, flags }) => ({
    name,
    line,
    text,
    ...(words ? { words } : {}),
    ...(flags.size > 0 ? { flags: Object.fromEntries(flags) } : {}),
  }));

describe('a Dockerfile', () => {
  it('has instructions in any case, comments, and lines that go on', () => {
    expect(
      parsed('# syntax=docker/dockerfile:1\nARG A=1\nfrom x AS y\n\nRUN a && \\\n  # why\n\n  b\nCMD ["c", "d"]\r\n'),
    ).toEqual([
      { name: 'ARG', line: 2, text: 'A=1' },
      { name: 'FROM', line: 3, text: 'x AS y' },
      { name: 'RUN', line: 5, text: 'a &&   b' },
      { name: 'CMD', line: 9, text: '["c", "d"]', words: ['c', 'd'] },
    ]);
  });

  it('has flags', () => {
    expect(parsed('FROM x\nCOPY --from=b --chown=1:2 a /b')[1]).toEqual({
      name: 'COPY',
      line: 2,
      text: 'a /b',
      flags: { from: 'b', chown: '1:2' },
    });
  });

  it('a list that is no JSON is a command of the shell', () => {
    expect(parsed('FROM x\nRUN [ -f /a ] && b')[1]).toEqual({ name: 'RUN', line: 2, text: '[ -f /a ] && b' });
  });

  it.each([
    ['', 'the Dockerfile has no instructions'],
    ['# nothing\n', 'the Dockerfile has no instructions'],
    ['RUN a\nFROM b', 'Dockerfile:1: FROM must come first'],
    ['FROM a\n\nONBUILD RUN b', 'Dockerfile:3: the instruction ONBUILD is not supported'],
    ['FROM a\nconstructor b', 'Dockerfile:2: the instruction constructor is not supported'],
    ['FROM a\nRUN --mount=type=cache,target=/x b', 'Dockerfile:2: the flag --mount of RUN is not supported'],
    ['FROM a\nCOPY --link b c', 'Dockerfile:2: the flag --link of COPY is not supported'],
    ['FROM a\nRUN <<EOF\nb\nEOF', 'Dockerfile:2: here-documents (<<EOF) of RUN are not supported'],
    ['FROM a\nENV', 'Dockerfile:2: ENV needs something after it'],
    ['# escape=`\nFROM a', 'Dockerfile:1: the escape character ` is not supported'],
  ])('%j is refused by name and line', (source, message) => {
    expect(() => parseDockerfile(source)).toThrow(message);
  });
});
