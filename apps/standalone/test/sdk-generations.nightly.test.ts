// Sends recorded requests of every SDK generation to an instance, first in write mode `dual` and then in `events_only`. Checks the rows in
// each table.

import { createRandom, ingestionFixtures, type OtlpFixture, otlpFixtures, recordedRequest, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import type { Instance } from './instance.ts'
import { fileHasAnInstance, ports, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

// The recorded spans are old, so the settings allow old spans.
const settings = { SVC_PROPAGATION_WINDOW_SECONDS: '2', SVC_PROPAGATION_GRACE_MS: '500', SVC_SPAN_MAX_AGE_MONTHS: '96' }
const dual = { writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }
const eventsOnly = { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }
const generations = ['svc-js-4', 'svc-js-5', 'svc-python-3', 'svc-python-4', 'svc-python-5']
const spansOfSdks = otlpFixtures().filter(({ client }) => generations.includes(client))
const eventsOfSdks = ingestionFixtures()

async function operator<Made>(...argv: string[]): Promise<Made> {
  const { code, out, error } = await svcOfInstance(...argv, '--json')
  expect([code, error]).toEqual([0, ''])
  return JSON.parse(out) as Made
}

async function makeProject(id: string): Promise<string> {
  await operator('keys', 'create-project', '--organization', 'default-org', '--name', id, '--id', id)
  const { publicKey, secretKey } = await operator<{ publicKey: string; secretKey: string }>('keys', 'create', '--project', id)
  return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
}

const ofConnection = ['authorization', 'content-length', 'transfer-encoding', 'accept-encoding']
const asSent = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name.toLowerCase())))

async function sendSpans({ client, headers, body }: OtlpFixture, authorization: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { ...asSent(headers), authorization },
    body: body as Uint8Array<ArrayBuffer>,
  })
  expect([client, response.status]).toEqual([client, 200])
}

interface Answer {
  readonly successes: readonly { readonly id: string }[]
  readonly errors: readonly { readonly status: number; readonly error?: string }[]
}
type Events = (typeof eventsOfSdks)[number]

