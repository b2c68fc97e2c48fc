// Performs the main tasks of users with only the keyboard or with only the mouse, and counts the actions. Moving the pointer or pressing an
// arrow key does not count.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 10
const spike = 30
const observations = '/project/default-project/observations'
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page
let actions = 0
let arrived = 0

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url)
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  // Traces whose number ends with 4 or 9 are refunds, which fail.
  const refunds = Array.from({ length: spike }, (_, at) => traceOf(104 + 5 * at, 130))
  await instance.send([...Array.from({ length: traces }, (_, at) => traceOf(at * 5)), ...refunds].flat())
  await instance.readable(2 * (traces + spike))
  await page.goto(instance.link)
  await page.getByRole('gridcell', { name: 'question 0', exact: true }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await page.mouse.move(0, 0)
  await page.goto(observations)
  await shows(traces + spike + arrived)
  actions = 0
})

const patient = { timeout: 60_000 }
const shows = (rows: number) => expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount'), patient).toBe(String(rows + 1))
const filtered = (by: string) => expect.poll(() => page.getByRole('combobox', { name: 'Filter' }).inputValue(), patient).toBe(by)
const differences = () => page.getByRole('region', { name: 'What differs' })

async function press(key: string): Promise<void> {
  actions += 1
  await page.keyboard.press(key)
}
async function click(what: Locator, button: 'left' | 'right' = 'left'): Promise<void> {
  actions += 1
  await what.click({ button })
}
async function point(...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

async function spikeBar() {
  const bars = page.getByRole('img', { name: /Observations over time/ })
  await expect.poll(() => bars.locator('title', { hasText: `: ${spike} observations` }).count(), patient).toBe(1)
  const titles = await bars.locator('title').allTextContents()
  const { x, y, width, height } = (await bars.boundingBox())!
  const barWidth = width / titles.length
  const at = titles.findIndex(title => title.includes(`: ${spike} observations`))
  return { x: x + (at + 0.5) * barWidth, y: y + height / 2, barWidth }
}

test('1, by keys: a pasted id opens its trace', async () => {
  await page.evaluate(id => navigator.clipboard.writeText(id), '6'.padStart(32, '0'))
  await press('Control+v')
  await page.waitForURL(/\/traces\/0{31}6/)
  await page.locator('[role=row][aria-selected=true]').waitFor()
  expect(actions).toBeLessThanOrEqual(1)
})

test.each(['keys', 'mouse'] as const)('2, by %s: new rows appear by themselves', async by => {
  const at = by === 'keys' ? 700 : 705
  await Promise.all([page.waitForResponse(/rows\/tail/), by === 'keys' ? press('l') : click(page.getByRole('button', { name: 'Live' }))])
  await instance.send(traceOf(at, 0))
  arrived += 1
  await page.getByRole('gridcell', { name: `question ${at}`, exact: true }).waitFor()
  expect(actions).toBeLessThanOrEqual(1)
})

test('3, by keys: what differs in the spike', async () => {
  await press('d')
  await differences().getByText('upstream timeout').first().waitFor()
  expect(actions).toBeLessThanOrEqual(2)
})

test('3, by the mouse: what differs in the spike', async () => {
  const { x, y, barWidth } = await spikeBar()
  await page.mouse.move(x - barWidth * 0.49, y)
  await page.mouse.down()
  await page.mouse.move(x + barWidth * 0.49, y, { steps: 4 })
  await page.mouse.up()
  actions += 1
  await click(page.getByRole('button', { name: 'What differs' }))
  await differences().getByText('upstream timeout').first().waitFor()
  expect(actions).toBeLessThanOrEqual(2)
})

test.each([
  ['+', 'Only this', ''],
  ['-', 'None of this', '-'],
] as const)('4: rows like this one, or none of them (%s)', async (key, item, sign) => {
  await point('j', 'ArrowRight')
  await press(key)
  await filtered(`root:true ${sign}name:answer`)
  expect(actions).toBeLessThanOrEqual(2)
  await page.goto(observations)
  const cell = page.locator('[data-column=name]', { hasText: 'refund' }).first()
  actions = 0
  await click(cell, 'right')
  await click(page.getByRole('menuitem', { name: item }))
  await filtered(`root:true ${sign}name:refund`)
  expect(actions).toBeLessThanOrEqual(2)
})

test('8, by keys: from the spike to its rows', async () => {
  await press('b')
  await page.waitForURL(/sel=/)
  await shows(spike)
  expect(actions).toBeLessThanOrEqual(1)
})

test('8, by the mouse: from the spike to its rows', async () => {
  const { x, y } = await spikeBar()
  actions += 1
  await page.mouse.click(x, y)
  await page.waitForURL(/sel=/)
  await shows(spike)
  expect(actions).toBeLessThanOrEqual(1)
})

test.each(['keys', 'mouse'] as const)('9, by %s: the session of a row as a conversation', async by => {
  await (by === 'keys' ? press('S') : click(page.getByTitle(/^Session .* as a conversation$/).first()))
  await page.waitForURL(/\/sessions\/session-/)
  await page
    .getByText(/^question \d+$/)
    .first()
    .waitFor()
  expect(actions).toBeLessThanOrEqual(1)
})

test('no request failed or went to another origin', () => expect(watched.complaints).toEqual([]))
