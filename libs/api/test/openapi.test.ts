import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { openApiDocument } from '../src/openapi.ts'
import { operations } from '../src/operations.ts'
import { referenceOf } from './reference.ts'

test('docs/openapi.json matches the operations', async () => {
  const text = `${JSON.stringify(openApiDocument(operations, manifest.version), null, 2)}\n`
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/openapi.json'))
})

test('docs/api.md matches the operations', async () => {
  await expect(referenceOf(operations)).toMatchFileSnapshot(join(import.meta.dirname, '../../../docs/api.md'))
})

test('the description covers every operation and is valid OpenAPI 3.1', async () => {
  const document = openApiDocument(
    operations.map(operation => ({ ...operation, servedBy: 'public-api' })),
    manifest.version,
  )
  const result = await new Validator().validate(document)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('operation ids are unique, and so are pairs of method and path', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  expect(new Set(operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)).size).toBe(operations.length)
})
