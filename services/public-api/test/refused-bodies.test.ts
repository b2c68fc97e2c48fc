// A refusal names at most twenty issues of a body. The API stops its checks after twenty issues. Millions of invalid members therefore
// cannot exhaust the memory.
import { maxIssues } from '@svc-server/api/fields/limits'
import { eventBodies, generationBody, traceBody } from '@svc-server/api/ingestion/events'
import { DeleteTracesRequest } from '@svc-server/api/trace/types'
import { expect, test } from 'vitest'
import { issuesOf } from '../src/validation/refusals.ts'
import { now, planned } from './acceptance.ts'

const outcomesOf = (type: string, body: string) => {
  const text = `{"batch":[{"id":"1","timestamp":"${new Date(now).toISOString()}","type":"${type}","body":${body}}]}`
  return planned('ingestion.batch', Buffer.from(text))
}
const members = (count: number, value: string) => `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}x":${value}`).join()}}`
const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`

test.for([
  ['trace-create', 'tags', zeros(2_000_000), 'body.tags.0: '],
  ['generation-create', 'costDetails', members(435_000, '"a"'), 'body.costDetails.0x: '],
  ['generation-create', 'usageDetails', `{"a":${members(435_000, '"a"')}}`, 'body.usageDetails.a.0x: '],
  ['generation-create', 'usageDetails', members(435_000, '"a"'), 'body.usageDetails.0x: '],
  ['generation-create', 'modelParameters', `{"a":${zeros(1_000_000)}}`, 'body.modelParameters.a: '],
  ['generation-create', 'modelParameters', members(435_000, '[0]'), 'body.modelParameters.0x: '],
] as const)('a %s with only wrong members in %s is refused within bounded memory', ([type, field, value, first]) => {
  const body = `{"id":"a","traceId":"t","${field}":${value}}`
  const before = process.memoryUsage().heapUsed
  const [outcome] = outcomesOf(type, body)
  const added = process.memoryUsage().heapUsed - before
  expect(outcome).toMatchObject({ kind: 'refused', refusal: { status: 400, error: expect.stringContaining(first) } })
  expect(added).toBeLessThan(100e6)
  // The test also counts the issues. A measurement of memory would miss issues that were computed and then freed.
  expect(eventBodies[type].safeParse(JSON.parse(body)).error!.issues.length).toBeLessThanOrEqual(maxIssues)
})

const received = (expected: string, given: string) => `Invalid input: expected ${expected}, received ${given}`

test.for([
  [
    'a list of wrong elements',
    traceBody,
    { tags: ['a', 1, null] },
    [
      ['tags.1', received('string', 'number')],
      ['tags.2', received('string', 'null')],
    ],
  ],
  ['no list', traceBody, { tags: 'a' }, [['tags', received('array', 'string')]]],
  ['costs', generationBody, { costDetails: { a: 1, b: 'x', c: null } }, [['costDetails.b', received('number', 'string')]]],
  ['no record', generationBody, { costDetails: [1] }, [['costDetails', received('record', 'array')]]],
  [
    'usage',
    generationBody,
    { usageDetails: { a: -1, b: { c: 1.5 } } },
    [
      ['usageDetails.a', 'Invalid input'],
      ['usageDetails.b.c', received('int', 'number')],
    ],
  ],
  [
    'parameters',
    generationBody,
    { modelParameters: { a: [1], b: { c: 1 } } },
    [
      ['modelParameters.a', received('record', 'array')],
      ['modelParameters.b.c', received('string', 'number')],
    ],
  ],
  [
    'a wrong list, and half a prompt',
    generationBody,
    { costDetails: { a: '' }, promptName: 'p' },
    [
      ['costDetails.a', received('number', 'string')],
      ['promptVersion', 'Give promptName and promptVersion together, or neither.'],
    ],
  ],
  ['ids', DeleteTracesRequest, { traceIds: ['a', 1] }, [['traceIds.1', received('string', 'number')]]],
  ['no ids', DeleteTracesRequest, { traceIds: [] }, [['traceIds', 'At least 1 traceId is required.']]],
  ['no list of ids', DeleteTracesRequest, {}, [['traceIds', received('array', 'undefined')]]],
  [
    'too many ids, of which none is right',
    DeleteTracesRequest,
    { traceIds: Array(1_001).fill(0) },
    [['traceIds', 'Cannot specify more than 1000 traces in a single request.']],
  ],
] as const)('issues of a small body: %s', ([, schema, body, said]) => {
  expect(issuesOf(schema.safeParse(body).error!).map(({ path, message }) => [path.join('.'), message])).toEqual(said)
})

test('the first twenty issues are named, in their order', () => {
  const issues = issuesOf(traceBody.safeParse({ tags: Array(30).fill(0) }).error!)
  expect(issues.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, at) => ['tags', at]))
})
