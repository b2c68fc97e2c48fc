import { configureGlobalLogger, LogLevel } from '@svc/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import * as packageExports from '../src/index.ts'
import { SvcClient } from '../src/index.ts'
import { startService } from './server.ts'

const warn = vi.spyOn(console, 'warn')
beforeEach(() => {
  configureGlobalLogger({ level: LogLevel.WARN })
  warn.mockReset().mockReturnValue()
})
afterEach(() => vi.unstubAllEnvs())

test('what is exported is what the sheet says, and nothing that was removed', () => {
  expect(Object.keys(packageExports).sort()).toEqual(
    [
      ...['ChatMessageType', 'ChatPromptClient', 'DatasetManager', 'ExperimentManager', 'MediaManager', 'PromptManager', 'RegressionError'],
      ...[
        'RunnerContext',
        'ScoreManager',
        'SvcClient',
        'SvcMedia',
        'SvcMediaReference',
        'TextPromptClient',
        'createEvaluatorFromAutoevals',
      ],
    ].sort(),
  )
})

test('the aliases of older clients are gone', () => {
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk' })
  for (const name of [
    ...['getPrompt', 'createPrompt', 'updatePrompt', 'getDataset', 'createDatasetItem', 'resolveMediaReferences', 'createDataset'],
    ...['getDatasetItem', 'fetchMedia', 'fetchTrace', 'fetchTraces', 'fetchObservation', 'fetchObservations', 'fetchSessions'],
    ...['getDatasetRun', 'getDatasetRuns'],
  ]) {
    expect(client, name).not.toHaveProperty(name)
  }
  for (const name of ['legacy', 'sessions', 'datasetRunItems', 'scoresV3']) expect(client.api, name).not.toHaveProperty(name)
  for (const [holder, names] of [
    [client.api.trace, ['get', 'list']],
    [client.api.scores, ['getById', 'getManyV3']],
    [client.api.datasets, ['getRun', 'getRuns', 'deleteRun']],
  ] as const) {
    for (const name of names) expect(holder, name).not.toHaveProperty(name)
  }
})

test('calls carry keys, the names of the SDK and additional headers', async () => {
  const service = await startService(() => ({ json: { data: [{ id: 'p' }] } }))
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: `${service.url}/`, additionalHeaders: { 'X-Own': 'yes' } })
  expect(await client.getProjectId()).toBe('p')
  expect(await client.getTraceUrl('t')).toBe(`${service.url}/project/p/traces/t`)
  expect(await client.getExperimentUrl('e')).toBe(`${service.url}/project/p/experiments/results?baseline=e`)
  expect(service.received).toHaveLength(1)
  expect(service.received[0]).toMatchObject({
    call: 'GET /api/public/projects',
    headers: {
      authorization: `Basic ${btoa('pk:sk')}`,
      'x-svc-public-key': 'pk',
      'x-svc-sdk-name': 'javascript',
      'x-svc-sdk-version': '6.0.0',
      'x-own': 'yes',
    },
  })
  await expect(client.shutdown()).resolves.toBeUndefined()
})

test('an additional header replaces the one of the client, ignoring case', async () => {
  const service = await startService(() => ({ json: { data: [{ id: 'p' }] } }))
  const additionalHeaders = { authorization: 'Bearer own', 'x-svc-sdk-name': 'own' }
  await new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url, additionalHeaders }).getProjectId()
  expect(service.received[0]!.headers).toMatchObject({ authorization: 'Bearer own', 'x-svc-sdk-name': 'own' })
})

test('a failed look-up of the project is retried', async () => {
  const replies = [{ status: 401, json: {} }, { json: { data: [] } }, { json: { data: [{ id: 'p' }] } }]
  const service = await startService(() => replies.shift()!)
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url })
  await expect(client.getProjectId()).rejects.toMatchObject({ statusCode: 401 })
  await expect(client.getExperimentUrl('e')).rejects.toThrow('no project')
  expect(await Promise.all([client.getProjectId(), client.getProjectId()])).toEqual(['p', 'p'])
  expect(service.received).toHaveLength(3)
})

test('the address of another service is named when the project is looked up', async () => {
  const service = await startService(() => ({ bytes: new TextEncoder().encode('<html></html>') }))
  const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk', baseUrl: service.url })
  await expect(client.getProjectId()).rejects.toThrow(`${service.url} did not return projects`)
})

test.each(['SVC_BASE_URL', 'SVC_BASEURL'])('everything can come from variables, the address from %s', async name => {
  const service = await startService(() => ({ json: { data: [{ id: 'p' }] } }))
  vi.stubEnv('SVC_PUBLIC_KEY', 'pk')
  vi.stubEnv('SVC_SECRET_KEY', 'sk')
  vi.stubEnv(name, service.url)
  await new SvcClient().getProjectId()
  expect(service.received[0]!.headers).toMatchObject({ authorization: `Basic ${btoa('pk:sk')}` })
  expect(warn).not.toHaveBeenCalled()
})

test('without keys it warns about each, and does not throw', () => {
  vi.stubEnv('SVC_PUBLIC_KEY', '')
  vi.stubEnv('SVC_SECRET_KEY', '')
  expect(() => new SvcClient({ timeout: -1 })).not.toThrow()
  expect(warn.mock.calls.map(([line]) => line)).toEqual([
    expect.stringContaining('SVC_PUBLIC_KEY'),
    expect.stringContaining('SVC_SECRET_KEY'),
    expect.stringContaining('timeout'),
  ])
})
