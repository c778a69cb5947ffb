/** Syntax errors in the words of kube-apiserver v1.36.4, which are ANTLR's. */
import { describe, expect, it } from 'vitest';
import { parse } from './parser.ts';
import { CelSyntaxError, problemsText } from './source-error.ts';

const START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** `LINE:COLUMN MESSAGE` of every problem. */
function problemsIn(source: string): string[] {
  try {
    parse(source);
    return [];
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    return [...problemsText(source, error.problems).matchAll(/<input>:(\d+:\d+): (?:Syntax error: )?(.*)/g)].map(
      ([, place, message]) => `${place} ${message}`,
    );
  }
}

describe('a syntax error', () => {
  it.each<[source: string, problems: string[]]>([
    ['Object{', ["1:8 mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"]],
    ['[1,', ["1:4 missing ']' at '<EOF>'"]],
    ['{1:2,', ["1:6 missing '}' at '<EOF>'"]],
    [
      '[',
      [
        "1:2 mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    [
      '{',
      [
        "1:2 mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['in', [`1:1 mismatched input 'in' expecting ${START}`, `1:3 mismatched input '<EOF>' expecting ${START}`]],
    ['*', [`1:1 mismatched input '*' expecting ${START}`, `1:2 mismatched input '<EOF>' expecting ${START}`]],
    [
      '"\\q"',
      [
        "1:1 token recognition error at: '\"\\q'",
        "1:4 token recognition error at: '\"'",
        `1:5 mismatched input '<EOF>' expecting ${START}`,
      ],
    ],
    ['', [`1:0 mismatched input '<EOF>' expecting ${START}`]],
    ['[1, ,2]', ["1:5 mismatched input ',' expecting ']'"]],
    ['f(1', ["1:4 missing ')' at '<EOF>'"]],
    ['f(1,', [`1:5 mismatched input '<EOF>' expecting ${START}`]],
    ['[?', [`1:3 mismatched input '<EOF>' expecting ${START}`]],
    ['{?', [`1:3 mismatched input '<EOF>' expecting ${START}`]],
    ['{1', ["1:3 mismatched input '<EOF>' expecting ':'"]],
    ['f(1 2 3)', ["1:5 mismatched input '2' expecting ')'"]],
    ['[1 2 3]', ["1:4 mismatched input '2' expecting {']', ','}"]],
    ['(1 2)', ["1:4 extraneous input '2' expecting ')'"]],
    ['self.l[0 1]', ["1:10 extraneous input '1' expecting ']'"]],
    ['a ? b c : d', ["1:7 extraneous input 'c' expecting ':'"]],
    ['(', [`1:2 mismatched input '<EOF>' expecting ${START}`]],
    ['a.b.1', ["1:4 extraneous input '.1' expecting <EOF>"]],
    ['1 2 3', ["1:3 mismatched input '2' expecting <EOF>"]],
    ['Object{a', ["1:9 mismatched input '<EOF>' expecting ':'"]],
    ['Object{a:', [`1:10 mismatched input '<EOF>' expecting ${START}`]],
    ['Object{a: 1', ["1:12 mismatched input '<EOF>' expecting {'}', ','}"]],
    ['Object{a: 1,', ["1:13 missing '}' at '<EOF>'"]],
    ['Object{?', ["1:9 mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}"]],
    ['1 == 1 ? 2', ["1:11 mismatched input '<EOF>' expecting ':'"]],
    ['1 == 1 ? 2 3', ["1:12 missing ':' at '3'"]],
    ['true ? : 1', [`1:8 extraneous input ':' expecting ${START}`, "1:11 mismatched input '<EOF>' expecting ':'"]],
    ['has(1) && has(self.n.foo()) ', ['1:5 invalid argument to has() macro', '1:25 invalid argument to has() macro']],
    ['has(self)', ['1:5 invalid argument to has() macro']],
    [
      'has(size(self.l)) || has(self.l[0])',
      ['1:9 invalid argument to has() macro', '1:32 invalid argument to has() macro'],
    ],
    ['self.l.all(x.y, true)', ['1:13 argument must be a simple name']],
    ['self.l.all(1, true) && has(1)', ['1:12 argument must be a simple name', '1:28 invalid argument to has() macro']],
    ['self.', ["1:6 no viable alternative at input '.'"]],
    ['self..s', ["1:6 no viable alternative at input '..'"]],
    ['self.s ==', [`1:10 mismatched input '<EOF>' expecting ${START}`]],
    ['== self.s', [`1:1 extraneous input '==' expecting ${START}`]],
    ['self.s)', ["1:7 extraneous input ')' expecting <EOF>"]],
    ['(self.s', ["1:8 missing ')' at '<EOF>'"]],
    [
      'self.l[',
      [
        "1:8 mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['self.l[0', ["1:9 missing ']' at '<EOF>'"]],
    ['[1, 2', ["1:6 mismatched input '<EOF>' expecting {']', ','}"]],
    ['[1 2]', ["1:4 extraneous input '2' expecting {']', ','}"]],
    ['{1: 2', ["1:6 mismatched input '<EOF>' expecting {'}', ','}"]],
    ['{1 2}', ["1:4 missing ':' at '2'"]],
    ['{1:}', [`1:4 mismatched input '}' expecting ${START}`]],
    ['"abc', ["1:1 token recognition error at: '\"abc'", `1:5 mismatched input '<EOF>' expecting ${START}`]],
    ['1 +', [`1:4 mismatched input '<EOF>' expecting ${START}`]],
    ['true;', ["1:5 token recognition error at: ';'"]],
    ['self.s === "a"', ["1:10 token recognition error at: '= '"]],
    ['self.s = "a"', ["1:8 token recognition error at: '= '", '1:10 extraneous input \'"a"\' expecting <EOF>']],
    ['a b', ["1:3 extraneous input 'b' expecting <EOF>"]],
    ['@', ["1:1 token recognition error at: '@'", `1:2 mismatched input '<EOF>' expecting ${START}`]],
    ['#', ["1:1 token recognition error at: '#'", `1:2 mismatched input '<EOF>' expecting ${START}`]],
    ['self.s & 1', ["1:8 token recognition error at: '& '", "1:10 extraneous input '1' expecting <EOF>"]],
    ['1 in', [`1:5 mismatched input '<EOF>' expecting ${START}`]],
    ['()', [`1:2 mismatched input ')' expecting ${START}`]],
    ['self.l.all(x, x > 1', ["1:20 missing ')' at '<EOF>'"]],
    ['"a" "b"', ['1:5 extraneous input \'"b"\' expecting <EOF>']],
    ['1.2.3', ["1:4 extraneous input '.3' expecting <EOF>"]],
    ['0x', ["1:2 extraneous input 'x' expecting <EOF>"]],
    ['1u2', ["1:3 extraneous input '2' expecting <EOF>"]],
    ["'a", ["1:1 token recognition error at: ''a'", `1:3 mismatched input '<EOF>' expecting ${START}`]],
    ['r"a', ["1:2 token recognition error at: '\"a'"]],
    ['.', ["1:2 no viable alternative at input '.'"]],
    ['..', ["1:2 no viable alternative at input '..'"]],
    [
      'self.s.size(',
      [
        "1:13 mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    [
      'f(,)',
      [
        "1:3 extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['f(1,)', [`1:5 mismatched input ')' expecting ${START}`]],
    ['f(1 2)', ["1:5 extraneous input '2' expecting ')'"]],
    ['true && ', [`1:9 mismatched input '<EOF>' expecting ${START}`]],
    ['|| true', [`1:1 extraneous input '||' expecting ${START}`]],
    ['true || && false', [`1:9 extraneous input '&&' expecting ${START}`]],
    ['a ? b', ["1:6 mismatched input '<EOF>' expecting ':'"]],
    ['? a : b', [`1:1 extraneous input '?' expecting ${START}`, "1:5 mismatched input ':' expecting <EOF>"]],
    ['a ?', [`1:4 mismatched input '<EOF>' expecting ${START}`]],
    ['a ? b :', [`1:8 mismatched input '<EOF>' expecting ${START}`]],
  ])('%s', (source, problems) => expect(problemsIn(source)).toEqual(problems));

  it.each(['-!a', '!-a', '?!', '??', 'in in', '- - !', '!?a'])('ends parsing of %s', (source) =>
    expect(problemsIn(source)).not.toEqual([]),
  );

  it.each(['[1,]', '{1: 2,}', '[,]', '{,}', 'A{,}', 'f()'])('is not in %s', (source) =>
    expect(problemsIn(source)).toEqual([]),
  );
});