async function sendEvents(headers: Events['headers'], batch: Events['body']['batch'], authorization: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/ingestion`, {
    method: 'POST',
    headers: { ...asSent(headers), authorization },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(207)
  return (await response.json()) as Answer
}

function idsOf(fixture: OtlpFixture): readonly string[] {
  return recordedRequest(fixture)
    .resourceSpans!.flatMap(({ scopeSpans }) => scopeSpans!.flatMap(({ spans }) => spans!))
    .map(({ spanId }) => (typeof spanId === 'string' ? spanId : Buffer.from(spanId as Uint8Array).toString('hex')))
}

const checked = () =>
  waitFor(async () => (await svcOfInstance('check', '--wait', '60')).code === 0, {
    timeoutMs: 240_000,
    what: 'the check to find everything',
  })

const observationsOfStory = [
  { name: 'chat', type: 'GENERATION', level: 'DEFAULT', model: 'gpt-4o', total: '20', isRoot: 0 },
  { name: 'clicked', type: 'EVENT', level: 'DEFAULT', model: '', total: '0', isRoot: 0 },
  { name: 'get_weather', type: 'TOOL', level: 'DEFAULT', model: '', total: '0', isRoot: 0 },
  { name: 'order', type: 'SPAN', level: 'DEFAULT', model: '', total: '0', isRoot: 1 },
  { name: 'slow', type: 'SPAN', level: 'WARNING', model: '', total: '0', isRoot: 0 },
]

async function expectStory(running: Instance, project: string, fixture: OtlpFixture, isOld: boolean): Promise<void> {
  const ids = `project_id = '${project}' AND id IN (${idsOf(fixture)
    .map(id => `'${id}'`)
    .join()})`
  const shown = (table: string, id: string, parent: string) =>
    running.query<object>(
      `SELECT name, type, level, ifNull(provided_model_name, '') AS model, toString(usage_details['total']) AS total, ${parent} = '' AS isRoot
       FROM (SELECT *, ${id} FROM ${table} FINAL WHERE is_deleted = 0) WHERE ${ids} ORDER BY name`,
    )
  for (const table of ['events_full', 'events_core'])
    expect([fixture.client, await shown(table, 'span_id AS id', 'parent_span_id')]).toEqual([fixture.client, observationsOfStory])
  const old = await shown('observations', 'id', "ifNull(parent_observation_id, '')")
  expect([fixture.client, old]).toEqual([fixture.client, isOld ? observationsOfStory : []])
  const [trace] = await running.query<object>(
    `SELECT name, user_id, session_id, tags, version, release, environment FROM traces FINAL WHERE project_id = '${project}' AND is_deleted = 0
     AND id IN (SELECT trace_id FROM events_full WHERE project_id = '${project}' AND span_id = '${idsOf(fixture)[0]}')`,
  )
  const ofStory = {
    name: 'order',
    user_id: 'alice',
    session_id: 's1',
    tags: ['a', 'b'],
    version: 'v1',
    release: 'v1.2.3',
    environment: 'staging',
  }
  expect([fixture.client, trace]).toEqual([fixture.client, isOld ? ofStory : undefined])
}

async function countsOf(running: Instance, project: string, ids: readonly string[]): Promise<object> {
  const list = ids.map(id => `'${id}'`).join()
  const count = (table: string, id: string) =>
    running.count(
      `SELECT uniqExact(${id}) AS n FROM ${table} FINAL WHERE project_id = '${project}' AND is_deleted = 0 AND ${id} IN (${list})`,
    )
  return {
    events_full: await count('events_full', 'span_id'),
    events_core: await count('events_core', 'span_id'),
    observations: await count('observations', 'id'),
  }
}

test.each([
  ['dual', dual, true],
  ['events_only', eventsOnly, false],
] as const)(
  'spans of every generation in %s',
  async (name, mode, isOld) => {
    const project = `spans-${name.replace('_', '-')}`
    const first = await start(mode, settings)
    const authorization = await makeProject(project)
    for (const fixture of spansOfSdks) await sendSpans(fixture, authorization)
    await first.end('SIGKILL')
    const running = await start(mode, settings)
    for (const fixture of spansOfSdks) await sendSpans(fixture, authorization)
    await checked()
    const ids = spansOfSdks.flatMap(idsOf)
    const expected = { events_full: ids.length, events_core: ids.length, observations: isOld ? ids.length : 0 }
    let counts: object = {}
    const isThere = async () => JSON.stringify((counts = await countsOf(running, project, ids))) === JSON.stringify(expected)
    await waitFor(isThere, { timeoutMs: 120_000, what: 'the rows' }).catch(() => expect(counts).toEqual(expected))
    const stories = spansOfSdks.filter(fixture => fixture.case === 'published')
    expect(stories.map(({ client }) => client)).toEqual(['svc-js-4', 'svc-js-5', 'svc-python-3', 'svc-python-4'])
    for (const fixture of stories) await expectStory(running, project, fixture, isOld)
    await running.end('SIGTERM')
  },
  600_000,
)

test('on events_only, scores of every SDK generation are accepted, and all other events are refused with the version to upgrade to', async () => {
  const running = await start(eventsOnly, settings)
  for (const { client, headers, body } of eventsOfSdks) {
    const project = `refused-${client}`
    const authorization = await makeProject(project)
    const { successes, errors } = await sendEvents(headers, body.batch, authorization)
    expect([successes.length, errors.length]).toEqual([2, body.batch.length - 2])
    for (const { status, error } of errors) expect([status, error]).toEqual([400, expect.stringMatching(/upgrade to .* or newer/)])
    const scores = () => running.count(`SELECT uniqExact(id) AS n FROM scores FINAL WHERE project_id = '${project}'`)
    await waitFor(async () => (await scores()) === 2, { timeoutMs: 120_000, what: 'the scores' })
    expect(await running.count(`SELECT count() AS n FROM events_full WHERE project_id = '${project}'`)).toBe(0)
    expect(await running.count(`SELECT count() AS n FROM traces WHERE project_id = '${project}'`)).toBe(0)
  }
  await running.end('SIGTERM')
}, 600_000)

/** Columns whose values depend on the project, the API key, or the time at which a row was written. */
const ofTheWay = ['project_id', 'ingestion_api_key', 'event_ts', 'created_at', 'updated_at']
const rowQueries = [
  `SELECT * EXCEPT (${ofTheWay.join()}) FROM traces FINAL WHERE is_deleted = 0 AND project_id = `,
  `SELECT * EXCEPT (${ofTheWay.join()}) FROM observations FINAL WHERE is_deleted = 0 AND project_id = `,
  `SELECT * EXCEPT (${ofTheWay.join()}) FROM events_full FINAL WHERE is_deleted = 0 AND project_id = `,
  `SELECT * EXCEPT (${ofTheWay.join()}) FROM scores FINAL WHERE is_deleted = 0 AND project_id = `,
]

async function rowsOf(running: Instance, project: string): Promise<readonly (readonly object[])[]> {
  const tables: object[][] = []
  for (const query of rowQueries) {
    const rows = await running.query<object>(`${query}'${project}'`)
    tables.push(rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)))
  }
  return tables
}

const orders = 5
const kills = 4

test('events in any order, in batches of any size, and with kills give the same rows', async () => {
  let running = await start(dual, settings)
  const random = createRandom('generations')
  const lanes: { readonly project: string; readonly client: string; readonly send: () => Promise<void>; left: number }[] = []
  for (const { client, headers, body } of eventsOfSdks) {
    for (let order = 0; order < orders; order++) {
      const project = `order-${order}-${client}`
      const authorization = await makeProject(project)
      const shuffled = body.batch.map(event => [order === 0 ? 0 : random.next(), event] as const).sort(([a], [b]) => a - b)
      const left = shuffled.map(([, event]) => event)
      const lane = {
        ...{ project, client, left: left.length },
        async send() {
          const batch = left.splice(0, random.integer(1, 4))
          lane.left = left.length
          if (batch.length > 0) expect((await sendEvents(headers, batch, authorization)).errors).toEqual([])
        },
      }
      lanes.push(lane)
    }
  }
  for (let round = 0; lanes.some(({ left }) => left > 0) || round < kills; round++) {
    for (const lane of lanes) await lane.send()
    if (round >= kills) continue
    await running.end('SIGKILL')
    running = await start(dual, settings)
  }
  await checked()
  for (const client of eventsOfSdks.map(each => each.client)) {
    const [first, ...others] = lanes.filter(lane => lane.client === client).map(({ project }) => project)
    const isWhole = async () => (await rowsOf(running, first!)).map(rows => rows.length).join() === '1,3,4,2'
    await waitFor(isWhole, { timeoutMs: 120_000, what: `rows of ${client}` }).catch(async () =>
      expect((await rowsOf(running, first!)).map(rows => rows.length)).toEqual([1, 3, 4, 2]),
    )
    const expected = await rowsOf(running, first!)
    for (const project of others) {
      const isSame = async () => JSON.stringify(await rowsOf(running, project)) === JSON.stringify(expected)
      await waitFor(isSame, { what: `rows of ${project}` }).catch(async () =>
        expect([project, await rowsOf(running, project)]).toEqual([project, expected]),
      )
    }
  }
}, 900_000)
