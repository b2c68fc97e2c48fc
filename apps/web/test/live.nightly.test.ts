// Keeps the live list open for minutes while 500 observations arrive per second. After the list has filled up, the heap and the document
// must no longer grow, and the page must send fewer than two requests per second on average.
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'
import { heapMb } from './page-times.ts'

const tracesOfABatch = 125
const batchMs = 500
/** During this time, the list fills up to its maximum of 2,000 rows. */
const fillMs = 120_000
const watchedMs = 120_000
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await instance.send(traceOf(0))
  await instance.readable(2)
  await page.goto(instance.link)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

async function sendUntil(stop: AbortSignal): Promise<number> {
  let sent = 0
  for (let next = performance.now(); !stop.aborted; next += batchMs) {
    const first = 1_000 + sent / 2
    await instance.send(Array.from({ length: tracesOfABatch }, (_, at) => traceOf(first + at, 0)).flat())
    sent += 2 * tracesOfABatch
    await wait(Math.max(0, next + batchMs - performance.now()))
  }
  return sent
}

const rows = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1
const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)

test('heap, document and requests do not grow', async () => {
  const stop = new AbortController()
  const startedAt = performance.now()
  const sending = sendUntil(stop.signal)
  await page.goto('/project/default-project/observations?live=1')
  await page.getByText('question').first().waitFor()
  await wait(fillMs)
  const before = { heap: await heapMb(page), nodes: await nodes(), rows: await rows() }
  let requests = 0
  page.on('request', () => void requests++)
  await wait(watchedMs)
  const after = { heap: await heapMb(page), nodes: await nodes(), rows: await rows() }
  stop.abort()
  const rate = ((await sending) / (performance.now() - startedAt)) * 1_000
  process.stderr.write(`${JSON.stringify({ before, after, requests, rate: Math.round(rate) })}\n`)
  expect(after.rows).toBeGreaterThan(1_000)
  expect(after.heap).toBeLessThanOrEqual(before.heap + 5)
  expect(after.nodes).toBeLessThanOrEqual(before.nodes + 50)
  expect(requests).toBeLessThan((2 * watchedMs) / 1_000)
})

test('no request failed or went to another origin', () => expect(watched.complaints).toEqual([]))
