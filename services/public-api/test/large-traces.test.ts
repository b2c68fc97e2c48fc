// The trace in these tests is larger than the memory that one read may take.
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sized } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { basic } from './api.ts'
import { type ApiOnEngine, startOnEngine } from './on-engine.ts'

const MiB = 1024 * 1024
const count = sized(30_000, 2_000)
const contentBytes = 10_000
/** Maximum bytes of a page. The long texts take up to 4 MiB, and the other columns of a thousand rows take the rest. */
const maxPageBytes = 8 * MiB
/** Memory limit for a stream: half of the size of all contents. The client and the server together hold two slices and their buffers. */
const maxStreamMB = 150

const rowsFrom = (from: number) => `
  INSERT INTO events_full (project_id, trace_id, span_id, parent_span_id, name, type, level, environment, start_time, event_ts, input)
  SELECT 'project-0', 'large', lower(hex(number + 1)), if(number = 0, '', '1'), 'step', 'SPAN', 'DEFAULT', 'default',
    fromUnixTimestamp64Micro(toInt64(1793491200000000 + number * 1000), 'UTC'), fromUnixTimestamp64Micro(toInt64(1793491300000000), 'UTC'),
    randomPrintableASCII(${contentBytes})
  FROM numbers(${from}, 1000)`

let opened: ApiOnEngine
beforeAll(async () => {
  opened = await startOnEngine(async columnStore => {
    for (let from = 0; from < count; from += 1_000) await columnStore.command(rowsFrom(from))
  })
})
afterAll(() => opened.close())

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the memory in use. The function collects garbage first, because V8 keeps hundreds of megabytes of garbage. */
function heldMB(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / MiB
}

async function readAll(fields: string) {
  const ids = new Set<string>()
  let [largest, pages, peakMB] = [0, 0, 0]
  let cursor: string | undefined
  do {
    const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, text, json } = await opened.api.send(
      'GET',
      `/api/public/v2/observations?traceId=large&limit=1000&fields=${fields}${at}`,
    )
    expect(status, text.slice(0, 500)).toBe(200)
    for (const { id } of json.data as readonly { readonly id: string }[]) ids.add(id)
    largest = Math.max(largest, text.length)
    peakMB = Math.max(peakMB, heldMB())
    cursor = json.meta.cursor
    pages++
  } while (cursor !== undefined)
  return { found: ids.size, largest, pages, peakMB }
}

test('with contents, pages return every observation once and end at their byte limit', async () => {
  const beforeMB = heldMB()
  const { found, largest, pages, peakMB } = await readAll('core,basic,io')
  expect(found).toBe(count)
  expect(largest).toBeLessThan(maxPageBytes)
  expect(pages).toBeGreaterThan((count * contentBytes) / maxPageBytes)
  // The client and the server together have only a few pages in memory.
  expect(peakMB - beforeMB).toBeLessThan(60)
})

test('without contents, a page is full', async () => {
  const { found, pages } = await readAll('core,basic')
  expect([found, pages]).toEqual([count, Math.ceil(count / 1_000)])
})

test('a stream returns every observation once, with a few slices in memory', async () => {
  const beforeMB = heldMB()
  const ids = new Set<string>()
  let [lines, peakMB] = [0, 0]
  const path = '/api/public/v2/observations?traceId=large&fields=core,basic,io'
  const headers = { authorization: basic('pk-test', 'sk-test'), accept: 'application/x-ndjson' }
  const asked = request({ host: '127.0.0.1', port: opened.api.port, path, headers, agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/x-ndjson'])
  for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
    ids.add((JSON.parse(line) as { readonly id: string }).id)
    if (lines++ % 500 === 0) peakMB = Math.max(peakMB, heldMB())
  }
  expect([lines, ids.size, response.trailers['x-svc-rows']]).toEqual([count, count, String(count)])
  expect(peakMB - beforeMB).toBeLessThan(maxStreamMB)
})
