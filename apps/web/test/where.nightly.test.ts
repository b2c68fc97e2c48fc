// The trace page must report where the spans of a trace are: on the log, in a window, stored, dead-lettered, or deleted. At first, the
// writer waits up to a minute for more records, so that spans stay on the log. A later test restarts the instance with the default wait, so
// that the writer soon stores the spans.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

const direct = { 'x-svc-ingestion-version': '4' }
const staged = { 'x-svc-ingestion-version': '3' }
const patient = { timeout: 60_000 }
const ids = { log: 'a', window: 'b', both: 'c', large: 'd' } as const
type Name = keyof typeof ids
const traceOf = (name: Name) => ids[name].repeat(32)
let directory: string
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

async function start(settings: Readonly<Record<string, string>>): Promise<void> {
  await watched?.[Symbol.asyncDispose]()
  await instance?.[Symbol.asyncDispose]()
  instance = await startInstance({ SVC_DATA_DIR: directory, ...settings })
  // Before a trace is stored, the server responds to the request for its tree with 404. The test expects this error.
  watched = await openPage(browser, instance.url, { expected: /traces\/[abcd]{32}\/tree|status of 503/ })
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-where-'))
  browser = await openBrowser()
  await start({ SVC_WRITER_FETCH_MAX_WAIT_MS: '60s' })
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

function send(name: Name, headers: Readonly<Record<string, string>>, at = 1, input = ''): Promise<void> {
  const startNs = BigInt(Date.now()) * 1_000_000n
  const span = {
    ...{ traceId: traceOf(name), spanId: String(at).padStart(16, '0'), name, kind: 1, status: {} },
    ...{ startTimeUnixNano: String(startNs), endTimeUnixNano: String(startNs + 5_000_000n) },
    attributes: [{ key: 'svc.observation.input', value: { stringValue: input } }],
  }
  return instance.send([span], headers)
}

const open = (name: Name) => page.goto(`/project/default-project/traces/${traceOf(name)}`)
const reports = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor()

test('spans that the writer has not read are on the log', async () => {
  await send('log', direct)
  await open('log')
  await reports(/^1 span on the log since .*, and not yet in the tables/)
})

test('staged spans are in a window, and the page shows when it ends', async () => {
  await send('window', staged)
  await open('window')
  await reports(/^1 span in a window until .*, and readable seconds later/)
})

test('after a restart, the spans are stored', async () => {
  await send('large', direct, 1, 'large '.repeat(400_000))
  await start({ SVC_MAX_ROW_BYTES: '1MiB' })
  await expect.poll(async () => (await Promise.all([page.waitForResponse(/\/tree$/), open('log')]))[0].status(), patient).toBe(200)
  await page.getByRole('row', { name: 'log' }).waitFor()
  await page.getByText('complete', { exact: true }).waitFor()
})

test('a span above the limit of the restarted writer is dead-lettered, and the page shows the reason', async () => {
  await open('large')
  await reports(/^Dead-lettered, payload_too_large: \d+ bytes of rows, but 1048576 are allowed/)
})

test('the header of a stored trace reports spans that are still on the log', async () => {
  await send('both', direct)
  await send('both', staged, 2)
  await expect.poll(async () => (await Promise.all([page.waitForResponse(/\/tree$/), open('both')]))[0].status(), patient).toBe(200)
  await page
    .getByRole('listitem')
    .filter({ hasText: /^1 span in a window until \d\d:\d\d:\d\d$/ })
    .waitFor()
})

test('a deleted trace reports when it was deleted', async () => {
  const path = `${instance.url}/api/public/traces/${traceOf('log')}`
  expect((await fetch(path, { method: 'DELETE', headers: { authorization: instance.authorization } })).status).toBe(200)
  await expect.poll(async () => (await Promise.all([page.waitForResponse(/\/tree$/), open('log')]))[0].status(), patient).toBe(404)
  await reports(/^The trace was deleted at /)
})

test('the browser reported no problems', () => expect(watched.complaints).toEqual([]))
