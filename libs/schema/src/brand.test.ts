import { expect, test } from 'vitest'
import { brandAliasesOf, brandAliasPattern, createBrandNames } from './brand.ts'

const known = new Set([
  'svc.user.id',
  'svc.trace.metadata.svc_user_id',
  'ai.telemetry.metadata.svcPrompt',
  'ai.settings.context.svcPrompt.name',
])
const isKnown = (key: string) => known.has(key)

test('the variable is a list of words separated by commas', () => {
  expect(brandAliasesOf('acme,globex,acme,svc')).toEqual(['acme', 'globex'])
  expect(brandAliasesOf(undefined)).toEqual([])
  for (const valid of ['acme', 'acme,globex2']) expect(brandAliasPattern.test(valid)).toBe(true)
  for (const invalid of ['', 'Acme', 'acme,', 'a.b', 'acme globex', 'x-y']) expect(brandAliasPattern.test(invalid)).toBe(false)
})

test.each([
  ['acme-sdk', 'svc-sdk'],
  ['@acme/otel', '@svc/otel'],
  ['globex-js', 'svc-js'],
  ['ACME-sdk', 'SVC-sdk'],
  ['Acme', 'Svc'],
  ['acmeai-sdk', 'svc-sdk'],
  ['acmesdk', 'acmesdk'],
  ['my-acme-sdk', 'my-acme-sdk'],
])('translates the name %s to %s', (written, ours) => {
  expect(createBrandNames(['acme', 'globex', 'acmeai']).name(written)).toBe(ours)
})

test.each([
  ['acme.user.id', 'svc.user.id'],
  ['globex.anything.acme_id', 'svc.anything.acme_id'],
  ['acme.trace.metadata.acme_user_id', 'svc.trace.metadata.svc_user_id'],
  ['svc.trace.metadata.globex_user_id', 'svc.trace.metadata.svc_user_id'],
  ['ai.telemetry.metadata.acmePrompt', 'ai.telemetry.metadata.svcPrompt'],
  ['ai.settings.context.acmePrompt.name', 'ai.settings.context.svcPrompt.name'],
  ['ACME.user.id', 'SVC.user.id'],
  ['acmes.user.id', undefined],
  ['my.acme.id', undefined],
  ['acme_id', undefined],
])('translates the key %s to %s', (written, ours) => {
  expect(createBrandNames(['acme', 'globex']).key(written, isKnown)).toBe(ours)
})

test('without aliases nothing changes', () => {
  const names = createBrandNames()
  expect(names.aliased).toBe(false)
  expect(names.name('acme-sdk')).toBe('acme-sdk')
  expect(names.key('acme.user.id', isKnown)).toBeUndefined()
})
