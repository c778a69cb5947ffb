// Finds functions that are too long to be read at once. Closures of that length share variables that nobody can follow;
// make them a class or functions that are given what they need.
import { parseSync } from 'oxc-parser';

export const MAX_LINES = 60;

/**
 * The functions of a source file with more lines than allowed, the outermost first.
 * @param {string} file its name, by which the parser knows the language
 * @param {string} text
 * @returns {{ name: string, line: number, lines: number }[]}
 */
export function longFunctions(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  /** @type {{ name: string, line: number, lines: number }[]} */
  const found = [];
  const lineAt = (/** @type {number} */ offset) => text.slice(0, offset).split('\n').length;
  const visit = (/** @type {unknown} */ node, /** @type {string} */ name) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child, name));
    const { type = '', start, end, body, id, key } = /** @type {Record<string, any>} */ (node);
    const own = id?.name ?? key?.name ?? name;
    if (/Function/.test(type) && body) {
      const [line, lines] = [lineAt(start), text.slice(start, end).split('\n').length];
      if (lines > MAX_LINES) found.push({ name: own, line, lines });
    }
    for (const child of Object.values(node)) visit(child, own);
  };
  visit(program, '');
  return found;
}
