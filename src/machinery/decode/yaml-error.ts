/** YAML syntax errors in the words of upstream's library. */
import type { LineCounter, YAMLParseError } from 'yaml';
import { badRequest, type StatusError } from '../errors/index.ts';

interface Wording {
  readonly text: string;
  /** The difference between our parser's line number and upstream's. */
  readonly lineOffset: number;
}

/** Upstream's scanner and parser count lines differently, which `lineOffset` corrects. */
export function yamlError(errors: readonly YAMLParseError[], lines: LineCounter, document: string): StatusError {
  const error = errors[0]!;
  const { text, lineOffset } = wording(error, errors, document);
  return badRequest(`yaml: line ${Math.max(1, lines.linePos(error.pos[0]).line + lineOffset)}: ${text}`);
}

/** Whether a flow collection ends where content is expected. */
const wantsContent = (document: string, end: number): boolean =>
  /[[{,:]$/.test(
    document
      .slice(0, end)
      .replace(/(^|\s)#.*$/gm, '')
      .trimEnd(),
  );

function wording(error: YAMLParseError, errors: readonly YAMLParseError[], document: string): Wording {
  const says = (words: string): boolean => error.message.includes(words);
  switch (error.code) {
    case 'BAD_SCALAR_START':
    case 'TAB_AS_INDENT':
      return { text: 'found character that cannot start any token', lineOffset: 0 };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        text: 'mapping values are not allowed in this context',
        lineOffset: errors.some((e) => e.code === 'MULTILINE_IMPLICIT_KEY' && e.pos[0] === error.pos[0]) ? 1 : 0,
      };
    case 'MULTILINE_IMPLICIT_KEY':
      return { text: 'mapping values are not allowed in this context', lineOffset: 1 };
    case 'BAD_INDENT':
      if (says('Flow') && wantsContent(document, error.pos[0]))
        return { text: 'did not find expected node content', lineOffset: -1 };
      if (says('Flow map')) return { text: "did not find expected ',' or '}'", lineOffset: -1 };
      if (says('Flow seq')) return { text: "did not find expected ',' or ']'", lineOffset: -1 };
      if (says('sequence items')) return { text: "did not find expected '-' indicator", lineOffset: -1 };
      return { text: 'did not find expected key', lineOffset: -1 };
    case 'MISSING_CHAR':
      if (says('quote')) return { text: 'found unexpected end of stream', lineOffset: 0 };
      if (says('Implicit map key')) return { text: "could not find expected ':'", lineOffset: 1 };
      if (wantsContent(document, error.pos[0])) return { text: 'did not find expected node content', lineOffset: -1 };
      return {
        text: says('}')
          ? "did not find expected ',' or '}'"
          : says(']')
            ? "did not find expected ',' or ']'"
            : 'did not find expected node content',
        lineOffset: -1,
      };
    case 'UNEXPECTED_TOKEN':
      if (says('in YAML stream')) return { text: 'did not find expected <document start>', lineOffset: -1 };
      return {
        text: says('node end') ? "did not find expected '-' indicator" : 'did not find expected node content',
        lineOffset: -1,
      };
    case 'BAD_DQ_ESCAPE':
      return { text: 'found unknown escape character', lineOffset: 0 };
    default:
      return { text: 'did not find expected key', lineOffset: -1 };
  }
}
