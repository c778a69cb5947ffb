import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { managedFieldsOfParent, managedFieldsOfScale } from './scale.ts';

const paths = { 'apps/v1': ['spec', 'replicas'], 'apps/v0': null };

const entry = (manager: string, fieldsV1: unknown, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

const REPLICAS = { 'f:spec': { 'f:replicas': {} } };
const BOTH = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } };
const SELECTOR = { 'f:spec': { 'f:selector': {} } };
const scaled = (manager: string, more: Partial<ManagedFieldsEntry> = {}) =>
  entry(manager, REPLICAS, { apiVersion: 'autoscaling/v1', ...more });

it('a Scale has the owners of the replicas', () => {
  const parent = [entry('a', BOTH), entry('b', SELECTOR), entry('c', REPLICAS, { apiVersion: 'apps/v0' })];
  expect(managedFieldsOfScale(parent, paths)).toEqual([scaled('a')]);
});

describe('a write to the Scale', () => {
  it.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[], ManagedFieldsEntry[]]>([
    [
      'shares',
      [entry('a', BOTH)],
      [scaled('a'), scaled('hpa', { subresource: 'scale' })],
      [entry('hpa', REPLICAS, { subresource: 'scale', time: undefined }), entry('a', BOTH)],
    ],
    [
      'steals',
      [entry('a', BOTH)],
      [scaled('hpa', { subresource: 'scale' })],
      [entry('hpa', REPLICAS, { subresource: 'scale', time: undefined }), entry('a', SELECTOR)],
    ],
    [
      'steals all there is',
      [entry('a', REPLICAS)],
      [scaled('hpa', { operation: 'Update' })],
      [entry('hpa', REPLICAS, { operation: 'Update', time: undefined })],
    ],
    ['keeps who owns other things', [entry('a', SELECTOR)], [], [entry('a', SELECTOR)]],
    [
      'drops versions that are not known',
      [entry('a', SELECTOR, { apiVersion: 'apps/v9' }), entry('b', SELECTOR, { apiVersion: 'apps/v0' })],
      [],
      [entry('b', SELECTOR, { apiVersion: 'apps/v0' })],
    ],
  ])('%s', (_name, parent, scale, expected) => {
    expect(managedFieldsOfParent({ parent, scale, apiVersion: 'apps/v1', paths })).toEqual(expected);
  });
});
