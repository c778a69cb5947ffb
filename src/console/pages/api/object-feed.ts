/** A live list of whole objects. */
import { LiveList, type ListForm, type ListOptions } from './live-list.ts';
import type { ApiObject } from './objects.ts';

/** A list has items; the object of an event is the item. */
type Body<Item> = { readonly items?: readonly Item[] | null } & Partial<Item>;

const keyOf = ({ metadata }: ApiObject): string => metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name}`;

const objectForm = <Item extends ApiObject>(): ListForm<Body<Item>, Item> => ({
  accept: 'application/json',
  watchQuery: '',
  keyOf,
  itemsOf: (body) => ('items' in body ? (body.items ?? []) : [body as Item]),
  versionOf: ({ metadata }) => metadata?.resourceVersion,
});

export class ObjectFeed<Item extends ApiObject = ApiObject> extends LiveList<Body<Item>, Item> {
  constructor(path: string, options?: ListOptions) {
    super(path, objectForm<Item>(), options);
  }
}
