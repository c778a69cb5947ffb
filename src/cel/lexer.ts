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

const SPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)*/y;
const NUMBER = /(?:0x[0-9a-fA-F]+|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+))[uU]?/y;
const IDENTIFIER = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const QUOTED_IDENTIFIER = /`[a-zA-Z0-9_.\-/ ]+`/y;
/** An escape sequence; a backslash before anything else cannot be in a string. */
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/.source;
const IN_QUOTES = ['"""', "'''", '"', "'"].map((quote) => {
  const content = quote.length === 3 ? `(?:[^\\\\]|${ESCAPE})*?` : `(?:[^${quote}\\\\\\r\\n]|${ESCAPE})*`;
  return { quote, content };
});
const STRING = new RegExp(`[bB]?(?:${IN_QUOTES.map(({ quote, content }) => quote + content + quote).join('|')})`, 'y');
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
const HALF_ESCAPE = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?[^]?/.source;
const BROKEN_STRING = new RegExp(
  IN_QUOTES.filter(({ quote }) => quote.length === 1)
    .map(({ quote, content }) => `${quote}${content}(?:${HALF_ESCAPE}|[\\r\\n])?`)
    .join('|'),
  'y',
);
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
  for (;;) {
    at += match(SPACE)!.length;
    if (at >= source.length) {
      tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
      return { tokens, problems };
    }
    const token =
      stringToken(match(RAW_STRING) ?? match(STRING), at) ??
      numberToken(match(NUMBER), at) ??
      plainToken('identifier', match(IDENTIFIER), at) ??
      plainToken('quoted-identifier', match(QUOTED_IDENTIFIER), at) ??
      plainToken('symbol', match(SYMBOL), at);
    if (token) {
      tokens.push(token);
      at += token.text.length;
      continue;
    }
    const broken = match(BROKEN_STRING) ?? match(HALF_OPERATOR) ?? String.fromCodePoint(source.codePointAt(at)!);
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
