/**
 * Deletes network interfaces in batches. A deletion holds the kernel's RTNL lock for some twenty milliseconds, for one
 * interface or for many. So requests that arrive during a deletion are deleted together in the next one.
 */
import { deleteLinkGroup, setLink, type NetlinkSocket } from '../../../net/netns/index.ts';

/** The link group of the interfaces of a batch. */
const DELETION_GROUP = 0x6b38_7473;

export class LinkRemoval {
  readonly #netlink: NetlinkSocket;
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(netlink: NetlinkSocket) {
    this.#netlink = netlink;
  }

  /** Resolves when all of them are deleted; missing ones are skipped. */
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
      ...names.map((name) => ({ ...setLink({ name, group: DELETION_GROUP }), accept: ['ENODEV'] })),
      deleteLinkGroup(DELETION_GROUP),
    ]);
  }
}
