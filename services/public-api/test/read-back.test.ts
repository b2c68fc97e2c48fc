// Every field that a write accepts comes back unchanged, from another instance of the API on the same stores. Bodies are made from the operations'
// own schemas: a field that is added is tried at once.
import * as queues from '@svc-server/api/annotation-queues/operations'
import * as datasetItems from '@svc-server/api/dataset-items/operations'
import * as datasets from '@svc-server/api/datasets/operations'
import * as models from '@svc-server/api/models/operations'
import type { Operation } from '@svc-server/api/operation'
import * as prompts from '@svc-server/api/prompts/operations'
import * as scoreConfigs from '@svc-server/api/score-configs/operations'
import { createKeyStore } from '@svc-server/relational/key-store'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic, startApi, type TestApi } from './api.ts'
import { takenBy } from './arbitrary.ts'
import { type OpenedResources, openResources } from './resources.ts'

let opened: OpenedResources
let other: TestApi
let authorization: string
let configId: string
beforeAll(async () => {
  opened = await openResources()
  const keys = createKeyStore(opened.store, { salt: 'a-salt-of-sixteen-characters' })
  const { publicKey, secretKey } = await keys.createKeyPair({ owner: { projectId: 'project-0' } })
  authorization = basic(publicKey, secretKey)
  other = await startApi({ relational: opened.store, keys })
  await opened.send('POST', '/v2/datasets', { name: 'of items' })
  configId = (await opened.send('POST', '/score-configs', { name: 'of queues', dataType: 'TEXT' })).json.id
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await opened[Symbol.asyncDispose]()
})

type Json = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>

interface Written {
  readonly operation: Operation
  readonly path?: string
  /** What a random text would hardly be. */
  readonly with: () => Fields
  readonly readFrom: (made: Json) => string
  /** Fields that come back otherwise, by what becomes of them. */
  readonly otherwise?: Readonly<Record<string, (given: unknown, body: Json) => unknown>>
}

const label = fc.stringMatching(/^[a-z0-9_.-]{1,12}$/)
const name = fc.stringMatching(/^[^\s\0<>|/][^\0<>|/]{0,20}[^\s\0<>|/]$/u)
const enc = (value: unknown) => encodeURIComponent(String(value))
const sorted = (value: unknown) => [...new Set((value as readonly string[] | null) ?? [])].sort()
const price = fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true })
const prompt = { labels: fc.array(label, { maxLength: 3 }), name, commitMessage: fc.option(name) }

const written: readonly (readonly [string, Written])[] = [
  [
    'a dataset',
    {
      operation: datasets.create,
      with: () => ({ name, inputSchema: fc.constant({ type: 'object' }), expectedOutputSchema: fc.constant(null) }),
      readFrom: made => `/v2/datasets/${enc(made['name'])}`,
    },
  ],
  [
    'an item',
    {
      operation: datasetItems.create,
      with: () => ({ datasetName: fc.constant('of items'), id: fc.option(fc.uuid()) }),
      readFrom: made => `/dataset-items/${enc(made['id'])}`,
    },
  ],
  [
    'a text prompt',
    {
      operation: prompts.create,
      with: () => ({ ...prompt, type: fc.constant('text'), prompt: fc.string() }),
      readFrom: made => `/v2/prompts/${enc(made['name'])}?version=${made['version']}&resolve=false`,
      otherwise: { name: given => String(given).trim(), labels: given => sorted([...(given as string[]), 'latest']), tags: sorted },
    },
  ],
  [
    'a score configuration',
    {
      operation: scoreConfigs.create,
      with: () => ({
        name: fc.stringMatching(/^[\w .()-]{1,35}$/),
        dataType: fc.constant('NUMERIC'),
        categories: fc.constant(undefined),
        minValue: fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
        maxValue: fc.double({ min: 1, noNaN: true, noDefaultInfinity: true }),
      }),
      readFrom: made => `/score-configs/${made['id']}`,
    },
  ],
  [
    'a queue',
    {
      operation: queues.createQueue,
      with: () => ({ name: fc.uuid(), scoreConfigIds: fc.constant([configId]) }),
      readFrom: made => `/annotation-queues/${made['id']}`,
    },
  ],
  [
    'a model',
    {
      operation: models.create,
      with: () => ({
        modelName: fc.uuid(),
        matchPattern: fc.constant('(?i)^m$'),
        pricingTiers: fc.constant(undefined),
        totalPrice: fc.constant(undefined),
        inputPrice: price,
        outputPrice: price,
        tokenizerId: fc.constantFrom('openai', 'claude', null),
      }),
      readFrom: made => `/models/${made['id']}`,
      otherwise: { startDate: given => (given == null ? null : new Date(String(given)).toISOString()) },
    },
  ],
]

/** What no store of text takes is refused or replaced. */
const isStorable = (body: unknown) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(body))

test.each(written)('%s comes back as it was given', async (_, { operation, with: more, readFrom, otherwise = {} }) => {
  let accepted = 0
  const body = fc.tuple(takenBy(operation.body!), fc.record(more())).map(([made, fields]) => ({ ...(made as object), ...fields }) as Json)
  await fc.assert(
    fc.asyncProperty(body, async given => {
      fc.pre(isStorable(given))
      const sent = JSON.parse(JSON.stringify(given)) as Json
      const { status, json: made } = await opened.api.send(operation.method, operation.path, { authorization, body: given })
      if (status >= 400) return
      accepted++
      const read = await other.send('GET', `/api/public${readFrom(made)}`, { authorization })
      expect(read.status, read.text).toBe(200)
      for (const [key, value] of Object.entries(sent)) {
        if (value === null || !(key in read.json)) continue
        const expected = otherwise[key]?.(value, sent) ?? value
        const found = Array.isArray(expected) && otherwise[key] !== undefined ? sorted(read.json[key]) : read.json[key]
        expect(found, key).toEqual(expected)
      }
    }),
    { numRuns: 40 },
  )
  expect(accepted, 'bodies that are accepted').toBeGreaterThan(5)
})
