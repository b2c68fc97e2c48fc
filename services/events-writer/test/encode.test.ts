import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { createLogger } from '@svc-server/service/logs'
import { attributes, type KeyValue, type TemporaryDirectory, temporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { destinations } from '../src/destinations/index.ts'
import { createEncoderHost, type EncoderHost } from '../src/encode/host.ts'
import { type EncodedBlock, packRecords, unpackRecords } from '../src/encode/messages.ts'
import { spanBatch } from './world.ts'

let host: EncoderHost
let directory: TemporaryDirectory

beforeAll(async () => {
  directory = await temporaryDirectory()
})
afterAll(() => directory.remove())
afterEach(() => host.stop())

const logger = createLogger({ service: 'test', level: 'silent' })
const table = 'events_full'
const limits = { maxRecordBytes: 1e8, maxRowBytes: 256 << 20, maxWork: 3e6, brandAliases: [] }
const options = { logger, script: destinations.encoderScript, tables: [table], isBackground: false, ...limits }
const job = (count: number, more: readonly KeyValue[] = []) => ({
  table,
  topic: 'spans.direct',
  partition: 0,
  records: [{ offset: 7, timestampMs: 1_000, value: spanBatch({ count, seed: 'fixed', more }) }],
})

test('records are the same after packing and unpacking', async () => {
  host = createEncoderHost(options)
  const records = [3, 5, 8].map(offset => ({ offset, timestampMs: offset * 10, value: Buffer.from('x'.repeat(offset)) }))
  const unpacked = unpackRecords(await packRecords('spans.direct', 4, records))
  expect(unpacked.map(({ value, ...rest }) => ({ ...rest, value: Buffer.from(value).toString() }))).toEqual(
    records.map(({ value, ...rest }) => ({ topic: 'spans.direct', partition: 4, ...rest, value: value.toString() })),
  )
})

test('F38 · packing yields to the event loop after every megabyte', async () => {
  host = createEncoderHost(options)
  const records = Array.from({ length: 40 }, (_, offset) => ({ offset, timestampMs: 1, value: Buffer.alloc(256 * 1024, offset) }))
  let turns = 0
  const packed = await packRecords('spans.direct', 4, records, async () => void turns++)
  expect(turns).toBe(9)
  expect(unpackRecords(packed).map(({ value }) => value.every(byte => byte === value[0]) && value[0])).toEqual(records.map(r => r.offset))
})

test('jobs that are packed at the same time are encoded in the order of the calls', async () => {
  host = createEncoderHost(options)
  const done: string[] = []
  const large = host.encode(job(4_000)).then(() => done.push('large'))
  const small = host.encode(job(1)).then(() => done.push('small'))
  await Promise.all([large, small])
  expect(done).toEqual(['large', 'small'])
})

test('the same records give the same block, also in recycled memory', async () => {
  host = createEncoderHost(options)
  const same = job(2_000)
  const first = await host.encode(same)
  const { hash, rows } = first
  host.recycle(first)
  const second = await host.encode(same)
  expect(second.rows).toBe(rows)
  expect(second.hash).toBe(hash)
})

test('a block that was not stored takes shared memory until its last reference is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  host = createEncoderHost(options)
  const isShared = ({ body }: EncodedBlock) => body.some(({ buffer }) => buffer instanceof SharedArrayBuffer)
  const large = job(20_000)
  const encode = () => host.encode(large)
  const held = [await encode()]
  while (isShared(held.at(-1)!)) held.push(await encode())
  expect(held.length).toBeGreaterThan(3)
  held.length = 0
  async function isSharedAgain(): Promise<boolean> {
    collect()
    return isShared(await encode())
  }
  await waitFor(isSharedAgain, { what: 'shared memory again', everyMs: 50 })
})

test('a catalog reaches the thread and changes what is encoded', async () => {
  host = createEncoderHost(options)
  const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })
  const used = attributes({ 'gen_ai.request.model': 'gpt-4.1', 'gen_ai.usage.input_tokens': 10 })
  const none = await host.encode(job(50, used))
  const priced = await host.encode({ ...job(50, used), catalog })
  expect(priced.hash).not.toBe(none.hash)
  expect((await host.encode({ ...job(50, used), catalog })).hash).toBe(priced.hash)
})

test('F38 · the event loop keeps running while a chunk is encoded', async () => {
  host = createEncoderHost(options)
  await host.encode(job(1))
  let turns = 0
  let running = true
  const turn = () => {
    turns += 1
    if (running) setImmediate(turn)
  }
  const encoding = host.encode(job(20_000))
  turn()
  await encoding
  running = false
  expect(turns).toBeGreaterThan(20)
})

describe('a thread that dies', () => {
  const script = new URL('./dying-worker.ts', import.meta.url)
  const instructed = (marker: string, always: boolean) => ({
    table,
    topic: 'spans.direct',
    partition: 0,
    records: [{ offset: 0, timestampMs: 0, value: Buffer.from(JSON.stringify({ marker: join(directory.path, marker), always })) }],
  })

  test('is replaced, and its jobs are retried', async () => {
    host = createEncoderHost({ ...options, script })
    expect(await host.encode(instructed('once', false))).toMatchObject({ hash: 'survived with no catalog' })
  })

  test('gets the catalog of the waiting jobs again', async () => {
    host = createEncoderHost({ ...options, script })
    const catalog = catalogSnapshot({ models: shippedModels(), prompts: [] })
    const jobs = [1, 2, 3].map(() => host.encode({ ...instructed('catalog', false), catalog }))
    const hash = `survived with ${catalog.version}`
    expect(await Promise.all(jobs)).toMatchObject([{ hash }, { hash }, { hash }])
  })

  test('twice on the same job is attributed to the job', async () => {
    host = createEncoderHost({ ...options, script })
    await expect(host.encode(instructed('always', true))).rejects.toThrow('ended with code 3')
  })
})
