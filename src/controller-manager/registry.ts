/** Every controller that there is; `--controllers` chooses among these names. */
import type { ControllerDescriptor } from './controller.ts';
import { garbageCollectorController } from './garbage-collector/garbage-collector.ts';
import { namespaceController } from './namespace/namespace.ts';
import { serviceAccountController } from './serviceaccount/service-account.ts';

export const controllers: readonly ControllerDescriptor[] = [
  serviceAccountController,
  namespaceController,
  garbageCollectorController,
];

/** `*` means all that are on by default; a name switches one on, `-name` off; the last word counts. */
export function enabledControllers(wanted: readonly string[], all: readonly ControllerDescriptor[] = controllers): ControllerDescriptor[] {
  const known = new Set(all.flatMap((c) => [c.name, ...(c.aliases ?? [])]));
  for (const word of wanted) {
    const name = word.replace(/^-/, '');
    if (name !== '*' && !known.has(name)) throw new Error(`"${name}" is not in the list of known controllers`);
  }
  return all.filter((controller) => {
    const names = [controller.name, ...(controller.aliases ?? [])];
    const star = wanted.includes('*') && !controller.disabledByDefault;
    const last = wanted.findLast((word) => names.includes(word.replace(/^-/, '')));
    return last === undefined ? star : !last.startsWith('-');
  });
}
