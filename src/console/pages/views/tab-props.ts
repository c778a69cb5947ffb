import type { ApiObject } from '../api/objects.ts';
import type { ResourceType } from '../api/resources.ts';

export interface TabProps {
  readonly type: ResourceType;
  readonly object: ApiObject;
}
