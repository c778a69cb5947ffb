// Blanks out the parts of a TypeScript source that are not code, keeping every line and column where it was.

/** Characters after which a slash starts a regular expression, not a division. */
const BEFORE_REGEX = new Set([...'(,=:[!&|?{};+-*%<>~^', '']);
const KEYWORD_BEFORE_REGEX = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/;

/**
 * Comments become blanks.
 * @param {string} text
 */
export function withoutComments(text) {
  return scan(text, false);
}

/**
 * Comments, regular expressions and the contents of strings become blanks; code inside `${}` of templates stays.
 * @param {string} text
 */
export function codeOnly(text) {
  return scan(text, true);
}

/**
 * @param {string} text
 * @param {boolean} blankLiterals
 */
function scan(text, blankLiterals) {
  let out = '';
  let i = 0;
  /** For each open template: how many braces are open inside its current `${`. @type {number[]} */
  const templates = [];
  const blank = (/** @type {string} */ part) => part.replace(/[^\n]/g, ' ');
  const emit = (/** @type {number} */ end, /** @type {boolean} */ asBlank) => {
    const part = text.slice(i, end);
    out += asBlank ? blank(part) : part;
    i = end;
  };
  const template = () => {
    let end = i;
    while (end < text.length && text[end] !== '`' && !(text[end] === '$' && text[end + 1] === '{'))
      end += text[end] === '\\' ? 2 : 1;
    emit(Math.min(end, text.length), blankLiterals);
    if (text[i] === '`') emit(i + 1, false);
    else if (i < text.length) {
      emit(i + 2, false);
      templates.push(0);
    }
  };
  while (i < text.length) {
    const char = text[i] ?? '';
    const next = text[i + 1];
    if (char === '/' && next === '/') {
      const end = text.indexOf('\n', i);
      emit(end === -1 ? text.length : end, true);
    } else if (char === '/' && next === '*') {
      const end = text.indexOf('*/', i + 2);
      emit(end === -1 ? text.length : end + 2, true);
    } else if (char === "'" || char === '"') {
      let end = i + 1;
      while (end < text.length && text[end] !== char && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      emit(i + 1, false);
      emit(end, blankLiterals);
      if (text[i] === char) emit(i + 1, false);
    } else if (char === '`') {
      emit(i + 1, false);
      template();
    } else if (char === '/' && startsRegex(out)) {
      emit(regexEnd(text, i), blankLiterals);
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && char === '{') templates[depth] = (templates[depth] ?? 0) + 1;
      if (depth >= 0 && char === '}') {
        if (templates[depth] === 0) {
          templates.pop();
          emit(i + 1, false);
          template();
          continue;
        }
        templates[depth] = (templates[depth] ?? 0) - 1;
      }
      emit(i + 1, false);
    }
  }
  return out;
}

/** @param {string} before the code up to the slash */
function startsRegex(before) {
  const code = before.slice(-200).trimEnd();
  return BEFORE_REGEX.has(code.at(-1) ?? '') || KEYWORD_BEFORE_REGEX.test(code);
}

/**
 * @param {string} text
 * @param {number} start
 */
function regexEnd(text, start) {
  let inClass = false;
  for (let i = start + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return start + 1;
}
