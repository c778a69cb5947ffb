/** Validates paths inside volumes, which must not lead out of them. */
import { type FieldError, invalidValue, type Path } from '../../../errors/index.ts';

export function validateNoBacksteps(errors: FieldError[], target: string, at: Path): void {
  if (hasBacksteps(target)) errors.push(invalidValue(at, target, "must not contain '..'"));
}

export const hasBacksteps = (target: string): boolean => target.includes('..') && target.split('/').includes('..');

export function validateLocalDescendingPath(errors: FieldError[], target: string, at: Path): void {
  if (target.startsWith('/')) errors.push(invalidValue(at, target, 'must be a relative path'));
  validateNoBacksteps(errors, target, at);
}

/** Names with the prefix `..` are reserved for the kubelet. */
export function validateLocalNonReservedPath(errors: FieldError[], target: string, at: Path): void {
  validateLocalDescendingPath(errors, target, at);
  if (target.startsWith('..') && !target.startsWith('../'))
    errors.push(invalidValue(at, target, "must not start with '..'"));
}

/** Go's path.Clean. */
export function cleanPath(target: string): string {
  if (target === '') return '.';
  const rooted = target.startsWith('/');
  const out: string[] = [];
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (!rooted) out.push('..');
  }
  if (rooted) return `/${out.join('/')}`;
  return out.length === 0 ? '.' : out.join('/');
}
