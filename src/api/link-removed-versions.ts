/** Adds the kinds of removed versions to a schema. Those that have fields of their own are linked when the first is asked for. */
import type { PackageDeclaration } from './declare.ts';
import { linkSchema } from './link-schema.ts';
import { REMOVED_GROUPS, removedPackages, sameFields } from './removed-versions.ts';
import { apiVersionOf, type GroupVersionKind, type Message, type Schema } from './schema.ts';

export function withRemovedVersions(schema: Schema, packages: readonly PackageDeclaration[]): Schema {
  // Custom resources are in other groups, and nothing is linked for them.
  const groups = new Set([...REMOVED_GROUPS, ...packages.map(({ group }) => group)]);
  let removed: Schema | undefined;
  const removedKind = (gvk: GroupVersionKind): Message | undefined => {
    if (!groups.has(gvk.group)) return undefined;
    const served = schema.kind(servedKind(gvk));
    if (served) return served;
    removed ??= linkSchema(removedPackages(), { packages, schema });
    return removed.kind(gvk);
  };
  return { ...schema, kind: (gvk) => schema.kind(gvk) ?? removedKind(gvk) };
}

/** The kind of a served version that has the same fields. */
function servedKind({ group, version, kind }: GroupVersionKind): GroupVersionKind {
  const apiVersion = apiVersionOf({ group, version });
  const [served = ''] = sameFields.find(([, removed, kinds]) => removed === apiVersion && kinds.includes(kind)) ?? [];
  const slash = served.indexOf('/');
  return { group: served.slice(0, Math.max(slash, 0)), version: served.slice(slash + 1), kind };
}
