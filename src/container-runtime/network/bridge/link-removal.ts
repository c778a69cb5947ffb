/**
 * Deletes interfaces of a node. The kernel needs some twenty milliseconds for a deletion and lets nobody else change
 * interfaces meanwhile, but not more for many than for one: whatever is asked for during a deletion is deleted together
 * in the next.
 */
import { deleteLinkGroup, setLink, type NetlinkSocket } from '../../../net/netns/index.ts';

/** Interfaces that are about to be deleted are put into this group. */
const DOOMED = 0x6b38_7473;

export class LinkRemoval {
  readonly #netlink: NetlinkSocket;
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(netlink: NetlinkSocket) {
    this.#netlink = netlink;
  }

  /** Resolves when none of them is there any more; those that never were are not there either. */
  remove(names: readonly string[]): Promise<void> {
    this.#waiting.push(...names);
    this.#next ??= this.#current
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        this.#current = this.#delete(this.#waiting.splice(0));
        return this.#current;
      });
    return this.#next;
  }

  async #delete(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#netlink.send([
      ...names.map((name) => ({ ...setLink({ name, group: DOOMED }), accept: ['ENODEV'] })),
      deleteLinkGroup(DOOMED),
    ]);
  }
}
