import { useEffect, useMemo } from 'preact/hooks';
import { Feed } from '../api/feed.ts';
import { LiveObject } from '../api/live-object.ts';
import { ObjectFeed } from '../api/object-feed.ts';
import type { ApiObject } from '../api/objects.ts';
import { findType, pathOf, type ResourceType } from '../api/resources.ts';
import { pastRevision } from '../router.ts';

/** A list that lives as long as the part that shows it. */
export function useFeed(type: ResourceType, { namespace = '', labelSelector = '', fieldSelector = '' } = {}): Feed {
  const feed = useMemo(() => {
    const query = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
    return new Feed(pathOf(type, { namespace }), { query, revision: pastRevision.value });
  }, [type.key, namespace, labelSelector, fieldSelector, pastRevision.value]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

/** Whole objects, live; none where the cluster does not serve their kind. */
export function useObjects<Item extends ApiObject = ApiObject>(
  key: string,
  { namespace = '', fieldSelector = '' } = {},
): ObjectFeed<Item> | undefined {
  const feed = useMemo(() => {
    const type = findType(key);
    return type && new ObjectFeed<Item>(pathOf(type, { namespace }), fieldSelector ? { query: { fieldSelector } } : {});
  }, [key, namespace, fieldSelector]);
  useEffect(() => () => feed?.close(), [feed]);
  return feed;
}

export function useObject(type: ResourceType, { namespace, name }: { namespace: string; name: string }): LiveObject {
  const live = useMemo(
    () => new LiveObject(type, { namespace, name, revision: pastRevision.value }),
    [type.key, namespace, name, pastRevision.value],
  );
  useEffect(() => () => live.close(), [live]);
  return live;
}
