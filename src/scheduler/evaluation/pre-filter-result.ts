import { unresolvable, type Status } from '../framework/status.ts';

interface PreFilterNodes {
  readonly plugin: string;
  readonly nodeNames: ReadonlySet<string>;
}

/** The nodes that all PreFilter results have in common; a status when there is none. */
export function mergePreFilterResults(results: readonly PreFilterNodes[]): {
  nodeNames?: ReadonlySet<string>;
  status?: Status;
} {
  if (results.length === 0) return {};
  let names = results[0]!.nodeNames;
  for (const { nodeNames } of results.slice(1)) names = new Set([...names].filter((name) => nodeNames.has(name)));
  if (names.size > 0) return { nodeNames: names };
  const plugins = results.map((r) => r.plugin);
  const text =
    plugins.length === 1
      ? `node(s) didn't satisfy plugin ${plugins[0]}`
      : `node(s) didn't satisfy plugin(s) [${plugins.join(' ')}] simultaneously`;
  return { status: unresolvable(text).from(plugins[0]!) };
}
