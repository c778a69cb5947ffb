/** Warns about new finalizers of custom resources that are not domain-qualified. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { quote } from '../../base/index.ts';
import { qualifiedName } from '../../machinery/names/index.ts';

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

export function finalizerWarnings(warnings: string[], meta: ObjectMeta, old: ObjectMeta | undefined): void {
  const known = new Set(old?.finalizers);
  for (const finalizer of [...new Set(meta.finalizers)].sort()) {
    if (known.has(finalizer)) continue;
    const say = (what: string): void => void warnings.push(`metadata.finalizers: ${quote(finalizer)}: ${what}`);
    for (const message of qualifiedName(finalizer)) say(message);
    if (finalizer.includes('/') || STANDARD.has(finalizer)) continue;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    say(`prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`);
  }
}
