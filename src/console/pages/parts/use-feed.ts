import { useEffect, useMemo } from 'preact/hooks';
import { Feed } from '../api/feed.ts';
import { LiveObject } from '../api/live-object.ts';
import { pathOf, type ResourceType } from '../api/resources.ts';
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

export function useObject(type: ResourceType, { namespace, name }: { namespace: string; name: string }): LiveObject {
  const live = useMemo(
    () => new LiveObject(type, { namespace, name, revision: pastRevision.value }),
    [type.key, namespace, name, pastRevision.value],
  );
  useEffect(() => () => live.close(), [live]);
  return live;
}
