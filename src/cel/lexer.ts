/** The CEL lexer: splits an expression into tokens. */
import { unescapeBytes, unescapeString } from './escapes.ts';
import { CelSyntaxError, type SourceProblem } from './source-error.ts';

type TokenKind = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'identifier' | 'quoted-identifier' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
  /** The value of a string or bytes literal. */
  readonly value?: string | Uint8Array;
}

/** Identifiers that an expression cannot use. */
export const RESERVED: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

const SPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)*/y;
const NUMBER = /(?:0x[0-9a-fA-F]+|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+))[uU]?/y;
const IDENTIFIER = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const QUOTED_IDENTIFIER = /`[a-zA-Z0-9_.\-/ ]+`/y;
/** Strings in triple quotes, and in single ones. A backslash that starts no escape sequence cannot be in a string. */
const STRINGS = [
  /[bB]?"""(?:[^\\]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*?"""/y,
  /[bB]?'''(?:[^\\]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*?'''/y,
  /[bB]?"(?:[^"\\\r\n]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*"/y,
  /[bB]?'(?:[^'\\\r\n]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*'/y,
];
const RAW_STRING = /([bB]?[rR]|[rR][bB])(?:"""[^]*?"""|'''[^]*?'''|"[^"\r\n]*"|'[^'\r\n]*')/y;
const SYMBOL = /==|!=|<=|>=|&&|\|\||[()[\]{}.,?:!<>+\-*/%]/y;

/** cel-go's default limit on the length of an expression. */
const MAX_LENGTH = 100_000;

interface TokenizedSource {
  readonly tokens: readonly Token[];
  /** Characters that start no token; the lexer skips them. */
  readonly problems: readonly SourceProblem[];
}

/** The lexer stops after this many errors. */
const MAX_PROBLEMS = 30;
/** What cel-go's lexer consumes before it reports an error: a string up to what cannot be in it, or half of an operator. */
const STRING_STARTS = [
  /"(?:[^"\\\r\n]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*/y,
  /'(?:[^'\\\r\n]|\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}))*/y,
];
const HALF_ESCAPE = /\\(?:[0-3][0-7]?|[xX][\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})?[^]?|[\r\n]/y;

function brokenString(source: string, at: number): string | undefined {
  for (const pattern of STRING_STARTS) {
    pattern.lastIndex = at;
    const start = pattern.exec(source)?.[0];
    if (start === undefined) continue;
    HALF_ESCAPE.lastIndex = at + start.length;
    return start + (HALF_ESCAPE.exec(source)?.[0] ?? '');
  }
  return undefined;
}

const HALF_OPERATOR = /[&|=][^]?/y;

export function tokenize(source: string): TokenizedSource {
  if (source.length > MAX_LENGTH)
    throw new CelSyntaxError([
      { at: 0, message: `expression code point size exceeds limit: size: ${source.length}, limit ${MAX_LENGTH}` },
    ]);
  const tokens: Token[] = [];
  const problems: SourceProblem[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const anyOf = (patterns: readonly RegExp[]): string | undefined => {
    for (const pattern of patterns) {
      const text = match(pattern);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  for (;;) {
    at += match(SPACE)!.length;
    if (at >= source.length) {
      tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
      return { tokens, problems };
    }
    const token =
      stringToken(match(RAW_STRING) ?? anyOf(STRINGS), at) ??
      numberToken(match(NUMBER), at) ??
      plainToken('identifier', match(IDENTIFIER), at) ??
      plainToken('quoted-identifier', match(QUOTED_IDENTIFIER), at) ??
      plainToken('symbol', match(SYMBOL), at);
    if (token) {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    const broken = brokenString(source, at) ?? match(HALF_OPERATOR) ?? String.fromCodePoint(source.codePointAt(at)!);
    problems.push({ at, message: `Syntax error: token recognition error at: '${broken}'` });
    if (problems.length === MAX_PROBLEMS) throw new CelSyntaxError(problems);
    at += broken.length;
  }
}

const plainToken = (kind: TokenKind, text: string | undefined, at: number): Token | undefined =>
  text === undefined ? undefined : { kind, text, at };

function numberToken(text: string | undefined, at: number): Token | undefined {
  if (text === undefined) return undefined;
  if (/[uU]$/.test(text)) return { kind: 'uint', text, at };
  return { kind: /^0x/i.test(text) ? 'int' : /[.eE]/.test(text) ? 'double' : 'int', text, at };
}

function stringToken(text: string | undefined, at: number): Token | undefined {
  if (text === undefined) return undefined;
  const prefix = /^[bBrR]*/.exec(text)![0].toLowerCase();
  const body = text.slice(prefix.length);
  const quotes = body.startsWith('"""') || body.startsWith("'''") ? 3 : 1;
  const content = body.slice(quotes, -quotes).replace(/\r\n?/g, '\n');
  const raw = prefix.includes('r');
  try {
    if (prefix.includes('b'))
      return { kind: 'bytes', text, at, value: raw ? Buffer.from(content) : unescapeBytes(content) };
    return { kind: 'string', text, at, value: raw ? content : unescapeString(content) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CelSyntaxError([{ at, message: error.message }]);
  }
}
