// A canary is a test span that the service sends to itself and reads back. The test checks that canaries run on every path (direct,
// staged and ingestion). Unlike the completeness metric, a canary also detects that the listener refuses requests.
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { instanceDirectory } from './directory.ts'
import { freePorts, type Instance, ready, startInstance, svc } from './instance.ts'

const pageOf = async ({ ports }: Instance) => (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
const metricOf = (page: string, series: string) =>
  Number(
    page
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1) ?? 0,
  )
const readableMs = (page: string) => 1000 * metricOf(page, 'svc_canary_readable_timestamp_seconds{path="direct"}')
const completeMs = (page: string) => 1000 * metricOf(page, 'svc_complete_until_timestamp_seconds{path="direct"}')

test('canaries pass on every path, appear in no list of users, and detect a refusing entry point, which completeness does not', async () => {
  const ports = await freePorts()
  const { path: directory, remove } = await instanceDirectory()
  const instance = startInstance(directory, ports, {
    SVC_MIGRATION_V4_WRITE_MODE: 'dual',
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
    SVC_CANARY_URL: `http://127.0.0.1:${ports.PORT}`,
    SVC_CANARY_INTERVAL_MS: '500ms',
    SVC_PROPAGATION_WINDOW_SECONDS: '3',
  })
  try {
    await ready(instance)
    for (const path of ['direct', 'staged', 'ingestion'])
      await waitFor(async () => metricOf(await pageOf(instance), `svc_canary_seconds_count{path="${path}"}`) > 0, {
        timeoutMs: 90_000,
        what: `a canary of ${path}: ${instance.output().slice(-2_000)}`,
      })
    const projects = await instance.query<{ project_id: string }>('SELECT DISTINCT project_id FROM events_core')
    expect(projects).toEqual([{ project_id: 'svc-canary' }])

    const keys = (await svc(directory, ports, 'keys', 'list', '--json')).out
    const key = /pk-svc-canary-\w+/.exec(keys)?.[0] ?? ''
    expect((await svc(directory, ports, 'keys', 'revoke', key)).code).toBe(0)
    const refused = 'svc_canaries_total{path="direct",outcome="refused"}'
    await waitFor(async () => metricOf(await pageOf(instance), refused) > 0, { what: 'a refusal' })
    const before = await pageOf(instance)
    await waitFor(
      async () => {
        const page = await pageOf(instance)
        return completeMs(page) - readableMs(page) > 15_000
      },
      { timeoutMs: 90_000, what: 'completeness to go on without canaries' },
    )
    const after = await pageOf(instance)
    expect(metricOf(after, refused)).toBeGreaterThan(metricOf(before, refused))

    expect((await svc(directory, ports, 'check')).out).toContain('CONSERVED')
    await instance.end('SIGTERM')
    expect((await svc(directory, ports, 'sdks', '--json')).out).not.toContain('canary')
  } finally {
    if (!instance.ended()) await instance.end('SIGKILL')
    await remove()
  }
}, 240_000)
