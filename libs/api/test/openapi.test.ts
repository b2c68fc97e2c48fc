// The published description is valid, current, and covers every operation that is served.
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { openApiDocument } from '../src/openapi.ts'
import { operations } from '../src/operations.ts'
import { referenceOf } from './reference.ts'

test('docs/openapi.json is what the operations say', async () => {
  const text = `${JSON.stringify(openApiDocument(operations, manifest.version), null, 2)}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/openapi.json'))
})

test('docs/api.md is what the operations say', async () => {
  await expect(referenceOf(operations)).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/api.md'))
})

test('every operation can be described, and the description is valid OpenAPI 3.1', async () => {
  const document = openApiDocument(
    operations.map(operation => ({ ...operation, servedBy: 'public-api' })),
    manifest.version,
  )
  const result = await new Validator().validate(document)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('of its operations each has an id of its own, and its path once with its method', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  expect(new Set(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)).size).toBe(operations.length)
})
