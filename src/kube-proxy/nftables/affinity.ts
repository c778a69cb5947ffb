/** Session affinity outlives the table: the clients of each endpoint are put back when the table is replaced. */

/** What `nft -j list sets` prints, as far as it is used here. */
export interface ListedSets {
  readonly nftables: readonly {
    readonly set?: { readonly name: string; readonly timeout?: number; readonly elem?: readonly unknown[] };
  }[];
}

/**
 * @param sets The new table's sets: name → declaration.
 * @param listed Those of the table that it replaces. A set whose timeout has changed starts empty.
 */
export function affinityCommands(table: string, sets: ReadonlyMap<string, string>, { nftables }: ListedSets): string[] {
  return nftables.flatMap(({ set }) => {
    if (set === undefined || !sets.get(set.name)?.includes(` timeout ${set.timeout}s ;`)) return [];
    const clients = (set.elem ?? []).flatMap((element) => {
      const { val, expires = 0 } = (element as { elem?: { val?: string; expires?: number } }).elem ?? {};
      return val !== undefined && expires > 0 ? [`${val} timeout ${set.timeout}s expires ${expires}s`] : [];
    });
    return clients.length === 0 ? [] : [`add element ${table} ${set.name} { ${clients.join(', ')} }`];
  });
}
