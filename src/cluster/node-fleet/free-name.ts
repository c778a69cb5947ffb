/** The first unused name of node-1, node-2, … */
export function freeName(taken: readonly string[]): string {
  for (let index = 1; ; index++) if (!taken.includes(`node-${index}`)) return `node-${index}`;
}
