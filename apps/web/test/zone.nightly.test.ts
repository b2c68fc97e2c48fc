// The list, the histogram, the range, the jump and the export must use the days of the chosen time zone.
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openPage, violations, type WatchedPage } from './browser.ts'
import { type Instance, startInstance, traceOf } from './instance.ts'

const traces = 42
const observations = '/project/default-project/observations'
let instance: Instance
let browser: Browser
let watched: WatchedPage
let page: Page

beforeAll(async () => {
  ;[instance, browser] = await Promise.all([startInstance(), openBrowser()])
  watched = await openPage(browser, instance.url, { zone: 'Europe/Berlin' })
  page = watched.page
  page.setDefaultTimeout(60_000)
  await page.setViewportSize({ width: 1440, height: 1_600 })
  await instance.send(Array.from({ length: traces }, (_, at) => traceOf(at, at * 180 + 1)).flat())
  await instance.readable(2 * traces)
  await page.goto(instance.link)
  await page.getByRole('gridcell', { name: 'question 0' }).waitFor()
})
afterAll(async () => {
  await watched?.[Symbol.asyncDispose]()
  await browser?.close()
  await instance?.[Symbol.asyncDispose]()
})

const patient = { timeout: 60_000 }
const zoneField = () => page.getByRole('combobox', { name: 'Times in' })
const shows = (rows: number) => expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount'), patient).toBe(String(rows + 1))
const titles = () =>
  page
    .getByRole('img', { name: /Observations over time/ })
    .locator('title')
    .allTextContents()
const daysOfList = async () =>
  count((await page.locator('[role=gridcell][data-column=time]').allTextContents()).map(time => time.slice(0, 6)))
const daysOfBars = async () =>
  Object.fromEntries(
    (await titles()).flatMap(title => {
      const [, day, time, rows] = /^(\d\d \w{3}) (\d\d:\d\d): (\d+) observations/.exec(title)!
      expect(time).toBe('00:00')
      return rows === '0' ? [] : [[day!, Number(rows)] as const]
    }),
  )

function count(days: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const day of days) counts[day] = (counts[day] ?? 0) + 1
  return counts
}

const local = (ms: number, hours: number) => new Date(ms + hours * 3_600_000).toISOString()

test.each([
  ['Pacific/Kiritimati', 14],
  ['Pacific/Pago_Pago', -11],
] as const)('in %s, all times and days are those of the zone', async (zone, hours) => {
  await page.goto(`${observations}?t=30d`)
  await shows(traces)
  await page.getByRole('button', { name: 'Time range' }).click()
  await zoneField().selectOption(zone)
  await expect.poll(async () => JSON.stringify(await daysOfBars()) === JSON.stringify(sorted(await daysOfList())), patient).toBe(true)
  const days = await daysOfBars()
  expect(Object.values(days).reduce((sum, each) => sum + each, 0)).toBe(traces)
  expect(Object.keys(days).length).toBeGreaterThan(4)
  expect(page.url()).not.toContain(zone.split('/')[1])
  await page.reload()
  await shows(traces)
  await expect.poll(daysOfBars, patient).toEqual(days)
  expect(await daysOfList()).toEqual(days)

  const first = page.locator('[role=gridcell][data-column=time] time').first()
  const at = Date.parse((await first.getAttribute('datetime'))!)
  expect(await first.textContent()).toContain(local(at, hours).slice(11, 19))
  const tooltip = (await first.getAttribute('title'))!.split('\n')
  expect(tooltip.map(line => line.split(' ').at(-1))).toEqual([zone, 'Europe/Berlin', new Date(at).toISOString()])

  const [day, rows] = Object.entries(days)[1]!
  const area = (await page.getByRole('img', { name: /Observations over time/ }).boundingBox())!
  const all = await titles()
  const bar = all.findIndex(title => title.startsWith(day))
  await page.mouse.click(area.x + (area.width * (bar + 0.5)) / all.length, area.y + area.height / 2)
  await shows(rows)
  expect(await daysOfList()).toEqual({ [day]: rows })
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSONL' }).click()])
  const lines = (await text(await file.createReadStream())).trim().split('\n')
  const exported = lines.map(line => local(Date.parse((JSON.parse(line) as { readonly startTime: string }).startTime), hours).slice(8, 10))
  expect(new Set(exported)).toEqual(new Set([day.slice(0, 2)]))
  await page.keyboard.press('Escape')

  await page.goto(`${observations}?t=30d`)
  await page.getByRole('button', { name: 'Time range' }).click()
  await page.getByLabel('From', { exact: true }).fill(local(Date.UTC(2026, 0, 1), hours).slice(0, 16))
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.waitForURL(/t=2026-01-01T00:00:00/)

  await page.goto(`${observations}?t=7d`)
  await shows(traces)
  await page.keyboard.press('g')
  const jump = page.getByRole('dialog', { name: 'Jump to a time' })
  const tenth = Date.now() - 10 * 180 * 60_000
  await jump.getByLabel(`Time in ${zone}`).fill(local(tenth, hours).slice(0, 16))
  await page.keyboard.press('Enter')
  await page.waitForURL(url => {
    const [, end = ''] = (url.searchParams.get('t') ?? '').split('..')
    return Math.abs(Date.parse(end) - tenth) <= 60_000
  })
  await page.getByRole('gridcell', { name: 'question 11', exact: true }).waitFor()
  await expect.poll(() => page.getByRole('gridcell', { name: 'question 0', exact: true }).count(), patient).toBe(0)
})

const sorted = (days: Readonly<Record<string, number>>) => Object.fromEntries(Object.entries(days).toReversed())

test('the table draws its rows wherever it is scrolled', async () => {
  await page.setViewportSize({ width: 1440, height: 500 })
  await page.goto(`${observations}?t=30d`)
  const newest = page.getByRole('gridcell', { name: 'question 0', exact: true })
  await newest.hover()
  await page.mouse.wheel(0, 10_000)
  await page.getByRole('gridcell', { name: `question ${traces - 1}`, exact: true }).waitFor()
  await expect.poll(() => newest.count(), patient).toBe(0)
})

test('the account menu also offers the time zone, and the range picker shows the choice', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/system')
  await page.getByRole('button', { name: /^Account/ }).click()
  await zoneField().selectOption('UTC')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(page)).toEqual([])
  }
  await page.goto(observations)
  await page.getByRole('button', { name: 'Time range' }).click()
  expect(await zoneField().inputValue()).toBe('UTC')
  expect(await violations(page)).toEqual([])
  await zoneField().selectOption('')
  expect(await zoneField().locator('option:checked').textContent()).toContain('Europe/Berlin')
})

test('no request failed or went to another origin', () => expect(watched.complaints).toEqual([]))
