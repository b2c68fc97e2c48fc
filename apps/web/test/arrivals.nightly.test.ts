// The page for the first span must show the status of each request: refused, partly rejected, accepted, on the log, or stored as a row.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'

let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page
beforeAll(async () => {
  browser = await openBrowser()
  instance = await startInstance()
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.goto(instance.link)
  await page.getByRole('heading', { name: 'Send your first span' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const item = (text: RegExp) => page.getByRole('log', { name: 'Last requests' }).getByRole('listitem').filter({ hasText: text })

const spanOf = (traceId: string, at: number) => ({
  ...{ traceId, spanId: `00000000000000a${at}`, name: 'hello', kind: 1 },
  ...{ startTimeUnixNano: `${Date.now()}000000`, endTimeUnixNano: `${Date.now() + 5}000000` },
})

async function send(spans: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const response = await fetch(`${instance.url}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { authorization: instance.authorization, 'content-type': 'application/json', 'x-svc-ingestion-version': '4', ...headers },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'test' }, spans }] }] }),
  })
  return response.status
}

test('a request with a wrong secret shows its public key, and a request with an unknown key is not shown', async () => {
  expect(await send([], { authorization: basic('pk-of-nobody:sk-wrong') })).toBe(401)
  expect(await send([], { authorization: basic('pk-svc-web-test:sk-wrong') })).toBe(401)
  await item(/\d\d:\d\d:\d\d 401 Wrong secret for pk-svc-web-test/).waitFor()
  expect(await item(/./).count()).toBe(1)
})

test('a request with a wrong content type shows this type', async () => {
  expect(await send([], { 'content-type': 'text/plain' })).toBe(415)
  await item(/415 .*text\/plain/).waitFor()
})

test('a rejected span shows the reason', async () => {
  expect(await send([spanOf('0'.repeat(32), 1)])).toBe(200)
  await item(/1 of 1 spans were rejected. span 0: The trace id is all zero/).waitFor()
})

test('a valid request is accepted, reaches the log and becomes a row, with a link to its trace', async () => {
  const traceId = 'd'.repeat(32)
  expect(await send([spanOf(traceId, 2)])).toBe(200)
  await item(/\d\d:\d\d:\d\d 1 span accepted.*on the log after .*\d\d:\d\d:\d\d row/).waitFor()
  await page.getByRole('link', { name: 'Open trace' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open trace' }).click()
  await page.waitForURL(new RegExp(`/traces/${traceId}`))
  expect(watched.complaints).toEqual([])
})
