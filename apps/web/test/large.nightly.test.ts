// Opens large traces and contents in a real browser. No main-thread task may take more than 50 ms, and the heap must shrink again
// afterwards.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance } from './instance.ts'
import { sendLarge } from './large-trace.ts'
import { tasksOf } from './main-thread.ts'
import { heapMb } from './page-times.ts'

const mostMs = 50
const sizes = { a: 10_000, b: 100_000 } as const
const few = 20
const contents = 'e'.repeat(32)
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

const idOf = (at: number) => (at + 1).toString(16).padStart(16, '0')
const begin = BigInt(Date.now() - 600_000) * 1_000_000n
const span = (at: number, name: string, input: string, trace = contents) => ({
  ...{ traceId: trace, spanId: idOf(at), name, kind: 1, status: {}, ...(at > 0 && { parentSpanId: idOf(0) }) },
  ...{ startTimeUnixNano: String(begin + BigInt(at) * 1_000_000n), endTimeUnixNano: String(begin + BigInt(at + 1_000) * 1_000_000n) },
  attributes: [{ key: 'svc.observation.input', value: { stringValue: input } }],
})

const turn = 'The quick brown fox jumps over the lazy dog. '.repeat(20)
const chat = {
  messages: Array.from({ length: 400 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `turn ${at} ${turn}` })),
}

/** These contents exceed the size limit of requests, so the test inserts the contents by SQL. */
const inserted = {
  json: `concat('{"items":[', arrayStringConcat(arrayMap(i -> concat('{"id":', toString(i), ',"tags":["a","b"],"nested":{"deep":true,"value":', toString(i * 1.5), ',"said":"item number ', toString(i), '"}}'), range(200000)), ','), ']}')`,
  text: `repeat('the agent reads a long page of the manual and answers with it ', 320000)`,
  media: `concat('data:image/png;base64,', base64Encode(randomString(7500000)))`,
  mediaInChat: `concat('{"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,', base64Encode(randomString(7500000)), '"}}]}]}')`,
} as const
const names = ['root', 'chat', ...Object.keys(inserted)]
const placeOf = (name: string) => idOf(names.indexOf(name))

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url, { expected: /status of 503/ })
  page = watched.page
  page.setDefaultTimeout(120_000)
  await instance.send(names.map((name, at) => span(at, name, name === 'chat' ? JSON.stringify(chat) : '{}')))
  await instance.send(Array.from({ length: few }, (_, at) => span(0, `trace ${at}`, turn, (at + 1).toString(16).padStart(32, '0'))))
  for (const [letter, observations] of Object.entries(sizes)) {
    await sendLarge(instance, { traceId: letter.repeat(32), observations, characters: 4_096 })
  }
  const all = names.length + few + sizes.a + sizes.b
  while (Number(await instance.sql('SELECT count() FROM events_full')) < all) await new Promise(resolve => setTimeout(resolve, 500))
  for (const [name, input] of Object.entries(inserted)) {
    await instance.sql(
      `INSERT INTO events_full SELECT * REPLACE(${input} AS input, event_ts + toIntervalSecond(1) AS event_ts) FROM events_full WHERE trace_id = '${contents}' AND span_id = '${placeOf(name)}'`,
    )
  }
  await page.goto(instance.link)
  await page.waitForURL(/\/project\/[^/]+\//)
}, 600_000)
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const detail = () => page.getByRole('region', { name: 'Details' })
const input = () => detail().getByRole('region', { name: 'Input' })
async function open(trace: string, observation?: string): Promise<void> {
  await page.goto(`/project/default-project/traces/${trace}${observation === undefined ? '' : `?o=${observation}`}`)
  await page.locator('[role=row][aria-selected=true]').waitFor()
  await detail().getByRole('heading').first().waitFor()
}
const longTasks = (run: () => Promise<void>) => tasksOf(browser, page, mostMs, run)

test.each(Object.entries(sizes))('a trace of %s opens, walks, folds and is searched (%i observations)', async (letter, observations) => {
  const opened = await longTasks(async () => {
    await open(letter.repeat(32))
    await page.getByText(`${observations.toLocaleString('en-US')} observations`).waitFor()
  })
  expect(opened).toEqual([])
  const walked = await longTasks(async () => {
    const keys = ['End', 'Home', 'ArrowLeft', 'ArrowRight', 'c', 'c', 'z', 'z', 's', '$', ...Array<string>(20).fill('PageDown')]
    for (const key of keys) await page.keyboard.press(key)
    await page.keyboard.press('/')
    await page.keyboard.type('step 7')
    await page.getByText(`1/${(observations / 20).toLocaleString('en-US')}`).waitFor()
  })
  expect(walked).toEqual([])
})

test('a chat of 400 turns opens, and unfolds', async () => {
  const tasks = await longTasks(async () => {
    await open(contents, placeOf('chat'))
    const earlier = input().getByRole('button', { name: /earlier messages/ })
    await earlier.click()
    await earlier.waitFor({ state: 'detached' })
  })
  expect(tasks).toEqual([])
  expect(await input().getByRole('article').count()).toBe(400)
})

const shown: Readonly<Record<keyof typeof inserted, () => Promise<void>>> = {
  json: () => input().getByText('200,000 items').waitFor(),
  text: () => input().getByText('50,000 of 19,840,000 characters').waitFor(),
  media: () => input().getByRole('img', { name: 'image/png, 7.5 MB' }).waitFor(),
  mediaInChat: () => input().getByRole('img', { name: 'image/png, 7.5 MB' }).waitFor(),
}

test.each(Object.keys(inserted) as (keyof typeof inserted)[])('%s of 10 to 20 MB is loaded and looked at in every way', async name => {
  const tasks = await longTasks(async () => {
    await open(contents, placeOf(name))
    await input().getByRole('button', { name: 'Load all' }).click()
    await shown[name]()
    for (const key of ['r', 'r']) await page.keyboard.press(key)
    await shown[name]()
  })
  expect(tasks).toEqual([])
})

test('the heap stays flat over twenty traces, and shrinks back after large ones', async () => {
  const walk = async () => {
    for (let at = 0; at < few; at++) await open((at + 1).toString(16).padStart(32, '0'))
  }
  await walk()
  const before = await heapMb(page)
  // The test stays within the app, because leaving the document would free all memory.
  for (const [at, letter] of ['b', 'a'].entries()) {
    await page.getByRole('button', { name: /^Go to/ }).click()
    await page.getByRole('combobox', { name: 'Go to or run' }).fill(letter.repeat(32))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/traces/${letter.repeat(32)}*`)
    await page.getByText(at === 0 ? '100,000 observations' : '10,000 observations', { exact: true }).waitFor()
  }
  expect(await heapMb(page)).toBeLessThan(120)
  await walk()
  expect(await heapMb(page)).toBeLessThanOrEqual(before + 3)
})
