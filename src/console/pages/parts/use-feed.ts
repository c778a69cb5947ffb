import { useEffect, useMemo } from 'preact/hooks';
import { Feed } from '../api/feed.ts';
import { LiveObject } from '../api/live-object.ts';
import { pathOf, type ResourceType } from '../api/resources.ts';

/** A list that lives as long as the part that shows it. */
export function useFeed(type: ResourceType, { namespace = '', labelSelector = '', fieldSelector = '' } = {}): Feed {
  const feed = useMemo(() => {
    const query = { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
    return new Feed(pathOf(type, { namespace }), query);
  }, [type.key, namespace, labelSelector, fieldSelector]);
  useEffect(() => () => feed.close(), [feed]);
  return feed;
}

export function useObject(type: ResourceType, { namespace, name }: { namespace: string; name: string }): LiveObject {
  const live = useMemo(() => new LiveObject(type, { namespace, name }), [type.key, namespace, name]);
  useEffect(() => () => live.close(), [live]);
  return live;
}
