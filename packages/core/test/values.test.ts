import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  base64Decode,
  base64Encode,
  base64ToBytes,
  bytesToBase64,
  configureGlobalLogger,
  createExperimentId,
  createExperimentItemId,
  createLogger,
  createStableExperimentId,
  dropMetadataOverSpanAttributeLimit,
  generateUUID,
  getEnv,
  getGlobalLogger,
  LogLevel,
  logger,
  resetGlobalLogger,
  SVC_SDK_VERSION,
  serializeMetadataValue,
  serializeValue,
} from '../src/index.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  resetGlobalLogger()
})

test('every package has the version that the SDK reports, and the fields for the registry', () => {
  const folder = join(import.meta.dirname, '../..')
  const packages = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  expect(packages.length).toBeGreaterThanOrEqual(3)
  for (const { name } of packages) {
    const manifest = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: `@svc/${name}`,
      version: SVC_SDK_VERSION,
      sideEffects: false,
      engines: { node: '>=22' },
      license: 'MIT',
    })
    for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) expect(readFileSync(join(folder, name, file), 'utf8')).not.toBe('')
  }
})

test('ids of experiments', async () => {
  const run = { projectId: '7a88fb47-b4e2-43b8-a06c-a5ce950dc53a', datasetId: 'cm9x1dataset0000000000001', runName: 'my-run' }
  expect(await createStableExperimentId(run)).toBe('39b18b1d11ecd986')
  expect(await createStableExperimentId({ ...run, runName: 'Läufe "v2" 🚀 – 2026-10-06T12:00:00.000Z' })).toBe('58416ca95a88cadd')
  expect(await createExperimentId()).toMatch(/^[0-9a-f]{16}$/)
  expect(await createExperimentItemId({ a: 1 })).toBe(await createExperimentItemId({ a: 1 }))
  expect(await createExperimentItemId({ a: 1 })).not.toBe(await createExperimentItemId({ a: 2 }))
})

test('a UUID has the shape of version 4, also without a clock', () => {
  const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(generateUUID()).toMatch(shape)
  expect(generateUUID({})).toMatch(shape)
  expect(new Set(Array.from({ length: 1000 }, () => generateUUID())).size).toBe(1000)
})

test('base64 both ways, by Buffer and without it', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256)
  const text = 'Grüße 🚀'
  const [byBuffer, ofText] = [bytesToBase64(bytes), base64Encode(text)]
  vi.stubGlobal('Buffer', undefined)
  try {
    expect(bytesToBase64(bytes)).toBe(byBuffer)
    expect(base64Encode(text)).toBe(ofText)
    expect(base64Decode(ofText)).toBe(text)
  } finally {
    vi.unstubAllGlobals()
  }
  expect(base64ToBytes(byBuffer)).toEqual(bytes)
  expect(base64ToBytes('-_-_')).toEqual(base64ToBytes('+/+/'))
})

test('a variable that is empty counts as unset; a global stands for a variable', () => {
  vi.stubEnv('SVC_TEST_VALUE', '')
  expect(getEnv('SVC_TEST_VALUE')).toBeUndefined()
  vi.stubGlobal('SVC_TEST_VALUE', 'global')
  expect(getEnv('SVC_TEST_VALUE')).toBe('global')
  vi.stubEnv('SVC_TEST_VALUE', 'variable')
  expect(getEnv('SVC_TEST_VALUE')).toBe('variable')
  vi.unstubAllGlobals()
})

describe('values as texts', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const time = new Date(0)

  test.each([
    ['text', 'text'],
    [null, undefined],
    [undefined, undefined],
    [0, '0'],
    [false, 'false'],
    [{ a: [1] }, '{"a":[1]}'],
    [cycle, '<failed to serialize>'],
    [1n, '<failed to serialize>'],
  ])('input or output %o', (value, text) => expect(serializeValue(value)).toBe(text))

  test.each([
    ['prod', '"prod"'],
    ['3', '"3"'],
    [3, '3'],
    [true, 'true'],
    ['', '""'],
    [{ a: { b: 0 } }, '{"a":{"b":0}}'],
    [time, `"${time.toISOString()}"`],
    [12n, '"12"'],
    [{ n: 12n }, '{"n":"12"}'],
    [Number.NaN, 'null'],
    [cycle, '"<failed to serialize>"'],
    [null, undefined],
    [undefined, undefined],
    [() => 1, undefined],
    [Symbol('s'), undefined],
    [{ toJSON: () => undefined }, undefined],
  ])('metadata %o', (value, text) => expect(serializeMetadataValue(value)).toBe(text))
})

describe('the limit of attributes', () => {
  const prefix = 'svc.observation.metadata.'
  const metadata = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}k${at}`, '1']))
  const span = (limit: number | undefined, attributes = {}) =>
    ({ name: 'answer', attributes, ...(limit === undefined ? {} : { _spanLimits: { attributeCountLimit: limit } }) }) as never

  test('the last new metadata keys give way to reserved ones, with one warning', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const kept = dropMetadataOverSpanAttributeLimit(span(10, { [`${prefix}k0`]: '0', other: 1 }), { ...metadata(9), model: 'm' }, [
      'input',
      'model',
    ])
    expect(Object.keys(kept)).toEqual([...Array.from({ length: 7 }, (_, at) => `${prefix}k${at}`), 'model'])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toMatch(/Dropped 2 metadata keys of observation 'answer'.*12 attributes.*limit is 10.*k7, k8/)
  })

  test.each([
    ['all that fits', span(100)],
    ['a span without a known limit', span(undefined)],
    ['a span without a limit', span(Number.POSITIVE_INFINITY)],
    ['what is no span', undefined as never],
  ])('%s stays', (_, of) => {
    const attributes = metadata(50)
    expect(dropMetadataOverSpanAttributeLimit(of, attributes, [])).toBe(attributes)
  })
})

describe('the logger', () => {
  test('prints time, prefix, level, message and details at its level', () => {
    const [info, debug] = [vi.spyOn(console, 'info').mockReturnValue(), vi.spyOn(console, 'debug').mockReturnValue()]
    const own = createLogger({ level: LogLevel.INFO })
    own.info('Hello', { a: 1 })
    own.debug('nothing')
    expect(info).toHaveBeenCalledWith(expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z \[Svc SDK\] \[INFO\] Hello$/), { a: 1 })
    expect(debug).not.toHaveBeenCalled()
    own.setLevel(LogLevel.DEBUG)
    expect([own.getLevel(), own.isLevelEnabled(LogLevel.DEBUG)]).toEqual([0, true])
    createLogger({ level: LogLevel.INFO, prefix: '', enableTimestamp: false }).info('bare')
    expect(info).toHaveBeenLastCalledWith('[INFO] bare')
  })

  test('the global one is replaced and reset', () => {
    configureGlobalLogger({ level: LogLevel.NONE })
    expect(getGlobalLogger().isLevelEnabled(LogLevel.ERROR)).toBe(false)
    vi.stubEnv('SVC_DEBUG', 'true')
    logger.reset()
    expect(logger.getInstance().getLevel()).toBe(LogLevel.INFO)
  })

  test.each([
    [{ SVC_DEBUG: 'TRUE', SVC_LOG_LEVEL: 'ERROR' }, LogLevel.DEBUG],
    [{ SVC_LOG_LEVEL: 'error' }, LogLevel.ERROR],
    [{ SVC_LOG_LEVEL: 'loud' }, LogLevel.INFO],
  ])('its first level comes from %o', async (variables, level) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    vi.resetModules()
    const fresh = await import('../src/logging/logger.ts')
    expect(fresh.getGlobalLogger().getLevel()).toBe(level)
  })
})
