// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type FSGroupPolicy = string;

export type VolumeBindingMode = string;

export type VolumeLifecycleMode = string;

/** Settings of volumes that can be changed later. */
export interface VolumeAttributesClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Name of the CSI driver; fixed. */
  driverName: string;
  /** Settings for the driver; fixed. */
  parameters?: Record<string, string>;
}

/** A list of VolumeAttributesClass objects. */
export interface VolumeAttributesClassList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: VolumeAttributesClass[];
}
