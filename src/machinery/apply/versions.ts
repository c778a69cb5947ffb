/** Conversion of an object to the API versions in which its owners wrote. */
import type { Message } from '../../api/index.ts';
import type { KubeObject } from '../index.ts';

export interface OtherVersion {
  readonly message: Message;
  /** The object (of any version) in this version. */
  convert(object: KubeObject): KubeObject;
}

/** By apiVersion; undefined for one that is not served. */
export type OtherVersions = (apiVersion: string) => OtherVersion | undefined;
