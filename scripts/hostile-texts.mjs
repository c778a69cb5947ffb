// Texts on which a regular expression takes longest, made from the expression itself: a beginning that leads to a
// repetition, something that it repeats, and an end that no match can have.
import { JS } from 'refa';

/**
 * @typedef {import('refa').Concatenation} Concatenation
 * @typedef {import('refa').Quantifier} Quantifier
 * @typedef {{ start: string, pump: string, end: string }} Hostile start, pump as often as fits, end
 */

const MANY = 8;
const MAX_CHARACTERS = 6;
const MAX_TEXTS = 80;
/** Ends that fail most expressions: characters that classes leave out, and the beginning of a line. */
const ENDS = ['\u0000', '\n!\n'];

/**
 * @param {string} pattern
 * @param {string} flags
 * @returns {Hostile[]}
 */
export function hostileTexts(pattern, flags) {
  const { expression } = JS.Parser.fromLiteral({ source: pattern, flags: flags.replace(/[dg]/g, '') }).parse({
    assertions: 'parse',
    backreferences: 'unknown',
  });
  const alphabet = representatives(expression.alternatives);
  /** @type {Map<string, Hostile>} */
  const texts = new Map();
  /** @type {(start: string, pump: string) => void} */
  const add = (start, pump) => {
    for (const end of ENDS) if (pump !== '') texts.set(JSON.stringify([start, pump, end]), { start, pump, end });
  };
  for (const { start, path } of repetitions(expression.alternatives, '')) {
    const last = path[path.length - 1];
    if (!last) continue;
    // One character again and again, whichever the repetition takes: expressions that hand it from one to the next.
    for (const character of alphabet.filter((one) => begins(last.alternatives, one))) add(start, character);
    for (const alternative of last.alternatives) {
      for (const character of ['', ...alphabet]) {
        add(start, sample(alternative, character));
        // The way to the repetition again and again: expressions that begin anew at every character.
        add('', start + sample(alternative, character).repeat(Math.min(Math.max(last.min, 1), MANY)));
      }
    }
    // What lies between an earlier repetition and this one.
    for (const earlier of path.slice(0, -1)) {
      const between = start.slice(start.indexOf(sampleOf(earlier)));
      add(start, between + sampleOf(last));
      add('', between);
    }
  }
  if (texts.size === 0) add('', sample(expression.alternatives[0]) || 'a');
  return [...texts.values()].slice(0, MAX_TEXTS);
}

/** @param {Hostile} hostile @param {number} length */
export const textOf = ({ start, pump, end }, length) => start + pump.repeat(Math.ceil(length / pump.length)) + end;

/**
 * Every repetition with a text that leads to it, and the repetitions on the way.
 * @param {readonly Concatenation[]} alternatives
 * @param {string} start
 * @param {Quantifier[]} before
 * @returns {Generator<{ start: string, path: Quantifier[] }>}
 */
function* repetitions(alternatives, start, before = []) {
  for (const { elements } of alternatives) {
    let text = start;
    const path = [...before];
    for (const element of elements) {
      if (element.type === 'Quantifier') {
        if (element.max >= MANY) {
          path.push(element);
          yield { start: text, path: [...path] };
        }
        yield* repetitions(element.alternatives, text, path);
      } else if (element.type === 'Alternation' || element.type === 'Assertion') {
        yield* repetitions(element.alternatives, text, path);
      }
      text += sampleOf(element);
    }
  }
}

/** A text that matches, with `character` wherever it can be. @param {Concatenation | undefined} concatenation @param {string} [character] @returns {string} */
const sample = (concatenation, character) =>
  (concatenation?.elements ?? []).map((element) => sampleOf(element, character)).join('');

/** @param {import('refa').Element} element @param {string} [character] @returns {string} */
function sampleOf(element, character = '') {
  if (element.type === 'CharacterClass') return element.characters.isEmpty ? '' : pick(element.characters, character);
  if (element.type === 'Alternation') return sample(element.alternatives[0], character);
  if (element.type === 'Quantifier')
    return sample(element.alternatives[0], character).repeat(Math.min(Math.max(element.min, 1), element.max, MANY));
  return '';
}

/** The character, a letter, a digit or another visible character, if the set has one. @param {import('refa').CharSet} set @param {string} preferred */
function pick(set, preferred) {
  for (const character of `${preferred}ax0A-_./ `) if (set.has(character.codePointAt(0) ?? 0)) return character;
  return String.fromCodePoint(set.ranges[0]?.min ?? 0);
}

/**
 * One character for each combination of the expression's classes: others behave as one of these does.
 * @param {readonly Concatenation[]} alternatives
 */
function representatives(alternatives) {
  const sets = [...classes(alternatives)];
  /** @type {Map<string, string>} */
  const bySets = new Map();
  const candidates = new Set([
    ...'a0A-_./: \t\n"\'\\=',
    ...sets.flatMap((set) => set.ranges.slice(0, 4).map(({ min }) => String.fromCodePoint(min))),
  ]);
  for (const character of candidates) {
    const key = sets.map((set) => (set.has(character.codePointAt(0) ?? 0) ? 1 : 0)).join('');
    if (key.includes('1') && !bySets.has(key)) bySets.set(key, character);
  }
  // Those that most classes share are the dangerous ones.
  const shared = (/** @type {string} */ key) => key.split('1').length;
  return [...bySets]
    .sort(([a], [b]) => shared(b) - shared(a))
    .slice(0, MAX_CHARACTERS)
    .map(([, character]) => character);
}

/** @param {readonly Concatenation[]} alternatives @returns {Generator<import('refa').CharSet>} */
function* classes(alternatives) {
  for (const { elements } of alternatives) {
    for (const element of elements) {
      if (element.type === 'CharacterClass') yield element.characters;
      else if (element.type !== 'Unknown') yield* classes(element.alternatives);
    }
  }
}

/** Whether the alternatives can begin with the character. @param {readonly Concatenation[]} alternatives @param {string} character @returns {boolean} */
function begins(alternatives, character) {
  return alternatives.some(({ elements }) => {
    for (const element of elements) {
      if (element.type === 'CharacterClass') return element.characters.has(character.codePointAt(0) ?? 0);
      if (element.type === 'Unknown' || element.type === 'Assertion') continue;
      if (begins(element.alternatives, character)) return true;
      if (element.type !== 'Quantifier' || element.min > 0) return false;
    }
    return false;
  });
}
