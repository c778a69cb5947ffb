/** `.dockerignore`: which files of the directory the build does not see. The last pattern that matches decides. */
export function ignoredBy(source: string): (file: string) => boolean {
  const rules = source
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      keeps: line.startsWith('!'),
      matches: matcher(line.replace(/^!/, '').trim()),
    }));
  return (file) => rules.findLast(({ matches }) => matches(file))?.keeps === false;
}

/** A pattern also matches everything below what it names. Segments match one by one, in linear time each. */
function matcher(pattern: string): (file: string) => boolean {
  const wanted = pattern.split('/').filter((part) => part !== '' && part !== '.');
  return (file) => matchesFrom(wanted, file.split('/'));
}

/** Which numbers of leading parts can have matched so far: a `**` stands for any number of parts. */
function matchesFrom(wanted: readonly string[], parts: readonly string[]): boolean {
  let reached = closure(new Set([0]), wanted);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of reached) {
      if (at === wanted.length) return true;
      if (wanted[at] === '**') next.add(at);
      else if (matchesSegment(wanted[at]!, part)) next.add(at + 1);
    }
    reached = closure(next, wanted);
  }
  return reached.has(wanted.length);
}

function closure(reached: Set<number>, wanted: readonly string[]): Set<number> {
  for (const at of reached) if (wanted[at] === '**') reached.add(at + 1);
  return reached;
}

/** `*` and `?` within one part of a path. */
export function matchesSegment(pattern: string, text: string): boolean {
  let [at, p, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    if (p < pattern.length && (pattern[p] === '?' || (pattern[p] === text[at] && pattern[p] !== '*'))) {
      at++;
      p++;
    } else if (pattern[p] === '*') {
      star = p++;
      mark = at;
    } else if (star === -1) return false;
    else {
      p = star + 1;
      at = ++mark;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
