import { expect, it } from 'vitest';
import { selectorText } from './selector-text.ts';

it.each([
  [undefined, 'nil'],
  [{}, '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}'],
  [
    { matchLabels: { b: 'c', a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] },
    '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
  ],
])('a selector in an event: %j', (selector, text) => expect(selectorText(selector)).toBe(text));
