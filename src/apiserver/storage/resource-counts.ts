/** What has happened to the objects of one resource since the server's start; `registry/storage-metrics.ts` exposes it. */
export class ResourceCounts {
  /** Events that the store sent. */
  events = 0;
  /** Objects that watches got as their initial events. */
  initialEvents = 0;
  /** Lists from the watch cache: how many, the objects that were looked at, and those that were returned. */
  cacheLists = 0;
  cacheFetched = 0;
  cacheReturned = 0;
  /** The same for lists from the store. */
  storageLists = 0;
  storageFetched = 0;
  storageReturned = 0;
  /** Reads that waited until the cache was as recent as the store. */
  consistentReads = 0;
}
