/** An object that is related to the one of a page. */
import type { ResourceType } from '../api/resources.ts';

export interface RelatedObject {
  readonly relation: string;
  /** The object that it is related to, as `idOf` names it; absent: the one of the page. */
  readonly of?: string;
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string;
}

export const idOf = ({ type, namespace, name }: Pick<RelatedObject, 'type' | 'namespace' | 'name'>): string =>
  `${type.key} ${namespace}/${name}`;
