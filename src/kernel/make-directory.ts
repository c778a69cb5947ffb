/**
 * Creates a directory and its missing parents. Node's own `recursive: true` never returns where mkdir answers ENOENT
 * below a directory that exists (`/proc/x`): it creates the parent again and again. Here every directory is tried at
 * most twice, and the error is the file system's own.
 */
import fs from 'node:fs';
import path from 'node:path';

interface MakeDirectoryOptions {
  /** The mode of every created directory. */
  readonly mode?: number;
}

type Outcome = 'created' | 'exists' | Error;

/** Returns the topmost created directory; undefined when all existed. */
export function makeDirectorySync(directory: string, options: MakeDirectoryOptions = {}): string | undefined {
  const steps = attempts(path.resolve(directory));
  for (let step = steps.next(); ;) {
    if (step.done === true) return step.value;
    const at = step.value;
    try {
      fs.mkdirSync(at, options);
      step = steps.next('created');
    } catch (error) {
      step = steps.next(outcomeOf(error, isDirectory(statSync(at))));
    }
  }
}

/** As `makeDirectorySync`. */
export async function makeDirectory(
  directory: string,
  options: MakeDirectoryOptions = {},
): Promise<string | undefined> {
  const steps = attempts(path.resolve(directory));
  for (let step = steps.next(); ;) {
    if (step.done === true) return step.value;
    const at = step.value;
    try {
      await fs.promises.mkdir(at, options);
      step = steps.next('created');
    } catch (error) {
      step = steps.next(outcomeOf(error, isDirectory(await fs.promises.stat(at).catch(() => undefined))));
    }
  }
}

/** Goes up to the first directory that exists or can be created, then down again. */
function* attempts(target: string): Generator<string, string | undefined, Outcome> {
  const missing: string[] = [];
  let topmost: string | undefined;
  for (let at = target; ; at = path.dirname(at)) {
    const outcome = yield at;
    if (outcome === 'created') topmost = at;
    if (outcome === 'created' || outcome === 'exists') break;
    if (outcome instanceof Error && (!isMissing(outcome) || at === path.dirname(at))) throw outcome;
    missing.push(at);
  }
  for (const at of missing.reverse()) {
    const outcome = yield at;
    if (outcome instanceof Error) throw outcome;
    topmost ??= at;
  }
  return topmost;
}

/** An error for a directory that exists counts as success. */
const outcomeOf = (error: unknown, exists: boolean): Outcome => {
  if (exists) return 'exists';
  return error instanceof Error ? error : new Error(String(error));
};

const isMissing = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Undefined when stat fails. */
function statSync(at: string): fs.Stats | undefined {
  try {
    return fs.statSync(at, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isDirectory = (stats: fs.Stats | undefined): boolean => stats?.isDirectory() ?? false;
